#include <gtest/gtest.h>

#include "base/arena.h"
#include "base/files.h"
#include "base/flat_map.h"

namespace kinu {
namespace {

TEST(Paths, CleanAsGo) {
  EXPECT_EQ(CleanPath(""), ".");
  EXPECT_EQ(CleanPath("a/./b/../c"), "a/c");
  EXPECT_EQ(CleanPath("/../a//b/"), "/a/b");
  EXPECT_EQ(CleanPath("../../x"), "../../x");
  EXPECT_EQ(JoinPath("a", "../b"), "b");
  EXPECT_EQ(DirName("a/b/c"), "a/b");
  EXPECT_EQ(DirName("c"), ".");
  EXPECT_EQ(BaseName("a/b/"), "b");
}

TEST(Files, ReplaceIsReadBackAndLeavesNothingBeside) {
  std::string dir = ::testing::TempDir() + "/kinu_files_" + RandomUuid();
  ASSERT_TRUE(MakeDirectories(dir + "/x/y"));
  std::string path = dir + "/x/y/file";
  ASSERT_TRUE(ReplaceFile(path, "one"));
  ASSERT_TRUE(ReplaceFile(path, std::string(100000, 'z')));
  EXPECT_EQ(ReadFile(path)->size(), 100000u);
  EXPECT_EQ(ListDirectory(dir + "/x/y")->size(), 1u);
}

TEST(Files, MissingFileIsNotFoundInGoWords) {
  auto result = ReadFile("/nonexistent/file");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(result.error().message, "open /nonexistent/file: no such file or directory");
}

TEST(Arena, LargeAndSmallObjectsKeepTheirContent) {
  Arena arena;
  std::string big(3 << 20, 'b');
  std::string_view a = arena.CopyString("small");
  std::string_view b = arena.CopyString(big);
  std::string_view c = arena.CopyString("after");
  EXPECT_EQ(a, "small");
  EXPECT_EQ(b, big);
  EXPECT_EQ(c, "after");
}

TEST(FlatMap, LooksUpByView) {
  FlatMap<std::string, int> map;
  map["one"] = 1;
  EXPECT_EQ(map.find(std::string_view("one"))->second, 1);
  EXPECT_TRUE(map.find(std::string_view("two")) == map.end());
}

}  // namespace
}  // namespace kinu
