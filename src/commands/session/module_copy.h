// Copies a module into the working directory, as `init -from-module` does. Ref: opentofu
// internal/initwd DirFromModule.
#pragma once

#include <string>

#include "session/modules.h"

namespace kinu::session {

/// Copies the module at `source`, which must be a local directory, into the working directory,
/// which must have no configuration. Then installs the modules that it calls. Returns false after
/// an error.
bool CopyModule(const Workspace& workspace, const std::string& source,
                const ModuleInstallRequest& request, Narrator& narrator, Diagnostics& diags);

}  // namespace kinu::session
