// RemainingFiles: the files of a root without the parts that have errors, for a check of what is
// certain nevertheless.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/source_files.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::ide {

/// Belongs to one thread. `below` outlives this, and this outlives what is loaded from it.
class RemainingFiles final : public config::FilesOver {
 public:
  /// Once `abandoned` is true, nothing of it is used any more.
  RemainingFiles(const config::SourceFiles& below, const std::atomic<bool>& abandoned)
      : FilesOver(below), abandoned_(abandoned) {}
  /// Leaves out what does not parse.
  Result<std::string> Read(const std::string& dir, const std::string& name) const override;
  std::optional<config::ParsedSource> Parsed(const std::string& dir,
                                             const std::string& name) const override;
  bool HasGaps(const std::string& dir) const override;

  /// Leaves out the blocks with these errors, too. False if it cannot.
  bool LeaveOut(const Diagnostics& errors);
  /// What does not parse may change any part of the configuration, so that nothing is certain.
  bool is_lost() const { return is_lost_; }
  /// Why parts were left out that do not parse.
  const Diagnostics& syntax() const { return syntax_; }

 private:
  bool LeaveOut(const Diagnostic& error);
  /// The text of a file that does not parse. Nothing: it does.
  std::optional<std::string> Mend(const std::string& dir, const std::string& name,
                                  const std::string& text) const;
  /// The file has only this part of its text from now on.
  void Keep(const std::string& dir, const std::string& name, std::string_view before,
            std::string text) const;

  const std::atomic<bool>& abandoned_;
  mutable std::map<std::string, std::string> texts_;    // by path: what is left of files
  mutable std::set<std::string> gaps_;                  // directories
  mutable std::vector<Ref<const SourceFile>> sources_;  // that diagnostics point into
  mutable std::vector<std::unique_ptr<hcl::SyntaxTree>> trees_;
  mutable Diagnostics syntax_;
  mutable bool is_lost_ = false;
};

}  // namespace kinu::ide
