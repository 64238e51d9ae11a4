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
  EXPECT_EQ(Completions("tofu -"), (Words{"-chdir", "-help", "-install-autocomplete",
                                          "-uninstall-autocomplete", "-version"}));
}

TEST(Completions, OldNames) {
  EXPECT_EQ(Completions("tofu en"), (Words{"env"}));
  EXPECT_EQ(Completions("tofu pu"), (Words{"push"}));
  EXPECT_EQ(Completions("tofu env "), (Words{"delete", "list", "new", "select"}));
  EXPECT_EQ(Completions("tofu workspace "), (Words{"delete", "list", "new", "select", "show"}));
}

class InDirectory : public testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::string name = testing::TempDir() + "kinu-complete-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    std::filesystem::current_path(name);
  }
  void TearDown() override {
    const std::filesystem::path directory = std::filesystem::current_path();
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(directory);
  }
  std::filesystem::path before_;
};

TEST_F(InDirectory, Workspaces) {
  ASSERT_TRUE(ReplaceFile("main.tf", "output \"a\" {\n  value = 1\n}\n"));
  std::filesystem::create_directories("terraform.tfstate.d/other");
  EXPECT_EQ(Completions("tofu workspace select "), (Words{"default", "other"}));
  EXPECT_EQ(Completions("tofu workspace delete o"), (Words{"other"}));
  EXPECT_EQ(Completions("tofu workspace select other "), Words{});
  ASSERT_TRUE(ReplaceFile(
      "main.tf", "terraform {\n  backend \"local\" {\n    workspace_dir = \"w\"\n  }\n}\n"));
  std::filesystem::create_directories("w/third");
  EXPECT_EQ(Completions("tofu workspace select "), (Words{"default", "third"}));
  ASSERT_TRUE(ReplaceFile("main.tf", "terraform {"));
  EXPECT_EQ(Completions("tofu workspace select "), Words{});
}

TEST_F(InDirectory, Directories) {
  std::filesystem::create_directories("a/b");
  EXPECT_EQ(Completions("tofu init "), (Words{"a/"}));
  EXPECT_EQ(Completions("tofu init a/"), (Words{"a/b/"}));
}

}  // namespace
}  // namespace kinu::cli
