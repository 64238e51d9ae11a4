#include "state/copy_on_write.h"

#include <string>

#include <gtest/gtest.h>

namespace kinu::state {
namespace {

TEST(CopyOnWrite, CopiesShareUntilOneChanges) {
  CopyOnWrite<std::string> first(std::string("one"));
  CopyOnWrite<std::string> second = first;
  EXPECT_TRUE(second.Shares(first));
  const std::string* place = &*first;
  second.Own() += " and two";
  EXPECT_FALSE(second.Shares(first));
  EXPECT_EQ(*first, "one");
  EXPECT_EQ(*second, "one and two");
  // Alone with its value, a copy changes it in place.
  first.Own() = "three";
  EXPECT_EQ(&*first, place);
  CopyOnWrite<std::string> empty;
  EXPECT_EQ(*empty, "");
  empty.Own() = "x";
  EXPECT_EQ(*empty, "x");
  EXPECT_EQ(*CopyOnWrite<std::string>(), "");
}

}  // namespace
}  // namespace kinu::state
