#include "view/human/align.h"

#include <algorithm>

namespace kinu::view {

std::vector<uint32_t> LongestCommonSubsequence(std::span<const uint32_t> before,
                                               std::span<const uint32_t> after) {
  std::vector<uint32_t> prefix;
  while (!before.empty() && !after.empty() && before.front() == after.front()) {
    prefix.push_back(before.front());
    before = before.subspan(1);
    after = after.subspan(1);
  }
  std::vector<uint32_t> tail;  // reversed
  while (!before.empty() && !after.empty() && before.back() == after.back()) {
    tail.push_back(before.back());
    before = before.first(before.size() - 1);
    after = after.first(after.size() - 1);
  }
  // An element that the other side lacks cannot change the result.
  const FlatSet<uint32_t> present(before.begin(), before.end());
  std::vector<uint32_t> rows;
  for (const uint32_t id : after) {
    if (present.contains(id)) {
      rows.push_back(id);
    }
  }
  if (!rows.empty()) {
    // Lengths for two rows, and for each cell whether the way back goes left and not up.
    const size_t width = before.size();
    std::vector<uint32_t> above(width + 1, 0);
    std::vector<uint32_t> row(width + 1, 0);
    std::vector<bool> left(width * rows.size());
    for (size_t y = 0; y < rows.size(); ++y) {
      for (size_t x = 0; x < width; ++x) {
        if (before[x] == rows[y]) {
          row[x + 1] = above[x] + 1;
        } else {
          row[x + 1] = std::max(row[x], above[x + 1]);
          left[y * width + x] = row[x] > above[x + 1];
        }
      }
      std::swap(above, row);
    }
    size_t x = width;
    size_t y = rows.size();
    while (x > 0 && y > 0) {
      if (before[x - 1] == rows[y - 1]) {
        tail.push_back(before[x - 1]);
        --x;
        --y;
      } else if (left[(y - 1) * width + (x - 1)]) {
        --x;
      } else {
        --y;
      }
    }
  }
  // `tail` is reversed: first the common end, then the middle.
  prefix.insert(prefix.end(), tail.rbegin(), tail.rend());
  return prefix;
}

}  // namespace kinu::view
