#include "engine/packed_lists.h"

#include <vector>

#include <gtest/gtest.h>

namespace kinu::engine {
namespace {

TEST(PackedLists, EachListHasItsItems) {
  PackedLists<int> lists;
  lists.Reserve(3);
  lists.Add(1);
  lists.End();
  lists.End();
  lists.Add(std::vector<int>{2, 3});
  lists.End();
  lists.Shrink();
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_EQ(lists[0].size(), 1u);
  EXPECT_TRUE(lists[1].empty());
  EXPECT_EQ(lists[2][1], 3);
}

}  // namespace
}  // namespace kinu::engine
