#include "compatibility/level.h"

#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/loop_threads.h"
#include "base/thread.h"
#include "compatibility/features.h"

namespace kinu::compatibility {
namespace {

TEST(LevelTest, NamesReleases) {
  EXPECT_EQ(NameOf(Level::kSeries12), "1.12");
  EXPECT_EQ(ReleaseOf(Level::kSeries12), "1.12.6");
  EXPECT_EQ(FullReleaseOf(Level::kSeries12), "1.12.6");
  EXPECT_EQ(ReleaseOf(Level::kSeries13), "1.13.0");
  EXPECT_EQ(FullReleaseOf(Level::kSeries13), "1.13.0-dev");
  EXPECT_EQ(LevelOfRelease("1.13.0-dev"), Level::kSeries13);
  EXPECT_EQ(LevelOfRelease("1.12.5"), std::nullopt);
}

TEST(LevelTest, StartsAtTheOldest) {
  EXPECT_EQ(Current(), Level::kSeries12);
}

TEST(LevelTest, BelongsToTheWorkThatChoseIt) {
  std::vector<Level> seen(64, Level::kSeries12);
  {
    const OwnLevel own;
    BigThread([] { Choose(Level::kSeries13); }).Join();
    EXPECT_EQ(Current(), Level::kSeries13);
    LoopThreads(4).Run(seen.size(), 4, [&](size_t i) { seen[i] = Current(); });
    Level elsewhere = Level::kSeries13;
    std::thread([&] { elsewhere = Current(); }).join();
    EXPECT_EQ(elsewhere, Level::kSeries12);
    const OwnLevel inside;
    EXPECT_EQ(Current(), Level::kSeries13) << "it begins at what is around it";
  }
  EXPECT_EQ(seen, std::vector<Level>(64, Level::kSeries13));
  EXPECT_EQ(Current(), Level::kSeries12);
}

TEST(LevelTest, SetsHaveWhatWasAdded) {
  LevelSet all;
  EXPECT_TRUE(all.empty());
  all.Add(Level::kSeries13);
  EXPECT_EQ(all.Oldest(), Level::kSeries13);
  all.Add(Level::kSeries12);
  EXPECT_EQ(all.Oldest(), Level::kSeries12);
  LevelSet older;
  older.Add(Level::kSeries12);
  EXPECT_TRUE(all.Common(older).Has(Level::kSeries12));
  EXPECT_FALSE(all.Common(older).Has(Level::kSeries13));
}

TEST(FeaturesTest, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const FeatureRow& row : Features()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.shows.empty()) << row.name;
  }
}

TEST(FeaturesTest, ReachLevels) {
  EXPECT_TRUE(Has(Feature::kConvertFunction, Level::kSeries12));
  EXPECT_FALSE(Has(Feature::kListedFunctions, Level::kSeries12));
  EXPECT_TRUE(Has(Feature::kListedFunctions, Level::kSeries13));
}

}  // namespace
}  // namespace kinu::compatibility
