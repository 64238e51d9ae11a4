// Installing local modules: telling which there are and writing the manifest.
#pragma once

#include "cli/operation.h"

namespace kinu::cli {

/// One line per module call, parents first: "- m.inner in m/inner".
std::string ModuleLines(const Loaded& loaded);
/// Writes modules.json into the data directory.
void WriteModuleManifest(const Invocation& invocation, const Loaded& loaded, Diagnostics& diags);

}  // namespace kinu::cli
