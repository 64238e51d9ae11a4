// Modules: shared objects of this program that are loaded when a command first needs them.
#pragma once

#include <string_view>

#include "base/result.h"

namespace kinu {

/// Loads a module and finds a symbol in it. Searches the directory of the executable, then the
/// library directories relative to it. A loaded module is never unloaded. `purpose` completes "the
/// module ..." in errors. Thread-safe.
Result<void*> FindModuleSymbol(std::string_view module, const char* symbol,
                               std::string_view purpose);

}  // namespace kinu
