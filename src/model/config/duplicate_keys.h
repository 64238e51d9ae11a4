// A warning about object expressions that have a key twice. The language lets the last one count
// and says nothing, so this is for those who ask for it.
#pragma once

#include "config/config.h"

namespace kinu::config {

/// Reports each key that an object expression has twice, in the native files of the root module and
/// of the modules that it calls by local paths.
void WarnOfDuplicateKeys(const Config& config, Diagnostics& diags);

}  // namespace kinu::config
