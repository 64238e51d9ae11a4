// Installs the providers of a working directory, as `init` does: what the configuration and the
// state require, with the lock file. Ref: opentofu internal/command/init.go.
#pragma once

#include <string>
#include <vector>

#include "install/provider_installer.h"
#include "session/load.h"
#include "session/state_migration.h"
#include "state/state.h"

namespace kinu::session {

/// What the configuration requires, with the constraints of all modules together.
install::ProviderRequirements RequiredProviders(const Loaded& loaded, Diagnostics& diags);

/// How InstallProviders() works.
struct ProviderInstallRequest {
  bool upgrade = false;             ///< select the newest allowed versions, whatever is locked
  bool lock_file_readonly = false;  ///< do not change the lock file
  std::vector<std::string> plugin_directories;  ///< of -plugin-dir: search only these
  install::InstallWatch* watch = nullptr;       ///< follows the packages; null: nobody does
};

/// Installs the providers that the configuration and the state require and updates the lock file.
/// The state may be empty; providers of Terraform's registry in it are replaced (AdoptProviders).
/// Reports each step to `dialog`. Returns false after an error.
bool InstallProviders(const Workspace& workspace, const ProviderInstallRequest& request,
                      const Loaded& loaded, state::State& state, InitDialog& dialog,
                      Diagnostics& diags);

/// Stores the directories of -plugin-dir in the data directory. Without any, those of an earlier
/// run stay; an empty name alone removes them. Returns false after an error.
bool SavePluginDirectories(const Workspace& workspace, const std::vector<std::string>& directories,
                           Diagnostics& diags);

/// Whether the stored directories of -plugin-dir can be read, if there are any. Commands that may
/// use plugins fail with the error before they read anything else.
/// Ref: opentofu internal/command/workdir/plugin_dirs.go, ForcedPluginDirs.
Result<void> CheckPluginDirectories(const Workspace& workspace);

}  // namespace kinu::session
