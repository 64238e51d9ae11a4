// The files of a configuration as one archive, for a service that runs it.
// Ref: github.com/hashicorp/go-slug.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::operation {

/// What the file .terraformignore says, after what is left out anyway: .git and .terraform but for
/// the modules in it.
class IgnoredFiles {
 public:
  /// `text`: of the file; lines with patterns as in .gitignore.
  explicit IgnoredFiles(std::string_view text);
  /// `path`: relative, of a directory with a slash at its end.
  bool Ignores(std::string_view path) const;
  /// Whether nothing in that directory can be wanted.
  bool IgnoresAll(std::string_view directory) const;

 private:
  struct Rule {
    std::string pattern;
    bool negated = false;
  };
  std::vector<Rule> rules_;
};

/// A compressed tar archive of a directory. Links to places inside of it stay links; others are
/// replaced by what they lead to.
Result<std::string> ArchiveConfiguration(const std::string& directory);

}  // namespace kinu::operation
