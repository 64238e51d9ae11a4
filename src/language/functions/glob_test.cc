// Patterns of file names in directories with links.
#include "functions/glob.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"

namespace kinu::functions {
namespace {

namespace fs = std::filesystem;

class GlobTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "kinu_glob_" + std::to_string(::getpid());
    fs::create_directories(root_ + "/sub/deep");
    ASSERT_TRUE(ReplaceFile(root_ + "/a.txt", ""));
    ASSERT_TRUE(ReplaceFile(root_ + "/sub/b.txt", ""));
    ASSERT_TRUE(ReplaceFile(root_ + "/sub/deep/c.txt", ""));
  }
  void TearDown() override { fs::remove_all(root_); }

  /// The matches of a pattern below the root, without it.
  std::vector<std::string> Match(const std::string& pattern) const {
    const auto found = Glob(root_ + "/" + pattern);
    std::vector<std::string> names;
    for (const std::string& path : found ? *found : std::vector<std::string>{"failed"}) {
      names.push_back(path.substr(std::min(path.size(), root_.size() + 1)));
    }
    return names;
  }

  std::string root_;
};

TEST_F(GlobTest, LinksThatLeadBackAreNotFollowed) {
  fs::create_directory_symlink(".", root_ + "/self");
  fs::create_directory_symlink("..", root_ + "/sub/up");
  fs::create_directory_symlink(root_, root_ + "/sub/deep/top");
  EXPECT_EQ(Match("**/*.txt"), (std::vector<std::string>{"a.txt", "sub/b.txt", "sub/deep/c.txt"}));
  EXPECT_EQ(Match("sub/**/*.txt"),
            (std::vector<std::string>{"sub/b.txt", "sub/deep/c.txt", "sub/deep/top/a.txt",
                                      "sub/up/a.txt"}));
  EXPECT_EQ(Match("self/self/*.txt"), (std::vector<std::string>{"self/self/a.txt"}));
}

TEST_F(GlobTest, LinksToOtherDirectoriesAreFollowed) {
  fs::create_directory_symlink("sub/deep", root_ + "/linked");
  EXPECT_EQ(Match("**/c.txt"), (std::vector<std::string>{"linked/c.txt", "sub/deep/c.txt"}));
}

TEST_F(GlobTest, DirectoriesThatLinkToEachOtherFail) {
  // Of n directories with links to all of them there are more than n! paths.
  constexpr int kCount = 12;
  for (int from = 0; from < kCount; ++from) {
    const std::string directory = root_ + "/d" + std::to_string(from);
    fs::create_directory(directory);
    for (int to = 0; to < kCount; ++to) {
      fs::create_directory_symlink("../d" + std::to_string(to),
                                   directory + "/l" + std::to_string(to));
    }
  }
  const auto found = Glob(root_ + "/**");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().find("more than"), std::string::npos);
}

}  // namespace
}  // namespace kinu::functions
