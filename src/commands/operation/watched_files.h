// WatchedFiles: the files that a plan depends on, and whether they are still what they were.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/parsed_files.h"
#include "operation/operation.h"

namespace kinu::operation {

class WatchedFiles {
 public:
  enum class Change : uint8_t {
    kNone,
    kConfiguration,  ///< what OpenAgain() reads
    kAll,            ///< also what only Open() reads
  };

  WatchedFiles(const session::Workspace& workspace, const PlanRequest& request);

  /// A plan begins: what is there now is what it sees.
  void Begin();
  /// The plan is made: it has read `files`. `operation` was opened, or `opened` is false.
  void Finish(const config::ParsedFiles& files, const Operation& operation, bool opened);
  /// Compares with what the last plan saw. A state that somebody has locked is not looked at yet.
  Change Compare() const;
  /// The directories in which these files are, or could come to be.
  std::vector<std::string> Directories() const;

 private:
  using Stamps = std::map<std::string, std::string>;  ///< of files, by path

  /// All files that could be about the configuration.
  Stamps OfConfiguration() const;
  Stamps OfState() const;
  bool HasOtherSources() const;
  /// Adds the files in a directory and in those below it.
  void AddDirectory(const std::string& directory, int depth, const std::set<std::string>& written,
                    Stamps& out) const;
  /// Whether a file can be about the configuration.
  bool IsSource(const std::string& path) const;

  std::set<std::string> directories_;  ///< of modules
  std::set<std::string> files_;        ///< wherever they are
  std::set<std::string> state_files_;  ///< what only Open() reads
  std::string lock_info_;              ///< of the state; looked at after a plan that failed
  bool opened_ = false;
  const config::ParsedFiles* sources_ = nullptr;
  Stamps configuration_;  ///< also of files that are none of it
  Stamps state_;
};

}  // namespace kinu::operation
