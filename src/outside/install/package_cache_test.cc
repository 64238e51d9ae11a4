// The cache of module packages: what is stored, who is trusted, what damage does.
#include "install/package_cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/files.h"
#include "install/module_getters.h"
#include "install/stored_clone.h"
#include "net/testing/scripted_transport.h"

namespace kinu::install {
namespace {

namespace fs = std::filesystem;

class PackageCacheTest : public testing::Test {
 protected:
  PackageCacheTest() : root_(testing::TempDir() + "package-cache-" + RandomUuid()) {
    EXPECT_TRUE(MakeDirectories(root_));
  }
  ~PackageCacheTest() override { fs::remove_all(root_); }

  std::string At(const std::string& name) const { return root_ + '/' + name; }
  std::string directory() const { return At("kinu/modules"); }
  /// The text of a file with this content in a cache; "none" if there is none.
  static std::string Find(const PackageCache& cache, const std::string& content) {
    const auto file = cache.Find(DigestOf(content));
    return file ? std::string(file->bytes()) : "none";
  }
  static ContentDigest DigestOf(const std::string& content) {
    return {HashKind::kSha256, HexDigest(HashKind::kSha256, content)};
  }
  static void Store(PackageCache& cache, const std::string& content) {
    cache.Store(DigestOf(content), content);
  }
  std::string PathOf(const std::string& content) const {
    return directory() + '/' + DigestOf(content).FileName();
  }
  std::vector<std::string> Names() const {
    return ListDirectory(directory()).value_or(std::vector<std::string>());
  }

