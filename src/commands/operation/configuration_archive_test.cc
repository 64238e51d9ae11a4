#include "operation/configuration_archive.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "codec/deflate.h"

namespace kinu::operation {
namespace {

TEST(IgnoredFiles, LeavesOutWhatIsMade) {
  const IgnoredFiles ignored("");
  EXPECT_TRUE(ignored.Ignores(".terraform/providers/x"));
  EXPECT_TRUE(ignored.Ignores("a/.terraform/x"));
  EXPECT_TRUE(ignored.Ignores(".git/config"));
  EXPECT_FALSE(ignored.Ignores(".terraform/modules/modules.json"));
  EXPECT_FALSE(ignored.Ignores("main.tf"));
  EXPECT_FALSE(ignored.Ignores(".terraform.lock.hcl"));
}

TEST(IgnoredFiles, PatternsAreThoseOfTheFile) {
  const IgnoredFiles ignored(
      "# comment\n\n*.log\n/top.tf\nbuild/\n!keep.log\na?c\n[x-z]1\nd\\*e\n");
  for (const char* path :
       {"x.log", "deep/x.log", "top.tf", "build/x", "deep/build/a/b", "abc", "y1", "d*e"}) {
    EXPECT_TRUE(ignored.Ignores(path)) << path;
  }
  for (const char* path : {"keep.log", "deep/top.tf", "a/c", "w1", "dxe", "build"}) {
    EXPECT_FALSE(ignored.Ignores(path)) << path;
  }
}

TEST(ArchiveConfiguration, HasFilesAndLinks) {
  const std::string root = testing::TempDir() + "/archive-" + RandomUuid();
  const std::string outside = root + ".outside";
  const std::string deep = "deep/" + std::string(60, 'x') + '/' + std::string(60, 'y');
  ASSERT_TRUE(MakeDirectories(root + '/' + deep));
  ASSERT_TRUE(MakeDirectories(root + "/.terraform/modules"));
  ASSERT_TRUE(ReplaceFile(root + "/main.tf", "content of main"));
  ASSERT_TRUE(ReplaceFile(root + '/' + deep + "/long.tf", "long"));
  ASSERT_TRUE(ReplaceFile(root + "/.terraform/secret", "secret"));
  ASSERT_TRUE(ReplaceFile(root + "/.terraform/modules/modules.json", "manifest"));
  ASSERT_TRUE(ReplaceFile(outside, "from outside"));
  ASSERT_EQ(::symlink("main.tf", (root + "/inside").c_str()), 0);
  ASSERT_EQ(::symlink(outside.c_str(), (root + "/copied").c_str()), 0);
  const auto archive = ArchiveConfiguration(root);
  ASSERT_TRUE(archive);
  const auto tar = Gunzip(*archive, 1 << 20);
  ASSERT_TRUE(tar);
  EXPECT_EQ(tar->size() % 512, 0U);
  const std::string long_path = "path=" + deep + "/long.tf\n";
  for (const std::string_view text :
       {std::string_view("content of main"), std::string_view("long"), std::string_view("manifest"),
        std::string_view("from outside"), std::string_view(long_path)}) {
    EXPECT_TRUE(tar->contains(text)) << text;
  }
  EXPECT_FALSE(tar->contains("secret"));
  ::unlink((root + "/copied").c_str());
  ASSERT_EQ(::symlink("/nowhere/at/all", (root + "/copied").c_str()), 0);
  EXPECT_FALSE(ArchiveConfiguration(root)) << "what is missing is said";
}

}  // namespace
}  // namespace kinu::operation
