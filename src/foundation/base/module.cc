#include "base/module.h"

#include <array>

#include <dlfcn.h>
#include <unistd.h>

#include "base/files.h"

namespace kinu {
namespace {

/// Directories to search, relative to that of the executable.
constexpr std::array<std::string_view, 3> kPlaces = {"", "../lib/kinu", "../../lib/kinu"};

}  // namespace

Result<void*> FindModuleSymbol(std::string_view module, const char* symbol,
                               std::string_view purpose) {
  std::array<char, 4096> executable;
  const ssize_t size = readlink("/proc/self/exe", executable.data(), executable.size());
  if (size <= 0) {
    return Fail(ErrorCode::kIo, "cannot find the path of the running program");
  }
  const std::string directory =
      DirName(std::string_view(executable.data(), static_cast<size_t>(size)));
  std::string tried;
  for (const std::string_view place : kPlaces) {
    const std::string path = JoinPath(JoinPath(directory, place), module);
    if (!FileExists(path)) {
      tried += tried.empty() ? path : ", " + path;
      continue;
    }
    // Modules bind their own symbols at once. The some thirty libraries below them bind those that
    // are called: a millisecond less.
    void* loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (loaded == nullptr) {
      const char* why = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one per thread
      return Fail(ErrorCode::kIo,
                  "cannot load the module " + std::string(purpose) + ": " + std::string(why));
    }
    void* found = dlsym(loaded, symbol);
    if (found == nullptr) {
      return Fail(ErrorCode::kInvalid, path + " belongs to another version of this program");
    }
    return found;
  }
  return Fail(ErrorCode::kNotFound, "the module " + std::string(purpose) +
                                        " is not installed (looked for " + tried + ")");
}

}  // namespace kinu
