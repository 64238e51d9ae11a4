// Loads the gRPC module when the first provider process is needed.
#pragma once

#include "base/result.h"
#include "plugin/transport.h"

namespace kinu::plugin {

/// The module's runtime; loaded once, never unloaded. Looked for beside the executable and in the
/// library directories relative to it. Thread-safe.
Result<PluginRuntime*> LoadPluginRuntime();

}  // namespace kinu::plugin
