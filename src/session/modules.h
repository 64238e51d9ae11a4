// Installing local modules: which there are, and the manifest that says so.
#pragma once

#include <string>
#include <vector>

#include "session/load.h"

namespace kinu::session {

/// A module that a configuration calls.
struct FoundModule {
  std::vector<std::string> names;  ///< of the calls that lead to it
  std::string dir;                 ///< empty: it was not found
  std::string source;

  /// The names with dots between them.
  std::string Key() const;
};

struct ModuleInstallation {
  Loaded loaded;
  /// What the manifest lacked or had otherwise; with `all`, everything. In the order of names.
  std::vector<FoundModule> modules;
};

/// Loads a configuration as installation does, following local directories wherever they are. The
/// intent of `request` is kInstallation or kFetch.
ModuleInstallation FindModules(const Workspace& workspace, const LoadRequest& request, bool all,
                               Diagnostics& diags);
/// Writes the manifest into the data directory.
void WriteModuleManifest(const Workspace& workspace, const Loaded& loaded, Diagnostics& diags);

}  // namespace kinu::session
