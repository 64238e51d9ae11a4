#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/address_space.h"
#include "base/arena.h"
#include "base/digraph.h"
#include "base/file_replacement.h"
#include "base/files.h"
#include "base/flat_map.h"
#include "base/loop_threads.h"
#include "base/mode_mask.h"
#include "base/packed_pointer.h"
#include "base/pieces.h"
#include "base/rare.h"
#include "base/reserve.h"
#include "base/same_text.h"
#include "base/sort_runs.h"
#include "base/symbol.h"
#include "base/thread.h"

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

TEST(Files, ReplaceLeavesNoTemporaryFile) {
  std::string dir = ::testing::TempDir() + "/kinu_files_" + RandomUuid();
  ASSERT_TRUE(MakeDirectories(dir + "/x/y"));
  std::string path = dir + "/x/y/file";
  ASSERT_TRUE(ReplaceFile(path, "one"));
  ASSERT_TRUE(ReplaceFile(path, std::string(100000, 'z')));
  EXPECT_EQ(ReadFile(path)->size(), 100000u);
  EXPECT_EQ(ListDirectory(dir + "/x/y")->size(), 1u);
}

TEST(Files, AReplacementIsCompleteOrDiscarded) {
  const std::string dir = ::testing::TempDir() + "/kinu_files_" + RandomUuid();
  ASSERT_TRUE(MakeDirectories(dir));
  const std::string path = dir + "/file";
  for (const bool commit : {true, false}) {
    Result<FileReplacement> file = FileReplacement::Start(path);
    ASSERT_TRUE(file.has_value());
    file->Write(commit ? "one" : "two");
    file->Write(" more");
    if (commit) {
      EXPECT_FALSE(FileExists(path));
      ASSERT_TRUE(file->Commit());
    }
  }
  EXPECT_EQ(ReadFile(path).value_or(""), "one more");
  EXPECT_EQ(ListDirectory(dir)->size(), 1u);
  EXPECT_FALSE(FileReplacement::Start(dir + "/missing/file"));
}

TEST(Files, TheModeMaskIsReadWithoutAChange) {
  const mode_t before = ::umask(027);
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done) {
      EXPECT_EQ(ModeMask(), 027U);
    }
  });
  const std::string folder = testing::TempDir() + "/mode-mask";
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(::mkdir(folder.c_str(), 0777), 0);
    EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms(0750));
    std::filesystem::remove(folder);
  }
  done = true;
  reader.join();
  ::umask(before);
}

