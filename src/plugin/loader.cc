#include "plugin/loader.h"

#include <array>

#include <dlfcn.h>
#include <unistd.h>

#include "base/files.h"

namespace kinu::plugin {
namespace {

constexpr std::string_view kModuleName = "kinu-plugin.so";
/// Directories to search, relative to that of the executable.
constexpr std::array<std::string_view, 3> kPlaces = {"", "../lib/kinu", "../../lib/kinu"};

Result<PluginRuntime*> Load() {
  std::array<char, 4096> executable;
  ssize_t size = readlink("/proc/self/exe", executable.data(), executable.size());
  if (size <= 0) {
    return Fail(ErrorCode::kIo, "cannot find the path of the running program");
  }
  std::string directory = DirName(std::string_view(executable.data(), static_cast<size_t>(size)));
  std::string tried;
  for (std::string_view place : kPlaces) {
    std::string path = JoinPath(JoinPath(directory, place), kModuleName);
    if (!FileExists(path)) {
      tried += tried.empty() ? path : ", " + path;
      continue;
    }
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      const char* why = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one per thread
      return Fail(ErrorCode::kIo, std::string("cannot load the provider module: ") + why);
    }
    auto get = reinterpret_cast<PluginRuntimeFunction>(dlsym(module, kTransportSymbol));
    PluginRuntime* runtime = get == nullptr ? nullptr : get(kTransportVersion);
    if (runtime == nullptr) {
      return Fail(ErrorCode::kInvalid, path + " belongs to another version of this program");
    }
    return runtime;
  }
  return Fail(ErrorCode::kNotFound,
              "the module that talks to providers is not installed (looked for " + tried + ")");
}

}  // namespace

Result<PluginRuntime*> LoadPluginRuntime() {
  static const Result<PluginRuntime*> kRuntime = Load();
  return kRuntime;
}

}  // namespace kinu::plugin
