// The `main` of each unit test: its temporary files stand in one directory, which goes with it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace {

/// Makes an empty directory, which testing::TempDir() answers from now on. Empty if there is none.
std::string MakeTemporaryDirectory() {
  std::string path = testing::TempDir() + "kinu-test-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return {};
  }
  setenv("TEST_TMPDIR", (path + "/").c_str(), 1);
  return path;
}

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  const std::string directory = MakeTemporaryDirectory();
  if (directory.empty()) {
    std::perror("no temporary directory");
    return 1;
  }
  const int status = RUN_ALL_TESTS();
  std::error_code failed;
  std::filesystem::remove_all(directory, failed);
  return status;
}
