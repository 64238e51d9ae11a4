// The order of the members of a block.
#pragma once

#include <algorithm>

namespace kinu::schema {

/// Sorts by name what is nearly always sorted already.
template <typename Items>
void SortByName(Items& items) {
  const auto less = [](const auto& a, const auto& b) { return a.name < b.name; };
  if (!std::is_sorted(items.begin(), items.end(), less)) {
    std::sort(items.begin(), items.end(), less);
  }
}

}  // namespace kinu::schema
