#include "cli/autocomplete.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"

namespace kinu::cli {
namespace {

using Words = std::vector<std::string>;

TEST(Completions, CommandsAndFlags) {
  EXPECT_EQ(Completions("tofu des"), (Words{"destroy"}));
  EXPECT_EQ(Completions("tofu workspace s"), (Words{"select", "show"}));
  EXPECT_EQ(Completions("tofu -chdir=x state re"), (Words{"replace-provider"}));
  EXPECT_EQ(Completions("tofu output -ra"), (Words{"-raw"}));
  EXPECT_EQ(Completions("tofu plan nothing-like-it"), Words{});
  EXPECT_GT(Completions("tofu ").size(), 15U);
}

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
}  // namespace kinu::cli
