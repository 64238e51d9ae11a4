// Snapshot: the texts of a workspace at one moment, parsed, with the modules that they make. It
// never changes; threads may share it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "ide/place.h"

namespace kinu::ide {

/// A diagnostic of a file. Texts are those of `validate -json`.
struct Problem {
  Severity severity = Severity::kError;
  std::string summary;
  std::string detail;
  Span span;
  bool is_deprecation = false;
  friend bool operator==(const Problem&, const Problem&) = default;
};
/// The diagnostics of files by path. Those that belong to no file stand at the path of the
/// directory of their root.
using Problems = std::map<std::string, std::vector<Problem>>;

class Snapshot {
 public:
  struct Parts;
  explicit Snapshot(std::unique_ptr<const Parts> parts);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  /// The text of a file of the workspace, or null. It is that of the editor if it is open there.
  Ref<const SourceFile> Text(const std::string& path) const;
  /// What is wrong with the syntax of one file.
  std::vector<Problem> SyntaxProblems(const std::string& path) const;
  /// The directories of the root modules that a file belongs to: those that reach its directory by
  /// calls or read it otherwise, or the directory itself.
  std::vector<std::string> RootsOf(const std::string& path) const;
  /// Checks a root module with all that it calls, as `validate` does, without any process. Nothing
  /// if `abandoned` became true meanwhile.
  std::optional<Problems> CheckRoot(const std::string& directory,
                                    const std::atomic<bool>& abandoned) const;
  /// The same, to its end.
  Problems CheckRoot(const std::string& directory) const;

  /// What the answers are made of.
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const Parts> parts_;
};

}  // namespace kinu::ide
