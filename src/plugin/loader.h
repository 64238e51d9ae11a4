// Loads the gRPC module when the first provider process starts.
#pragma once

#include "base/result.h"
#include "plugin/transport.h"

namespace kinu::plugin {

/// The runtime of the module. The module is loaded once and never unloaded. Searches the directory
/// of the executable, then the library directories relative to it. Thread-safe.
Result<PluginRuntime*> LoadPluginRuntime();

}  // namespace kinu::plugin
