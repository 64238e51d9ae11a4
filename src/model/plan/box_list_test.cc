#include "plan/box_list.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace kinu::plan {
namespace {

TEST(BoxList, ItemsStayWhereTheyAre) {
  BoxList<std::string> list;
  list.push_back("c");
  const std::string* const first = &list[0];
  list.push_back("b");
  list.push_back(std::make_unique<std::string>("a"));
  list.emplace_back() = "bb";
  list.SortBy([](const std::string& a, const std::string& b) { return a[0] < b[0]; });
  EXPECT_EQ(std::vector<std::string>(list.begin(), list.end()),
            (std::vector<std::string>{"a", "b", "bb", "c"}));
  EXPECT_EQ(&list.back(), first);
  list.EraseIf([](const std::string& item) { return item == "b"; });
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list.end() - list.begin(), 3);
  EXPECT_EQ(std::as_const(list).begin()[1], "bb");
}

}  // namespace
}  // namespace kinu::plan
