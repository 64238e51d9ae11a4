// Installing local modules, as `init` and `get` report it.
#pragma once

#include "cli/narrator.h"
#include "cli/operation.h"

namespace kinu::cli {

struct ModuleInstall {
  bool again = false;       ///< report all modules, not only those that the manifest lacks
  bool show_paths = true;   ///< with their directories
  bool only_fetch = false;  ///< see LoadIntent::kFetch
  /// Directory of test files, whose modules are installed too; empty: none.
  std::string test_directory = {};
};

/// Loads the configuration of the working directory as installation does and reports the modules
/// that it found.
Loaded InstallModules(const Invocation& invocation,
                      std::span<const config::VariableArgument> arguments,
                      const ModuleInstall& install, Narrator& narrator, Diagnostics& diags);

}  // namespace kinu::cli
