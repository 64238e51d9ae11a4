// Installing local modules: telling which there are and writing the manifest.
#pragma once

#include "cli/narrator.h"
#include "cli/operation.h"

namespace kinu::cli {

struct ModuleInstall {
  bool again = false;      ///< tell of all modules, not only of those that the manifest lacks
  bool show_paths = true;  ///< with their directories
  /// Modules are only fetched: see LoadIntent::kFetch.
  bool only_fetch = false;
  /// Directory of test files, whose modules are installed too; empty: none.
  std::string test_directory = {};
};

/// Loads the configuration of the working directory as installation does: local modules are
/// followed wherever they are. Tells what it found.
Loaded InstallModules(const Invocation& invocation,
                      std::span<const config::VariableArgument> arguments,
                      const ModuleInstall& install, Narrator& narrator, Diagnostics& diags);
/// Writes modules.json into the data directory.
void WriteModuleManifest(const Invocation& invocation, const Loaded& loaded, Diagnostics& diags);

}  // namespace kinu::cli
