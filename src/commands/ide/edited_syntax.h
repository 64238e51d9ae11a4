// EditedSyntax: what is wrong with the syntax of texts that are being edited, without a snapshot.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hcl/syntax_checker.h"
#include "ide/snapshot.h"

namespace kinu::ide {

/// Not thread-safe. Costs little if a text is not much different from its last one.
class EditedSyntax {
 public:
  /// What Snapshot::SyntaxProblems() says of a file with this text. Nothing for JSON.
  std::optional<std::vector<Problem>> Problems(const std::string& path, const std::string& text);
  /// The file is not edited any more.
  void Forget(const std::string& path) { checkers_.erase(path); }

 private:
  std::map<std::string, hcl::SyntaxChecker> checkers_;
};

}  // namespace kinu::ide
