// Finds the syntax errors of a text again and again while it is edited.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "base/ref.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace kinu::hcl {

/// Remembers which parts of the last text were complete blocks without errors, so that the next
/// text is parsed only where it is new. Not thread-safe.
class SyntaxChecker {
 public:
  /// The diagnostics that ParseNative() reports for the whole text. They point into `source`, or
  /// into a copy of it that stays until the next call.
  Diagnostics Check(const SourceFile& source);
  /// The bytes that the last call has parsed.
  size_t parsed_bytes() const { return parsed_bytes_; }

 private:
  struct Part {
    uint32_t begin, end;
    bool is_clean;
  };

  std::vector<Part> Divide(const SourceFile& source);
  /// Whether the errors of a part end in it: behind it, all is at the top level again.
  bool EndsBefore(const SourceFile& source, const Part& part, const Part& next, Diagnostics& diags);
  Diagnostics CheckWhole(const SourceFile& source);

  FlatSet<uint64_t> clean_;  // hashes of parts
  Ref<const SourceFile> whole_;
  size_t parsed_bytes_ = 0;
};

}  // namespace kinu::hcl
