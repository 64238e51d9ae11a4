// Modules: shared objects of this program that are loaded when a command first needs them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

/// Loads a module and finds a symbol in it. Searches the directory of the executable, then the
/// library directories relative to it. A loaded module is never unloaded. `purpose` completes "the
/// module ..." in errors. Thread-safe.
Result<void*> FindModuleSymbol(std::string_view module, const char* symbol,
                               std::string_view purpose);

/// The functions of a module: what its function `symbol` returns for the version of the interface
/// that this program knows. Fails as FindModuleSymbol() does, and if the module has another
/// version.
template <typename Runtime>
Result<Runtime*> LoadModuleRuntime(std::string_view module, const char* symbol, int version,
                                   std::string_view purpose) {
  KINU_TRY(void* found, FindModuleSymbol(module, symbol, purpose));
  Runtime* runtime = reinterpret_cast<Runtime* (*)(int)>(found)(version);
  if (runtime == nullptr) {
    return Fail(ErrorCode::kInvalid,
                std::string(module) + " belongs to another version of this program");
  }
  return runtime;
}

}  // namespace kinu
