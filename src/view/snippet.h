// Where a diagnostic points, and the source lines to show for it: what the JSON object and the text
// for people have in common. Ref: opentofu internal/command/jsonentities/diagnostic.go.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "diag/diagnostic.h"

namespace kinu::view {

struct Snippet {
  std::optional<std::string> context;  ///< `resource "t" "n"`: the block around the place
  std::string code;                    ///< whole lines
  uint32_t start_line = 1;
  size_t highlight_begin = 0;  ///< offsets into `code`
  size_t highlight_end = 0;
};

struct Place {
  std::string file;
  Position start;
  Position end;
  std::optional<Snippet> snippet;  ///< absent when the text is not one of the configuration's files
};

/// Finds the block around a place; parses each file once.
class SourceIndex {
 public:
  SourceIndex();
  ~SourceIndex();
  SourceIndex(const SourceIndex&) = delete;
  SourceIndex& operator=(const SourceIndex&) = delete;
  /// Nothing when the offset stands in no block (or is one).
  std::optional<std::string> ContextAt(const SourceFile& file, int64_t offset);

 private:
  struct Block;
  struct Entry;
  FlatMap<uint64_t, std::unique_ptr<Entry>> files_;
};

/// Nothing when the diagnostic has no subject.
std::optional<Place> PlaceOf(const Diagnostic& diagnostic, SourceIndex& sources);

/// Values of the snippet as they are listed: by traversal, each once.
std::vector<ExpressionValue> SortedValues(const Diagnostic& diagnostic);

}  // namespace kinu::view