TEST(Files, LinksAreEvaluatedWhereverTheyAre) {
  namespace fs = std::filesystem;
  const std::string before = fs::current_path();
  const std::string root = testing::TempDir() + "kinu_links_" + std::to_string(::getpid());
  fs::create_directories(root + "/a/b/c");
  fs::current_path(root);
  fs::create_directory_symlink("a/b", "to-b");
  fs::create_directory_symlink("../..", "a/b/up");
  fs::create_directory_symlink(root + "/a", "absolute");
  fs::create_directory_symlink("to-b/", "again");
  fs::create_symlink("loop", "loop");
  fs::create_symlink("nowhere/x", "dangling");
  EXPECT_TRUE(ReplaceFile("file", ""));
  EXPECT_EQ(EvaluateLinks("."), ".");
  EXPECT_EQ(EvaluateLinks(".."), "..");
  EXPECT_EQ(EvaluateLinks("a//./b/"), "a/b");
  EXPECT_EQ(EvaluateLinks("to-b/c"), "a/b/c");
  EXPECT_EQ(EvaluateLinks("to-b/.."), "a") << "of the directory, not of the link";
  EXPECT_EQ(EvaluateLinks("again/up"), ".");
  EXPECT_EQ(EvaluateLinks("a/b/up/again/c"), "a/b/c");
  EXPECT_EQ(EvaluateLinks("absolute/b"), root + "/a/b");
  EXPECT_EQ(EvaluateLinks(root + "/to-b/up"), root);
  EXPECT_EQ(EvaluateLinks("file"), "file");
  EXPECT_EQ(EvaluateLinks("gone/x").error().message, "lstat gone: no such file or directory");
  EXPECT_EQ(EvaluateLinks("gone/x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(EvaluateLinks("dangling").error().message, "lstat nowhere: no such file or directory");
  EXPECT_EQ(EvaluateLinks("file/x").error().message, "file: not a directory");
  EXPECT_EQ(EvaluateLinks("loop").error().message, "loop: too many levels of symbolic links");
  fs::current_path(before);
  fs::remove_all(root);
}

TEST(Files, WorkingDirectoryHasTheLinksOfTheShell) {
  namespace fs = std::filesystem;
  const std::string before = fs::current_path();
  const std::string root = testing::TempDir() + "kinu_pwd_" + std::to_string(::getpid());
  fs::create_directories(root + "/real");
  fs::create_directory_symlink("real", root + "/link");
  fs::current_path(root + "/link");
  const std::string real = fs::canonical(root + "/real");
  ::setenv("PWD", (root + "/./link/").c_str(), 1);
  EXPECT_EQ(WorkingDirectory(), root + "/link");
  EXPECT_EQ(AbsolutePath("x"), root + "/link/x");
  for (const char* other : {"/", "link", "/no/such/directory", ""}) {
    ::setenv("PWD", other, 1);
    EXPECT_EQ(WorkingDirectory(), real) << other;
  }
  fs::current_path(before);
  ::setenv("PWD", before.c_str(), 1);
  fs::remove_all(root);
}

TEST(Files, MissingFileHasGosMessage) {
  auto result = ReadFile("/nonexistent/file");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(result.error().message, "open /nonexistent/file: no such file or directory");
}

TEST(Arena, ListsGrowAndAreCleared) {
  Arena arena;
  for (int round = 0; round < 3; ++round) {
    arena.Clear();
    ArenaList<int> list;
    EXPECT_TRUE(list.empty());
    list.Reserve(arena, 3);
    for (int i = 0; i < 5000; ++i) {
      list.Add(arena) = i;
    }
    EXPECT_EQ(std::vector<int>(list.begin(), list.end())[4999], 4999);
    EXPECT_EQ(*(list.begin() + 17), 17);
    list.Shorten(2);
    EXPECT_EQ(list.size(), 2U);
  }
  EXPECT_LT(arena.reserved_bytes(), 200000U);
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

TEST(SymbolTable, InternsEachTextOnceInAllThreads) {
  constexpr size_t kThreads = 4;
  constexpr uint32_t kTexts = 20000;
  SymbolTable table;
  std::array<std::vector<Symbol>, kThreads> found;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&table, &mine = found[t], t] {
      for (uint32_t i = 0; i < kTexts; ++i) {
        mine.push_back(table.Intern("name-" + std::to_string(t % 2 == 0 ? i : kTexts - 1 - i)));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (uint32_t i = 0; i < kTexts; ++i) {
    const std::string text = "name-" + std::to_string(i);
    ASSERT_EQ(table.Text(found[0][i]), text);
    ASSERT_EQ(table.Find(text), found[0][i]);
    for (size_t t = 1; t < kThreads; ++t) {
      ASSERT_EQ(found[t][t % 2 == 0 ? i : kTexts - 1 - i], found[0][i]);
    }
  }
  EXPECT_TRUE(table.Find("other").empty());
  EXPECT_TRUE(table.Intern("").empty());
}

TEST(FlatMap, LooksUpByView) {
  FlatMap<std::string, int> map;
  map["one"] = 1;
  EXPECT_EQ(map.find(std::string_view("one"))->second, 1);
  EXPECT_TRUE(map.find(std::string_view("two")) == map.end());
}

TEST(Digraph, OrderAndCycles) {
  Digraph graph;
  for (int i = 0; i < 5; ++i) {
    graph.AddNode();
  }
  graph.AddEdge(0, 1);
  graph.AddEdge(0, 1);
  graph.AddEdge(1, 2);
  graph.AddEdge(3, 4);
  graph.AddEdge(4, 3);
  graph.AddEdge(2, 2);
  graph.Finish();
  EXPECT_EQ(graph.edge_count(), 4u);
  EXPECT_EQ(graph.Order(), (std::vector<Digraph::Id>{2, 1, 0}));
  EXPECT_EQ(graph.Cycles(), (std::vector<std::vector<Digraph::Id>>{{3, 4}}));
}

TEST(Digraph, DeepChainsNeedNoStack) {
  Digraph graph;
  constexpr Digraph::Id kLength = 200000;
  for (Digraph::Id i = 0; i < kLength; ++i) {
    graph.AddNode();
  }
  for (Digraph::Id i = 0; i + 1 < kLength; ++i) {
    graph.AddEdge(i, i + 1);
  }
  graph.Finish();
  EXPECT_EQ(graph.Order().size(), kLength);
  EXPECT_TRUE(graph.Cycles().empty());
}

TEST(LoopThreads, EachPassRunsOnce) {
  LoopThreads threads(4);
  for (const size_t count : {0, 1, 2, 3, 100, 10007}) {
    std::vector<std::atomic<int>> runs(count);
    threads.Run(count, 4, [&](size_t i) { ++runs[i]; });
    for (const std::atomic<int>& run : runs) {
      ASSERT_EQ(run.load(), 1);
    }
  }
}

TEST(LoopThreads, LoopsInsideOfLoops) {
  LoopThreads threads(3);
  std::atomic<int> runs{0};
  threads.Run(50, 3, [&](size_t) { threads.Run(20, 3, [&](size_t) { ++runs; }); });
  EXPECT_EQ(runs.load(), 1000);
}

TEST(LoopThreads, LoopsOfSeveralThreads) {
  LoopThreads threads(2);
  std::atomic<int> runs{0};
  {
    std::vector<std::unique_ptr<BigThread>> callers;
    for (int i = 0; i < 4; ++i) {
      callers.push_back(std::make_unique<BigThread>([&] {
        for (int loop = 0; loop < 100; ++loop) {
          threads.Run(10, 2, [&](size_t) { ++runs; });
        }
      }));
    }
  }
  EXPECT_EQ(runs.load(), 4000);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(LoopThreads, RunAloneWhereNoThreadCanBeStarted) {
  LoopThreads threads(4);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit nothing_more = {.rlim_cur = 1, .rlim_max = 1};
    setrlimit(RLIMIT_AS, &nothing_more);
    size_t runs = 0;
    threads.Run(100, 4, [&](size_t) { ++runs; });
    _exit(runs == 100 && BigThread::TryStart([] {}) == nullptr ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

#ifndef __SANITIZE_THREAD__
TEST(LoopThreads, ForkedProcessesRunTheirLoops) {
  LoopThreads threads(3);
  std::atomic<size_t> runs{0};
  threads.Run(100, 3, [&](size_t) { ++runs; });
  const pid_t child = fork();  // has none of the threads
  if (child == 0) {
    alarm(10);
    for (int loop = 0; loop < 20; ++loop) {
      threads.Run(100, 3, [&](size_t) { threads.Run(2, 3, [&](size_t) { ++runs; }); });
    }
    _exit(runs == 100 + 20 * 200 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

// After the tests of forked processes: its threads stay.
TEST(LoopThreads, TwoCallsTogether) {
  std::atomic<int> calls = 0;
  RunTogether([&] { calls += 1; },
              [&] { RunTogether([&] { calls += 10; }, [&] { calls += 100; }); });
  EXPECT_EQ(calls, 111);
}

TEST(StreamInPieces, PassesPiecesOnInOrder) {
  for (const size_t count : {0, 1, 15, 16, 17, 5000}) {
    std::string whole;
    for (size_t i = 0; i < count; ++i) {
      whole += std::to_string(i) + ',';
    }
    std::string out;
    size_t longest = 0;
    ASSERT_TRUE(StreamInPieces(
        count, 16,
        [](size_t begin, size_t end, std::string& piece) -> Result<void> {
          for (size_t i = begin; i < end; ++i) {
            piece += std::to_string(i) + ',';
          }
          return {};
        },
        [&](std::string_view piece) {
          out += piece;
          longest = std::max(longest, piece.size());
        }));
    EXPECT_EQ(out, whole);
    EXPECT_LE(longest, 16U * 5);
  }
}

TEST(StreamInPieces, EndsAtTheFirstError) {
  std::string out;
  const Result<void> done = StreamInPieces(
      5000, 16,
      [](size_t begin, size_t, std::string& piece) -> Result<void> {
        piece = std::to_string(begin) + ',';
        return begin >= 64 ? Fail(ErrorCode::kInvalid, std::to_string(begin)) : Result<void>();
      },
      [&](std::string_view piece) { out += piece; });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "64");
  EXPECT_EQ(out, "0,16,32,48,");
}

TEST(Packed, IsReadAsWhatItStandsFor) {
  struct Node {
    uint32_t number = 7;
    PackedPointer<const int> pointer;
    PackedSpan<int> items;
    PackedText text;
  };
  static_assert(alignof(Node) == 4 && sizeof(Node) == 4 + 8 + 12 + 12);
  Node node;
  EXPECT_EQ(node.pointer, nullptr);
  EXPECT_TRUE(node.items.empty());
  EXPECT_EQ(node.text, "");
  const std::vector<int> numbers = {1, 2, 3};
  const std::string text = "text";
  node.pointer = &numbers[1];
  node.items = std::span(numbers);
  node.text = std::string_view(text);
  EXPECT_EQ(*node.pointer, 2);
  EXPECT_EQ(node.items.size(), 3U);
  EXPECT_EQ(node.items.back(), 3);
  EXPECT_EQ(node.items.subspan(1).front(), 2);
  EXPECT_EQ(node.items.first(1).size(), 1U);
  EXPECT_TRUE(std::ranges::equal(node.items, numbers));
  EXPECT_EQ(node.text, "text");
  EXPECT_EQ(std::string_view(node.text).data(), text.data());
}

TEST(ReserveMore, MovesElementsAFewTimesOnly) {
  std::vector<int> list;
  size_t moved = 0;
  for (int i = 0; i < 1000; ++i) {
    const size_t before = list.capacity();
    ReserveMore(list, 3);
    moved += list.capacity() != before ? list.size() : 0;
    EXPECT_GE(list.capacity(), list.size() + 3);
    list.insert(list.end(), 3, i);
  }
  EXPECT_LE(moved, 2 * list.size());
  ReserveMore(list, 0);
  EXPECT_EQ(list.size(), 3000u);
  std::vector<int> once;
  ReserveMore(once, 100);
  EXPECT_EQ(once.capacity(), 100u);
}

TEST(ReserveAddressSpace, TakesWhatThereIs) {
  std::string text = "text";
  ReserveAddressSpace(text, 1000);
  EXPECT_GE(text.capacity(), 1000U);
  const size_t before = text.capacity();
  ReserveAddressSpace(text, 10);
  EXPECT_EQ(text.capacity(), before);
  for (const size_t more_than_there_is : {text.max_size() / 4, SIZE_MAX}) {
    ReserveAddressSpace(text, more_than_there_is);
    EXPECT_EQ(text.capacity(), before);
  }
  EXPECT_EQ(text, "text");
}

TEST(Rare, CopiesAreTheirOwn) {
  Rare<std::string> first;
  EXPECT_FALSE(first.has_value());
  Rare<std::string> second = first;
  EXPECT_FALSE(second);
  first = std::string("one");
  second = first;
  *second += " and two";
  EXPECT_EQ(*first, "one");
  EXPECT_EQ(*second, "one and two");
  const Rare<std::string> third = std::move(second);
  EXPECT_EQ(third->size(), 11U);
  EXPECT_EQ(first.emplace(), "");
}

TEST(Rare, EnsureMakesTheValueOnce) {
  Rare<std::string> text;
  text.Ensure() += "a";
  text.Ensure() += "b";
  EXPECT_EQ(*text, "ab");
  text = std::optional<std::string>();
  EXPECT_FALSE(text.has_value());
}

TEST(RareList, IsAListInTheSizeOfAPointer) {
  RareList<int> list;
  static_assert(sizeof(list) == sizeof(void*));
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.items().empty());
  list.push_back(1);
  list.push_back(2);
  const RareList<int> copy = list;
  list = std::vector<int>();
  EXPECT_EQ(list.size(), 0u);
  EXPECT_EQ(copy.items(), (std::vector<int>{1, 2}));
  EXPECT_EQ(copy[1], 2);
}

TEST(RareText, IsATextInTheSizeOfAPointer) {
  RareText text;
  static_assert(sizeof(text) == sizeof(void*));
  EXPECT_EQ(text.text(), "");
  text = "a";
  const RareText copy = text;
  text = "";
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(copy.text(), "a");
}

TEST(Digraph, FinishDropsDuplicatesAndKeepsEarlierEdges) {
  Digraph graph;
  for (int i = 0; i < 4; ++i) {
    graph.AddNode();
  }
  graph.AddEdge(2, 1);
  graph.AddEdge(2, 0);
  graph.AddEdge(2, 1);
  graph.AddEdge(0, 0);
  graph.Finish();
  graph.AddEdge(3, 1);
  graph.AddEdge(2, 0);
  graph.Finish();
  const auto list = [](std::span<const Digraph::Id> ids) {
    return std::vector<Digraph::Id>(ids.begin(), ids.end());
  };
  EXPECT_EQ(graph.edge_count(), 3u);
  EXPECT_TRUE(graph.dependencies(0).empty());
  EXPECT_EQ(list(graph.dependencies(2)), (std::vector<Digraph::Id>{0, 1}));
  EXPECT_EQ(list(graph.dependencies(3)), (std::vector<Digraph::Id>{1}));
  EXPECT_EQ(list(graph.dependents(1)), (std::vector<Digraph::Id>{2, 3}));
}

/// Sorts pairs by their first members, with the positions as second ones. Returns the comparisons.
size_t SortCounted(std::vector<std::pair<std::string, size_t>>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    items[i].second = i;
  }
  size_t compared = 0;
  SortRuns(items, [&compared](const auto& a, const auto& b) {
    ++compared;
    return a.first < b.first;
  });
  EXPECT_TRUE(std::ranges::is_sorted(items));  // equal names in the order of their positions
  return compared;
}

TEST(SortRuns, NumberedNamesAreMerged) {
  constexpr size_t kCount = 10'000;
  std::vector<std::pair<std::string, size_t>> items;
  for (size_t i = 0; i < kCount; ++i) {
    items.emplace_back("r" + std::to_string(i), 0);
  }
  EXPECT_LT(SortCounted(items), 4 * kCount);
  EXPECT_LT(SortCounted(items), kCount);  // now it is in order
}

TEST(SortRuns, AnyOrderIsSortedAndEqualItemsKeepTheirs) {
  for (const size_t runs : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{15}, size_t{16},
                            size_t{17}, size_t{500}}) {
    std::vector<std::pair<std::string, size_t>> items;
    for (size_t i = 0; i < runs; ++i) {
      for (const char* name : {"a", "b", "b", "c"}) {
        items.emplace_back(name, 0);
      }
    }
    SortCounted(items);
  }
}

}  // namespace
}  // namespace kinu
