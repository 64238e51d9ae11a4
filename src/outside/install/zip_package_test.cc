// What is unpacked without libarchive equals what libarchive unpacks.
#include "install/zip_package.h"

#include <filesystem>
#include <map>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "codec/hash.h"
#include "codec/zip.h"
#include "install/package_runtime.h"

namespace kinu::install {
namespace {

namespace fs = std::filesystem;

class ZipPackage : public testing::Test {
 protected:
  ZipPackage() : root_(testing::TempDir() + "kinu-zip-" + std::to_string(getpid())) {
    fs::create_directories(root_);
  }
  ~ZipPackage() override { fs::remove_all(root_); }
  ZipPackage(const ZipPackage&) = delete;
  ZipPackage& operator=(const ZipPackage&) = delete;

  std::string Write(const std::string& bytes) const {
    EXPECT_TRUE(ReplaceFile(root_ + "/archive.zip", bytes).has_value());
    return root_ + "/archive.zip";
  }
  std::string Fresh(const std::string& name) const {
    fs::remove_all(root_ + '/' + name);
    fs::create_directories(root_ + '/' + name);
    return root_ + '/' + name;
  }
  /// Names, modes and contents of all that is below a directory.
  static std::map<std::string, std::string> Tree(const std::string& directory) {
    std::map<std::string, std::string> tree;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      struct stat info{};
      EXPECT_EQ(lstat(entry.path().c_str(), &info), 0);
      const std::string path = entry.path().string();
      tree[path.substr(directory.size())] =
          std::to_string(info.st_mode) +
          (entry.is_regular_file() ? ' ' + HexDigest(HashKind::kSha256, *ReadFile(path)) : "");
    }
    return tree;
  }

  std::string root_;
};

/// Sets in the directory of an archive what system made entry `index`, and its attributes.
void SetAttributes(std::string& zip, size_t index, uint8_t system, uint32_t attributes) {
  size_t at = zip.find("PK\x01\x02");
  for (size_t i = 0; i < index; ++i) {
    at = zip.find("PK\x01\x02", at + 1);
  }
  zip[at + 5] = static_cast<char>(system);
  for (int i = 0; i < 4; ++i) {
    zip[at + 38 + static_cast<size_t>(i)] = static_cast<char>(attributes >> (8 * i));
  }
}

constexpr uint8_t kDos = 0;
constexpr uint8_t kUnix = 3;
constexpr uint32_t UnixMode(uint32_t mode) {
  return mode << 16;
}

TEST_F(ZipPackage, EqualsLibarchive) {
  const std::string large(3'000'000, 'x');
  ZipWriter writer;
  writer.Add("plain", "text");
  writer.Add("a/b/program", large);
  writer.Add("a/b/mode", "1", ZipMethod::kStored);
  writer.Add("./c//link", "plain");
  writer.Add("d/", "");
  writer.Add("d/empty", "");
  writer.Add("pipe", "");
  writer.Add("read-only", "2");
  writer.Add("folder", "");
  writer.Add("plain", "again");
  writer.Add("other", large, ZipMethod::kStored);
  std::string zip = writer.Finish();
  SetAttributes(zip, 1, kUnix, UnixMode(0100755));
  SetAttributes(zip, 2, kUnix, UnixMode(0600));
  SetAttributes(zip, 3, kUnix, UnixMode(0120777));
  SetAttributes(zip, 4, kUnix, UnixMode(040700));
  SetAttributes(zip, 5, kUnix, UnixMode(0100000));
  SetAttributes(zip, 6, kUnix, UnixMode(0010644));
  SetAttributes(zip, 7, kDos, 0x01);
  SetAttributes(zip, 8, kDos, 0x10);
  SetAttributes(zip, 9, kUnix, 0);
  const std::string archive = Write(zip);

  FileDigests digests;
  const auto files = UnpackPackage(archive, Fresh("ours"), "zip", &digests);
  ASSERT_TRUE(files.has_value()) << files.error().message;
  const auto runtime = LoadPackageRuntime();
  ASSERT_TRUE(runtime.has_value()) << runtime.error().message;
  const auto theirs = (*runtime)->Unpack(archive, Fresh("theirs"), 022, "zip");
  ASSERT_TRUE(theirs.has_value()) << theirs.error().message;
  EXPECT_EQ(*files, *theirs);
  const auto tree = Tree(root_ + "/ours");
  EXPECT_EQ(tree, Tree(root_ + "/theirs"));
  EXPECT_EQ(*ReadFile(root_ + "/ours/plain"), "again");

  EXPECT_EQ(digests.size(), 8U);
  EXPECT_EQ(digests["a/b/program"], HexDigest(HashKind::kSha256, large));
  EXPECT_EQ(*HashPackage(root_ + "/ours", digests), *HashPackage(root_ + "/theirs"));
}

TEST_F(ZipPackage, WhatIsNotOrdinaryIsLeftToLibarchive) {
  ZipWriter writer;
  writer.Add("a\\b", "text");
  FileDigests digests;
  const auto files = UnpackPackage(Write(writer.Finish()), Fresh("ours"), "zip", &digests);
  ASSERT_TRUE(files.has_value()) << files.error().message;
  EXPECT_EQ(*files, 1U);
  EXPECT_TRUE(digests.empty());
  EXPECT_FALSE(UnpackPackage(Write("PK is no archive"), Fresh("ours"), "zip").has_value());
}

TEST_F(ZipPackage, DamagedContentsAreErrors) {
  ZipWriter writer;
  std::string content;
  while (content.size() < 2'000'000) {
    content += std::to_string(content.size());
  }
  writer.Add("file", content);
  const std::string zip = writer.Finish();
  const size_t entry = zip.find("PK\x01\x02");
  // Its checksum; its size, to either side, and one that cannot be true; its data.
  const std::pair<size_t, int> changes[] = {
      {entry + 16, 1}, {entry + 24, 1}, {entry + 24, -1}, {entry + 27, 0x40}, {60, 1}};
  for (const auto& [at, change] : changes) {
    std::string changed = zip;
    changed[at] = static_cast<char>(changed[at] + change);
    const std::string archive = Write(changed);
    const auto files = UnpackPackage(archive, Fresh("ours"), "zip");
    ASSERT_FALSE(files.has_value()) << at;
    EXPECT_TRUE(files.error().message.contains("archive " + archive)) << files.error().message;
  }
}

TEST_F(ZipPackage, NamesStayBelowTheDirectory) {
  for (const char* name : {"../evil", "a/../../evil", ".."}) {
    ZipWriter writer;
    writer.Add(name, "x");
    EXPECT_FALSE(UnpackPackage(Write(writer.Finish()), Fresh("ours"), "zip").has_value()) << name;
  }
  EXPECT_FALSE(FileExists(root_ + "/evil"));
  ZipWriter writer;
  writer.Add("/etc/passwd", "x");
  EXPECT_TRUE(UnpackPackage(Write(writer.Finish()), Fresh("ours"), "zip").has_value());
  EXPECT_TRUE(FileExists(root_ + "/ours/etc/passwd"));
}

}  // namespace
}  // namespace kinu::install