  std::string root_;
};

TEST(ContentDigest, OnlyDigestsThatNoOtherContentHas) {
  const std::string hex(64, 'A');
  EXPECT_EQ(ContentDigest::Parse("sha256:" + hex)->FileName(), "sha256-" + std::string(64, 'a'));
  EXPECT_EQ(ContentDigest::Parse("sha512:" + hex + hex)->FileName(),
            "sha512-" + std::string(128, 'a'));
  for (const std::string& text :
       {"md5:" + std::string(32, 'a'), "sha1:" + std::string(40, 'a'), hex, "sha256:" + hex + "a",
        "sha256:" + std::string(64, 'x'), "sha512:" + hex, std::string("file:https://h/sums"),
        std::string()}) {
    EXPECT_FALSE(ContentDigest::Parse(text)) << text;
  }
}

TEST_F(PackageCacheTest, StoresAndFinds) {
  PackageCache cache(directory());
  EXPECT_EQ(Find(cache, "one"), "none");
  EXPECT_FALSE(FileExists(directory()));  // looking makes nothing
  Store(cache, "one");
  EXPECT_EQ(Find(cache, "one"), "one");
  EXPECT_EQ(Find(cache, "two"), "none");
  EXPECT_EQ(Find(PackageCache(directory()), "one"), "one");
  struct stat info{};
  ASSERT_EQ(stat(PathOf("one").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  ASSERT_EQ(stat(directory().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
  PackageCache off("");
  Store(off, "one");
  EXPECT_EQ(Find(off, "one"), "none");
}

TEST_F(PackageCacheTest, DamagedFilesAreRemoved) {
  PackageCache cache(directory());
  for (const char* damage : {"", "on", "onf", "one more"}) {
    Store(cache, "one");
    ASSERT_TRUE(ReplaceFile(PathOf("one"), damage));
    EXPECT_EQ(Find(cache, "one"), "none");
    EXPECT_FALSE(FileExists(PathOf("one"))) << damage;
  }
}

TEST_F(PackageCacheTest, DirectoriesOfOthersAreNotUsed) {
  PackageCache cache(directory());
  Store(cache, "one");
  for (const std::string& path : {directory(), At("kinu")}) {
    for (const mode_t mode : {0770, 0707}) {
      ASSERT_EQ(chmod(path.c_str(), mode), 0);
      EXPECT_EQ(Find(cache, "one"), "none");
      Store(cache, "two");
      ASSERT_EQ(chmod(path.c_str(), 0700), 0);
      EXPECT_EQ(Find(cache, "two"), "none");
    }
    if (geteuid() == 0) {
      ASSERT_EQ(chown(path.c_str(), 1, 1), 0);
      EXPECT_EQ(Find(cache, "one"), "none");
      ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
    }
  }
  EXPECT_EQ(Find(cache, "one"), "one");
}

TEST_F(PackageCacheTest, FilesOfOthersAreNotUsed) {
  PackageCache cache(directory());
  Store(cache, "one");
  ASSERT_EQ(chmod(PathOf("one").c_str(), 0620), 0);
  EXPECT_EQ(Find(cache, "one"), "none");
  Store(cache, "one");
  EXPECT_EQ(Find(cache, "one"), "one");
  Store(cache, "two");
  fs::remove(PathOf("two"));
  ASSERT_TRUE(ReplaceFile(At("elsewhere"), "two"));
  fs::create_symlink(At("elsewhere"), PathOf("two"));
  EXPECT_EQ(Find(cache, "two"), "none");
  fs::remove(PathOf("two"));
  ASSERT_EQ(mkfifo(PathOf("two").c_str(), 0600), 0);
  EXPECT_EQ(Find(cache, "two"), "none");  // and waits for nobody
}

TEST_F(PackageCacheTest, FilesThatWereNotUsedForLongGo) {
  constexpr int64_t kRoom = 10;
  {
    PackageCache cache(directory(), {.file = 8, .total = kRoom});
    int64_t time = 1'000'000'000;
    for (const char* content : {"aaaa", "bbbb", "cccc"}) {
      Store(cache, content);
      const timespec times[2] = {{time, 0}, {time, 0}};
      ASSERT_EQ(utimensat(AT_FDCWD, PathOf(content).c_str(), times, 0), 0);
      ++time;
    }
    EXPECT_EQ(Find(cache, "aaaa"), "aaaa");  // is the newest now
    Store(cache, "too long for a file");
    EXPECT_EQ(Names().size(), 3U);
  }
  PackageCache cache(directory());
  EXPECT_EQ(Find(cache, "aaaa"), "aaaa");
  EXPECT_EQ(Find(cache, "bbbb"), "none");
  EXPECT_EQ(Find(cache, "cccc"), "cccc");
}

TEST_F(PackageCacheTest, LeftoversOfKilledProcessesGo) {
  {
    PackageCache cache(directory());
    Store(cache, "one");
    ASSERT_TRUE(ReplaceFile(directory() + "/.sha256-x.01234567.new", "half"));
  }
  EXPECT_EQ(Names(), std::vector<std::string>{DigestOf("one").FileName()});
}

TEST_F(PackageCacheTest, AnOpenFileOutlivesItsRemoval) {
  PackageCache cache(directory());
  const std::string large(200'000, 'x');
  Store(cache, large);
  const auto file = cache.Find(DigestOf(large));
  ASSERT_NE(file, nullptr);
  cache.Remove(DigestOf(large).FileName());
  EXPECT_EQ(file->bytes(), large);
  EXPECT_EQ(ReadFile(file->path()).value_or(""), large);
}

TEST_F(PackageCacheTest, ManyThreadsStoreTheSame) {
  PackageCache cache(directory());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Store(cache, "one");
      EXPECT_EQ(Find(cache, "one"), "one");
    });
  }
  threads.clear();
  EXPECT_EQ(Names().size(), 1U);
}

/// A repository of git, and what a getter makes of it.
class StoredCloneTest : public PackageCacheTest {
 protected:
  void SetUp() override {
    Git({"init", "-q", "-b", "main", At("r")});
    ASSERT_TRUE(MakeDirectories(At("r/sub")));
    ASSERT_TRUE(ReplaceFile(At("r/main.tf"), "one"));
    ASSERT_TRUE(ReplaceFile(At("r/sub/run.sh"), "two", 0755));
    fs::create_symlink("../main.tf", At("r/sub/link"));
    ASSERT_TRUE(ReplaceFile(At("r/large"), std::string(300'000, 'x')));
    Commit();
  }
  static std::string Git(std::vector<std::string> words) {
    words.insert(words.begin(), {"git", "-c", "user.name=a", "-c", "user.email=a@example.test",
                                 "-c", "protocol.file.allow=always"});
    CaptureRequest request;
    request.arguments = std::move(words);
    request.merge_errors = true;
    const auto done = CaptureCommand(request);
    EXPECT_TRUE(done && done->exit_code == 0) << (done ? done->output : done.error().message);
    return done ? done->output : "";
  }
  void Commit() {
    Git({"-C", At("r"), "add", "."});
    Git({"-C", At("r"), "commit", "-q", "-m", "m"});
    commit_ = Git({"-C", At("r"), "rev-parse", "HEAD"}).substr(0, 40);
  }
  std::string Address(const std::string& reference) const {
    return "git::file://" + At("r") + "?ref=" + reference;
  }
  bool Get(const std::string& address, const std::string& target) {
    Network network(CliConfig(), {.transport = nullptr, .version = "1", .stop = nullptr});
    PackageCache cache(directory());
    return GetPackage(address, At(target), network, cache).has_value();
  }
  /// Takes the repository away, so that only the cache can answer.
  void Hide() { fs::rename(At("r"), At("hidden")); }
  bool IsStored() const {
    const auto names = Names();
    return std::ranges::any_of(names, [](const auto& name) { return name.starts_with("git-"); });
  }
  /// Kinds, modes and contents of what is below a directory.
  static std::string Tree(const std::string& directory) {
    std::string out;
    const auto names = ListDirectory(directory).value_or(std::vector<std::string>());
    for (const std::string& name : names) {
      const std::string path = directory + '/' + name;
      struct stat info{};
      EXPECT_EQ(lstat(path.c_str(), &info), 0);
      out += name + ' ' + std::to_string(info.st_mode) + '\n';
      if (S_ISDIR(info.st_mode)) {
        out += Tree(path);
      } else if (S_ISLNK(info.st_mode)) {
        out += fs::read_symlink(path).string() + '\n';
      } else {
        out += HexDigest(HashKind::kSha256, ReadFile(path).value_or("?")) + '\n';
      }
    }
    return out;
  }
  std::string commit_;
};

TEST_F(StoredCloneTest, ACommitIsRestoredAsItWasCloned) {
  ASSERT_TRUE(Get(Address(commit_), "a"));
  Hide();
  ASSERT_TRUE(Get(Address(commit_), "b"));
  EXPECT_EQ(Tree(At("b")), Tree(At("a")));
  EXPECT_EQ(Git({"-C", At("b"), "status", "--porcelain"}), "");
  EXPECT_EQ(Git({"-C", At("b"), "fsck"}), "");
  EXPECT_FALSE(Get(Address("main"), "c"));
  EXPECT_FALSE(Get(Address(std::string(40, '0')), "c"));
}

TEST_F(StoredCloneTest, OnlyFullCommitsOfPlainRepositoriesAreStored) {
  for (const std::string& reference : {std::string("main"), commit_.substr(0, 39)}) {
    EXPECT_TRUE(Get(Address(reference), "t" + reference));
  }
  EXPECT_TRUE(Get("git::file://" + At("r"), "none"));
  EXPECT_TRUE(Get(Address("main") + "&depth=1", "shallow"));
  // A branch whose name is that of a commit: its content changes.
  const std::string name(40, 'a');
  Git({"-C", At("r"), "update-ref", "refs/heads/" + name, "HEAD"});
  EXPECT_TRUE(Get(Address(name), "branch"));
  EXPECT_FALSE(IsStored());
  ASSERT_TRUE(ReplaceFile(At("r/.gitattributes"), "*.bin filter=lfs\n"));
  Commit();
  EXPECT_TRUE(Get(Address(commit_), "filtered"));
  EXPECT_FALSE(IsStored());
}

TEST_F(StoredCloneTest, RepositoriesWithSubmodulesAreNotStored) {
  Git({"init", "-q", "-b", "main", At("part")});
  Git({"-C", At("part"), "commit", "-q", "--allow-empty", "-m", "m"});
  Git({"-C", At("r"), "submodule", "add", "-q", "file://" + At("part"), "part"});
  Commit();
  setenv("GIT_ALLOW_PROTOCOL", "file", 1);
  EXPECT_TRUE(Get(Address(commit_), "a"));
  unsetenv("GIT_ALLOW_PROTOCOL");
  EXPECT_FALSE(IsStored());
}

TEST_F(StoredCloneTest, DamageIsFoundWhereverItIs) {
  ASSERT_TRUE(Get(Address(commit_), "whole"));
  const std::string path = directory() + '/' + Names().at(0);
  const std::string content = ReadFile(path).value_or("");
  ASSERT_GT(content.size(), 1000U);
  const auto clone = FixedClone::Of(*net::Url::Parse("file://" + At("r")), commit_);
  const PackageCache cache(directory());
  for (size_t at = 0; at < content.size(); at += content.size() / 50) {
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    for (const std::string& text : {damaged, content.substr(0, at)}) {
      ASSERT_TRUE(ReplaceFile(path, text, 0600));
      EXPECT_FALSE(RestoreClone(cache, *clone, At("b")));
      EXPECT_FALSE(FileExists(At("b")));
      EXPECT_FALSE(FileExists(path));
    }
  }
  EXPECT_TRUE(Get(Address(commit_), "b"));
  EXPECT_EQ(ReadFile(path).value_or("").size(), content.size());
}

TEST_F(StoredCloneTest, AddressesAreNotStored) {
  // A clone of another address, as git makes it.
  const std::string remote = "https://user:secret@git.example.test/private/r.git";
  Git({"clone", "-q", "file://" + At("r"), At("a")});
  Git({"-C", At("a"), "checkout", "-q", commit_});
  Git({"-C", At("a"), "remote", "set-url", "origin", remote});
  for (const char* log : {"HEAD", "refs/heads/main", "refs/remotes/origin/HEAD"}) {
    std::string text = ReadFile(At("a/.git/logs/") + log).value_or("");
    const std::string from = "file://" + At("r");
    text.replace(text.find(from), from.size(), "https://git.example.test/private/r.git");
    ASSERT_TRUE(ReplaceFile(At("a/.git/logs/") + log, text));
  }
  const auto clone = FixedClone::Of(*net::Url::Parse(remote), commit_);
  ASSERT_TRUE(clone);
  PackageCache cache(directory());
  StoreClone(cache, *clone, At("a"));
  ASSERT_TRUE(IsStored());
  const std::string stored = ReadFile(directory() + '/' + Names().at(0)).value_or("");
  for (const char* secret : {"secret", "user:", "example.test/", "private"}) {
    EXPECT_FALSE(stored.contains(secret)) << secret;
  }
  ASSERT_TRUE(RestoreClone(cache, *clone, At("b")));
  EXPECT_EQ(Tree(At("b")), Tree(At("a")));
  // Another user of the repository has the same files with another address.
  const std::string other = "https://other@git.example.test/private/r.git";
  const auto second = FixedClone::Of(*net::Url::Parse(other), commit_);
  ASSERT_TRUE(RestoreClone(cache, *second, At("c")));
  EXPECT_EQ(Git({"-C", At("c"), "remote", "get-url", "origin"}), other + '\n');
  EXPECT_FALSE(RestoreClone(
      cache, *FixedClone::Of(*net::Url::Parse("https://git.example.test/private/s.git"), commit_),
      At("d")));
  // What else has an address or is no part of a clone.
  for (const char* command : {"http.extraheader", "url.https://x/.insteadof"}) {
    cache.Remove(clone->FileName());
    Git({"-C", At("a"), "config", command, "value"});
    StoreClone(cache, *clone, At("a"));
    EXPECT_FALSE(IsStored()) << command;
    Git({"-C", At("a"), "config", "--unset", command});
  }
  ASSERT_TRUE(ReplaceFile(At("a/.git/FETCH_HEAD"), "x"));
  StoreClone(cache, *clone, At("a"));
  EXPECT_FALSE(IsStored());
}

TEST(FixedClone, Addresses) {
  const std::string commit(40, 'a');
  const auto of = [](const std::string& url, const std::string& reference) {
    return FixedClone::Of(*net::Url::Parse(url), reference);
  };
  EXPECT_TRUE(of("ssh://git@github.com/a/b.git", commit));
  EXPECT_TRUE(of("https://github.com/a/b.git", commit + std::string(24, '0')));
  EXPECT_EQ(of("https://t:x@h/b", commit)->FileName(), of("https://h/b", commit)->FileName());
  EXPECT_NE(of("https://h/c", commit)->FileName(), of("https://h/b", commit)->FileName());
  for (const std::string& reference :
       {std::string("main"), std::string(), commit.substr(1), std::string(40, 'A')}) {
    EXPECT_FALSE(of("https://h/b", reference)) << reference;
  }
  for (const char* url : {"https://h/b?token=x", "https://h/b#f", "https://h/b;c", "/a/b"}) {
    EXPECT_FALSE(of(url, commit)) << url;
  }
}

class CachedArchiveTest : public PackageCacheTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(MakeDirectories(At("content")));
    ASSERT_TRUE(ReplaceFile(At("content/main.tf"), "one"));
    CaptureRequest request;
    request.arguments = {"tar", "-czf", At("a.tar.gz"), "-C", At("content"), "main.tf"};
    const auto done = CaptureCommand(request);
    ASSERT_TRUE(done && done->exit_code == 0);
    archive_ = ReadFile(At("a.tar.gz")).value_or("");
    transport_.On("GET " + std::string(kUrl), net::ScriptedTransport::Make(200, archive_));
  }
  bool Get(const std::string& arguments, const std::string& target) {
    Network network(CliConfig(), {.transport = &transport_,
                                  .version = "1",
                                  .stop = nullptr,
                                  .wait = [](std::chrono::milliseconds) { return true; }});
    PackageCache cache(directory());
    const auto done = GetPackage(kUrl + arguments, At(target), network, cache);
    return done && ReadFile(At(target) + "/main.tf") == "one";
  }
  std::string Checksum(const std::string& name, HashKind kind) const {
    return "?checksum=" + name + ':' + HexDigest(kind, archive_);
  }
  static constexpr const char* kUrl = "https://h.test/a.tar.gz";
  net::ScriptedTransport transport_;
  std::string archive_;
};

TEST_F(CachedArchiveTest, IsFetchedOnce) {
  for (const std::string& sum :
       {Checksum("sha256", HashKind::kSha256), Checksum("sha512", HashKind::kSha512)}) {
    const size_t before = transport_.Lines().size();
    EXPECT_TRUE(Get(sum, "a" + sum));
    EXPECT_TRUE(Get(sum, "b" + sum));
    EXPECT_EQ(transport_.Lines().size(), before + 1) << sum;
  }
}

TEST_F(CachedArchiveTest, IsFetchedEachTimeWithoutASum) {
  for (const std::string& sum :
       {std::string(), Checksum("md5", HashKind::kMd5), Checksum("sha1", HashKind::kSha1)}) {
    const size_t before = transport_.Lines().size();
    EXPECT_TRUE(Get(sum, "a" + sum));
    EXPECT_TRUE(Get(sum, "b" + sum));
    EXPECT_EQ(transport_.Lines().size(), before + 2) << sum;
  }
  EXPECT_TRUE(Names().empty());
}

TEST_F(CachedArchiveTest, IsFetchedAgainWhenDamaged) {
  const std::string sum = Checksum("sha256", HashKind::kSha256);
  ASSERT_TRUE(Get(sum, "a"));
  const std::string path = directory() + '/' + Names().at(0);
  ASSERT_TRUE(ReplaceFile(path, archive_.substr(1), 0600));
  EXPECT_TRUE(Get(sum, "b"));
  EXPECT_EQ(transport_.Lines().size(), 2U);
  EXPECT_EQ(ReadFile(path).value_or(""), archive_);
}

TEST_F(CachedArchiveTest, OfAWrongSumIsNotStored) {
  EXPECT_FALSE(Get("?checksum=sha256:" + std::string(64, '0'), "a"));
  EXPECT_TRUE(Names().empty());
}

}  // namespace
}  // namespace kinu::install
