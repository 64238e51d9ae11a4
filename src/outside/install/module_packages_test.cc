// Packages of modules that are fetched ahead: who gets the package itself and who a copy.
#include "install/module_packages.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "install/background_jobs.h"
#include "install/once_per_key.h"

namespace kinu::install {
namespace {

class ModulePackagesTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "kinu_packages_" + std::to_string(::getpid());
    ASSERT_TRUE(MakeDirectories(root_));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string At(const std::string& name) const { return root_ + '/' + name; }
  /// A package with a file and a hidden one.
  FetchPackage Package() {
    return [this](const std::string& target) -> Result<void> {
      ++fetches_;
      EXPECT_TRUE(MakeDirectories(target));
      EXPECT_TRUE(ReplaceFile(target + "/main.tf", "one"));
      return ReplaceFile(target + "/.hidden", "two");
    };
  }
  FetchPackage Broken() {
    return [this](const std::string& target) -> Result<void> {
      ++fetches_;
      return Fail(ErrorCode::kIo, "no space in " + target);
    };
  }
  /// "package", "copy" or "nothing".
  std::string What(const std::string& name) const {
    if (FileExists(At(name + "/.hidden"))) {
      return "package";
    }
    return FileExists(At(name + "/main.tf")) ? "copy" : "nothing";
  }

  std::string root_;
  std::atomic<int> fetches_ = 0;
  ModulePackages packages_;
};

TEST_F(ModulePackagesTest, CopyOfALinkedPackageHasItsFiles) {
  ASSERT_TRUE(MakeDirectories(At("p/real")));
  ASSERT_TRUE(ReplaceFile(At("p/real/main.tf"), ""));
  std::filesystem::create_directory_symlink("real", At("p/link"));
  const FetchPackage link = [this](const std::string& target) -> Result<void> {
    std::filesystem::create_directory_symlink(At("p"), target);
    return {};
  };
  ASSERT_TRUE(packages_.Place("p", At("a"), link));
  ASSERT_TRUE(packages_.Place("p", At("b"), link));
  EXPECT_FALSE(IsDirectoryItself(At("a")));
  EXPECT_TRUE(IsDirectoryItself(At("b/real")));
  EXPECT_EQ(std::filesystem::read_symlink(At("b/link")), "real");
}

TEST_F(ModulePackagesTest, DirectoryIsNotCopiedIntoItself) {
  ASSERT_TRUE(MakeDirectories(At("p/data/copies")));
  ASSERT_TRUE(ReplaceFile(At("p/main.tf"), "one"));
  ASSERT_TRUE(CopyModuleFiles(At("p"), At("p/data/copies/a")));
  EXPECT_TRUE(FileExists(At("p/data/copies/a/main.tf")));
  EXPECT_FALSE(FileExists(At("p/data/copies/a/data/copies/a")));
}

TEST_F(ModulePackagesTest, FirstCallHasThePackageAndOthersCopies) {
  ASSERT_TRUE(packages_.Place("p", At("a"), Package()));
  ASSERT_TRUE(packages_.Place("p", At("b"), Package()));
  EXPECT_EQ(What("a"), "package");
  EXPECT_EQ(What("b"), "copy");
  EXPECT_EQ(fetches_, 1);
}

TEST_F(ModulePackagesTest, PackageGoesToTheFirstCallWhoeverItWasFetchedFor) {
  packages_.FetchAhead("p", At("b"), Package());
  packages_.FetchAhead("p", At("c"), Package());
  ASSERT_TRUE(packages_.Place("p", At("a.x"), Package()));
  ASSERT_TRUE(packages_.Place("p", At("b"), Package()));
  packages_.FetchAhead("p", At("c"), Package());
  EXPECT_EQ(What("a.x"), "package");
  EXPECT_EQ(What("b"), "copy");
  EXPECT_EQ(What("c"), "nothing");
  EXPECT_EQ(fetches_, 1);
}

TEST_F(ModulePackagesTest, EachCallTriesABrokenPackageAnew) {
  packages_.FetchAhead("p", At("b"), Broken());
  const auto first = packages_.Place("p", At("a"), Broken());
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().message, "no space in " + At("a"));
  EXPECT_EQ(fetches_, 1);
  EXPECT_FALSE(packages_.Place("p", At("b"), Broken()));
  EXPECT_EQ(fetches_, 2);
  EXPECT_TRUE(packages_.Place("p", At("c"), Package()));
  EXPECT_EQ(What("c"), "package");
}

TEST_F(ModulePackagesTest, WhatWasThereBeforeIsRemoved) {
  ASSERT_TRUE(MakeDirectories(At("a")));
  ASSERT_TRUE(ReplaceFile(At("a/old.tf"), "old"));
  packages_.FetchAhead("p", At("b"), Package());
  ASSERT_TRUE(packages_.Place("p", At("a"), Package()));
  EXPECT_FALSE(FileExists(At("a/old.tf")));
}

TEST_F(ModulePackagesTest, FetchesOnManyThreads) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      packages_.FetchAhead("p" + std::to_string(i % 2), At(std::to_string(i)), Package());
    });
  }
  threads.clear();
  EXPECT_EQ(fetches_, 2);
}

TEST(BackgroundJobs, FinishRunsWhatHasNotBegun) {
  std::promise<void> go;
  std::vector<int> order;
  BackgroundJobs jobs(1);
  std::latch begun(1);
  const size_t slow = jobs.Add([&] {
    begun.count_down();
    go.get_future().wait();
  });
  const size_t waiting = jobs.Add([&] { order.push_back(1); });
  begun.wait();
  jobs.Finish(waiting);  // on this thread: the other one is busy
  EXPECT_EQ(order, std::vector<int>{1});
  go.set_value();
  jobs.Finish(slow);
  jobs.Finish(waiting);
  EXPECT_EQ(order.size(), 1U);
}

TEST(BackgroundJobs, RunsAtOnce) {
  std::latch all(4);
  BackgroundJobs jobs(4);
  for (int i = 0; i < 4; ++i) {
    jobs.Add([&] { all.arrive_and_wait(); });
  }
  jobs.Finish(0);
}

TEST(BackgroundJobs, EndDropsWhatHasNotBegun) {
  std::latch added(1);
  std::atomic<int> done = 0;
  {
    BackgroundJobs jobs(1);
    for (int i = 0; i < 100; ++i) {
      jobs.Add([&] {
        added.wait();
        ++done;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    }
    added.count_down();
  }
  EXPECT_LT(done, 100);
}

TEST(OncePerKey, ComputesOnceOnManyThreads) {
  std::atomic<int> made = 0;
  OncePerKey<int> values;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(values.Get("a", [&] { return ++made; }), 1); });
  }
  threads.clear();
  EXPECT_EQ(values.Get("b", [&] { return ++made; }), 2);
}

}  // namespace
}  // namespace kinu::install
