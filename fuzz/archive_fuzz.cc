// Fuzzes archives: nothing is written outside of the directory, and nothing but files and
// directories is made. The first byte selects the form that is accepted.

#include <cstdint>
#include <filesystem>
#include <string>

#include <unistd.h>

#include "base/files.h"
#include "base/invariant.h"
#include "install/module/unpack.h"
#include "install/zip_package.h"

namespace {

namespace fs = std::filesystem;

/// A directory of this process, in memory where possible.
const std::string& Root() {
  static const std::string root = [] {
    const std::string base = fs::is_directory("/dev/shm") ? "/dev/shm" : "/tmp";
    std::string path = base + "/kinu-fuzz-archive-" + std::to_string(getpid());
    fs::create_directories(path);
    return path;
  }();
  return root;
}

void CheckWhatWasMade(const std::string& target) {
  size_t beside = 0;
  for (const auto& entry : fs::directory_iterator(Root())) {
    beside += entry.path().filename() == "archive" || entry.path().filename() == "inner" ? 0 : 1;
  }
  for (const auto& entry : fs::directory_iterator(Root() + "/inner")) {
    beside += entry.path().filename() == "target" ? 0 : 1;
  }
  KINU_INVARIANT(beside == 0, "nothing is written outside of the directory");
  for (const auto& entry : fs::recursive_directory_iterator(target)) {
    KINU_INVARIANT(!entry.is_symlink() && (entry.is_regular_file() || entry.is_directory()),
                   "only files and directories are made");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kinu;  // NOLINT(google-build-using-namespace): one function
  constexpr const char* kForms[] = {"zip", "", "tar.gz", "tar.xz", "tar.bz2"};
  if (size == 0) {
    return 0;
  }
  const std::string form = kForms[data[0] % std::size(kForms)];
  const std::string archive = Root() + "/archive";
  const std::string target = Root() + "/inner/target";
  fs::create_directories(target);
  KINU_INVARIANT(
      ReplaceFile(archive, {reinterpret_cast<const char*>(data) + 1, size - 1}).has_value(),
      "the archive can be written");
  static_cast<void>(install::UnpackArchive(archive, target, 022, form));
  CheckWhatWasMade(target);
  // Ordinary zip archives are read without libarchive. Others need a module, which is not here.
  fs::remove_all(target);
  fs::create_directories(target);
  static_cast<void>(install::UnpackPackage(archive, target, form));
  CheckWhatWasMade(target);
  fs::remove_all(Root() + "/inner");
  return 0;
}
