// Installation of completion into the start files of shells.
#include "terminal/shell_completion.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"

namespace kinu::terminal {
namespace {

class Installation : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kinu-complete-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    home_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(home_); }
  std::string home_;
};

TEST_F(Installation, AddsAndRemovesLines) {
  EXPECT_FALSE(InstallCompletion(home_, "/bin/tofu", "tofu"));
  ASSERT_TRUE(ReplaceFile(home_ + "/.bashrc", "alias ll='ls -l'"));
  ASSERT_TRUE(ReplaceFile(home_ + "/.zshrc", ""));
  ASSERT_TRUE(InstallCompletion(home_, "/bin/tofu", "tofu"));
  EXPECT_EQ(*ReadFile(home_ + "/.bashrc"), "alias ll='ls -l'\ncomplete -C /bin/tofu tofu\n");
  EXPECT_EQ(*ReadFile(home_ + "/.zshrc"),
            "autoload -U +X bashcompinit && bashcompinit\n"
            "complete -o nospace -C /bin/tofu tofu\n");
  EXPECT_FALSE(InstallCompletion(home_, "/bin/tofu", "tofu"));
  ASSERT_TRUE(UninstallCompletion(home_, "/bin/tofu", "tofu"));
  EXPECT_EQ(*ReadFile(home_ + "/.bashrc"), "alias ll='ls -l'\n");
  EXPECT_FALSE(UninstallCompletion(home_, "/bin/tofu", "tofu"));
}

}  // namespace
}  // namespace kinu::terminal
