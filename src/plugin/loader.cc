#include "plugin/loader.h"

#include "base/module.h"

namespace kinu::plugin {
namespace {

Result<PluginRuntime*> Load() {
  KINU_TRY(void* symbol,
           FindModuleSymbol("kinu-plugin.so", kTransportSymbol, "that talks to providers"));
  PluginRuntime* runtime = reinterpret_cast<PluginRuntimeFunction>(symbol)(kTransportVersion);
  if (runtime == nullptr) {
    return Fail(ErrorCode::kInvalid, "kinu-plugin.so belongs to another version of this program");
  }
  return runtime;
}

}  // namespace

Result<PluginRuntime*> LoadPluginRuntime() {
  static const Result<PluginRuntime*> kRuntime = Load();
  return kRuntime;
}

}  // namespace kinu::plugin
