// Installs modules: fetches those that are missing and writes the manifest.
#pragma once

#include <string>
#include <vector>

#include "session/load.h"
#include "session/narrator.h"

namespace kinu::session {

/// How InstallModules() works.
struct ModuleInstallRequest {
  std::span<const config::VariableArgument> variables = {};  ///< of the command line
  AskVariable ask = {};                                      ///< as LoadRequest::ask
  bool again = false;       ///< fetch and report all modules, installed or not
  bool show_paths = true;   ///< report their directories
  bool only_fetch = false;  ///< see LoadIntent::kFetch
  /// The directory of test files, whose modules are installed too; empty: none.
  std::string test_directory = {};
  bool encryption_off = false;  ///< as LoadRequest::encryption_off
  /// Where files are read.
  const config::SourceFiles& files = config::DiskFiles();
};

/// Loads the configuration as installation does: fetches modules that are not installed, follows
/// local directories wherever they are, and reports the modules that it found. The manifest is not
/// written.
Loaded InstallModules(const Workspace& workspace, const ModuleInstallRequest& request,
                      Narrator& narrator, Diagnostics& diags);
/// Writes the manifest into the data directory.
void WriteModuleManifest(const Workspace& workspace, const Loaded& loaded, Diagnostics& diags);

}  // namespace kinu::session
