// The problems of files as they are known now: those of their syntax, and those that the check of
// each root has found.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ide/snapshot.h"
#include "lsp/positions.h"

namespace kinu::lsp {

using ProblemList = std::vector<ide::Problem>;

class ProblemStore {
 public:
  /// The text of an open file is this one now: what the checks found moves with its letters. Null:
  /// the file is closed.
  void SetText(const std::string& path, std::shared_ptr<const Text> text);
  void SetSyntax(const std::string& path, ProblemList problems);
  /// Replaces what the check of a root has found before. Returns the files that had or have
  /// problems of that root.
  std::set<std::string> SetRoot(const std::string& root, const ide::Problems& problems);
  /// The problems of a file, sorted, each once.
  ProblemList Of(const std::string& path) const;
  /// The files that have problems.
  std::set<std::string> Paths() const;

 private:
  struct File {
    std::shared_ptr<const Text> text;  // null: not open
    ProblemList syntax;
    std::map<std::string, ProblemList> of_roots;
  };
  std::map<std::string, File> files_;
};

/// Moves problems of a text along with its letters into another text. Those inside the changed part
/// are dropped.
void MoveProblems(ProblemList& problems, std::string_view before, std::string_view after);

}  // namespace kinu::lsp
