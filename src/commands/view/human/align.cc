#include "view/human/align.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kinu::view {
namespace {

constexpr size_t kWordBits = 64;
using Bits = std::vector<uint64_t>;

/// The lengths of the longest common subsequences of all beginnings of two sequences. A length is
/// at most one more than that of one element less, so that a bit stores it, and a word operation
/// computes 64 of them. Ref: Crochemore et al., "A fast and practical bit-vector algorithm for the
/// longest common subsequence problem", 2001.
class LengthTable {
 public:
  LengthTable(std::span<const uint32_t> columns, std::span<const uint32_t> rows)
      : columns_(columns),
        rows_(rows),
        words_((columns.size() + kWordBits - 1) / kWordBits),
        step_(static_cast<size_t>(std::sqrt(rows.size())) + 1),
        matches_(words_) {
    for (size_t x = 0; x < columns.size(); ++x) {
      positions_[columns[x]].push_back(static_cast<uint32_t>(x));
    }
    Bits row(words_, ~uint64_t{0});
    for (size_t y = 0; y < rows.size(); ++y) {
      if (y % step_ == 0) {
        kept_.push_back(row);
      }
      Advance(row, rows[y]);
    }
    last_ = std::move(row);
  }

  /// Appends a longest common subsequence, its last element first. Of several it is the one that
  /// the way back finds which goes up, to one row less, where that costs no length.
  void AppendCommon(std::vector<uint32_t>& out) {
    size_t x = columns_.size();
    size_t y = rows_.size();
    for (uint64_t length = LengthAt(last_, x); length > 0;) {
      const uint32_t id = rows_[y - 1];
      if (columns_[x - 1] != id) {
        // One element less on one of the sides has the same length.
        const Bits& above = RowBefore(y);
        uint64_t length_above = LengthAt(above, x);
        while (length_above < length && columns_[x - 1] != id) {
          length_above -= IsStep(above, --x) ? 1 : 0;
        }
      }
      --y;
      if (columns_[x - 1] == id) {
        out.push_back(id);
        --x;
        --length;
      }
    }
  }

 private:
  /// Whether a row's length grows with the column.
  static bool IsStep(const Bits& row, size_t column) {
    return (row[column / kWordBits] >> column % kWordBits & 1) == 0;
  }
  static uint64_t LengthAt(const Bits& row, size_t columns) {
    uint64_t length = 0;
    for (size_t i = 0; i < columns / kWordBits; ++i) {
      length += static_cast<uint64_t>(std::popcount(~row[i]));
    }
    if (const size_t rest = columns % kWordBits; rest != 0) {
      length += static_cast<uint64_t>(
          std::popcount(~row[columns / kWordBits] & ((uint64_t{1} << rest) - 1)));
    }
    return length;
  }
  /// Turns the lengths of the rows before an element into those with it.
  void Advance(Bits& row, uint32_t id) {
    const std::vector<uint32_t>& positions = positions_[id];
    const Bits& matches = MatchesOf(id, positions);
    uint64_t carry = 0;
    for (size_t i = 0; i < words_; ++i) {
      const uint64_t common = row[i] & matches[i];
      uint64_t sum = row[i] + carry;
      carry = sum < carry ? 1 : 0;
      sum += common;
      carry += sum < common ? 1 : 0;
      row[i] = sum | (row[i] & ~matches[i]);
    }
    if (&matches == &matches_) {
      for (const uint32_t x : positions) {
        matches_[x / kWordBits] = 0;
      }
    }
  }
  /// The columns with an id, as bits. Those of an id in many columns are kept.
  const Bits& MatchesOf(uint32_t id, const std::vector<uint32_t>& positions) {
    const bool often = positions.size() > words_;  // for at most 64 ids
    Bits& matches = often ? often_[id] : matches_;
    if (often && !matches.empty()) {
      return matches;
    }
    matches.resize(words_);
    for (const uint32_t x : positions) {
      matches[x / kWordBits] |= uint64_t{1} << x % kWordBits;
    }
    return matches;
  }
  /// The lengths without the elements from row `y` - 1 on. Rows are computed again in blocks of
  /// `step_`, for all of them would take quadratic memory.
  const Bits& RowBefore(size_t y) {
    const size_t block = (y - 1) / step_;
    if (block * step_ != block_begin_ || block_.empty()) {
      block_begin_ = block * step_;
      block_.assign(1, kept_[block]);
      while (block_begin_ + block_.size() < std::min(block_begin_ + step_, rows_.size())) {
        block_.push_back(block_.back());
        Advance(block_.back(), rows_[block_begin_ + block_.size() - 2]);
      }
    }
    return block_[y - 1 - block_begin_];
  }

  std::span<const uint32_t> columns_;
  std::span<const uint32_t> rows_;
  size_t words_;
  size_t step_;
  FlatMap<uint32_t, std::vector<uint32_t>> positions_;  ///< the columns with an id
  FlatMap<uint32_t, Bits> often_;
  Bits matches_;            ///< of the other ids, zero between uses
  std::vector<Bits> kept_;  ///< each `step_`-th row
  Bits last_;
  std::vector<Bits> block_;
  size_t block_begin_ = 0;
};

}  // namespace

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
    LengthTable(before, rows).AppendCommon(tail);
  }
  // `tail` is reversed: first the common end, then the middle.
  prefix.insert(prefix.end(), tail.rbegin(), tail.rend());
  return prefix;
}

}  // namespace kinu::view
