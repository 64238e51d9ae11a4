// Aligns two sequences to show which elements were kept, removed and added. Ref: opentofu
// internal/command/jsonformat/collections, internal/plans/objchange/lcs.go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"

namespace kinu::view {

/// A step of an edit script: one index per side, or the size of a side that has no element.
struct AlignedPair {
  size_t before;
  size_t after;
};

/// A longest common subsequence of two sequences of ids. If there are several, the one that
/// OpenTofu finds.
std::vector<uint32_t> LongestCommonSubsequence(std::span<const uint32_t> before,
                                               std::span<const uint32_t> after);

/// Aligns two sequences of ids along their longest common subsequence. `together(i, j)` decides
/// whether two different elements are shown as one changed element.
template <typename Together>
std::vector<AlignedPair> Align(std::span<const uint32_t> before, std::span<const uint32_t> after,
                               Together&& together) {
  const std::vector<uint32_t> common = LongestCommonSubsequence(before, after);
  std::vector<AlignedPair> pairs;
  pairs.reserve(before.size() + after.size());
  size_t b = 0;
  size_t a = 0;
  size_t c = 0;
  while (b < before.size() || a < after.size() || c < common.size()) {
    while (b < before.size() && (c >= common.size() || before[b] != common[c])) {
      const bool after_is_common = c < common.size() && a < after.size() && after[a] == common[c];
      if (a < after.size() && !after_is_common && together(b, a)) {
        pairs.push_back({b++, a++});
      } else {
        pairs.push_back({b++, after.size()});
      }
    }
    while (a < after.size() && (c >= common.size() || after[a] != common[c])) {
      if (b < before.size() && together(b, a)) {
        pairs.push_back({b++, a++});
      } else {
        pairs.push_back({before.size(), a++});
      }
    }
    if (c < common.size()) {
      pairs.push_back({b++, a++});
      ++c;
    }
  }
  return pairs;
}

/// Assigns ids to texts. Equal texts have equal ids.
class IdTable {
 public:
  uint32_t IdOf(std::string_view text) {
    return ids_.try_emplace(std::string(text), static_cast<uint32_t>(ids_.size())).first->second;
  }

 private:
  FlatMap<std::string, uint32_t> ids_;
};

/// Compares two texts line by line. Calls `line(before index, after index)`, with the number of
/// lines of a side that has none.
template <typename Emit>
void DiffLines(std::span<const std::string_view> before, std::span<const std::string_view> after,
               Emit&& line) {
  IdTable table;
  std::vector<uint32_t> before_ids;
  std::vector<uint32_t> after_ids;
  for (const std::string_view text : before) {
    before_ids.push_back(table.IdOf(text));
  }
  for (const std::string_view text : after) {
    after_ids.push_back(table.IdOf(text));
  }
  for (const AlignedPair& pair :
       Align(before_ids, after_ids, [](size_t, size_t) { return false; })) {
    line(pair.before, pair.after);
  }
}

}  // namespace kinu::view
