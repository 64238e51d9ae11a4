// Sorting of items that come nearly in order, such as names that end with numbers, by number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kinu {

/// Sorts by `less(a, b)`. Equal items keep their order. Items that consist of few ascending runs
/// are merged, which compares each of them a few times only: r0, …, r9, r10, …, r99 are two runs.
template <typename T, typename Less>
void SortRuns(std::vector<T>& items, Less less) {
  constexpr size_t kFewRuns = 16;
  auto at = items.begin();
  std::vector bounds = {at};
  while (at != items.end()) {
    if (bounds.size() > kFewRuns) {
      std::stable_sort(items.begin(), items.end(), less);
      return;
    }
    at = std::is_sorted_until(at, items.end(), less);
    bounds.push_back(at);
  }
  while (bounds.size() > 2) {  // more than one run
    size_t kept = 1;
    for (size_t i = 0; i + 2 < bounds.size(); i += 2) {
      std::inplace_merge(bounds[i], bounds[i + 1], bounds[i + 2], less);
      bounds[kept++] = bounds[i + 2];
    }
    if (bounds.size() % 2 == 0) {  // the last run has no partner yet
      bounds[kept++] = bounds.back();
    }
    bounds.resize(kept);
  }
}

}  // namespace kinu
