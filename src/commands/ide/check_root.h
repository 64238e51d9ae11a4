// Checks a root module as `validate` does, with the texts that an editor has and without any
// process.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "config/source_files.h"
#include "ide/checked_trees.h"
#include "ide/snapshot.h"
#include "session/workspace.h"

namespace kinu::ide {

struct RootCheck {
  const config::SourceFiles& files;  ///< by absolute paths
  CheckedTrees& trees;
  std::string directory;  ///< of the root module, absolute
  /// Directories whose files functions may read.
  std::vector<std::string> readable;
  const install::CliConfig& cli_config;
};

/// Nothing if `abandoned` became true meanwhile.
std::optional<Problems> CheckRoot(const RootCheck& check, const std::atomic<bool>& abandoned);

/// The workspace as the commands see it that run in the directory. Files of the configuration are
/// read from there, all else by absolute paths.
session::Workspace OpenRoot(const std::string& directory, const install::CliConfig& cli_config);

/// The path of a file that a diagnostic of this root names.
std::string PathIn(const std::string& directory, const std::string& name);

}  // namespace kinu::ide
