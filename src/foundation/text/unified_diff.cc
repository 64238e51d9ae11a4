#include "text/unified_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/flat_map.h"

namespace kinu::text {
namespace {

constexpr size_t kContext = 3;
constexpr std::ptrdiff_t kSearchLimit = 512;  // differences beyond which a split is good enough

/// The lines with their line ends, so that a last line without one differs from the same line with
/// one.
std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

/// One of the two texts, as numbers that are equal for equal lines.
struct Side {
  std::vector<std::string_view> lines;
  std::vector<uint32_t> numbers;
  std::vector<bool> changed;     // removed (in the old text) or added (in the new one)
  std::vector<size_t> compared;  // indices of the lines that also occur in the other text
};

/// Myers' algorithm in linear space: searches from both corners of the edit graph meet at a point
/// of a shortest path, and the two halves are solved recursively.
class LineComparison {
 public:
  LineComparison(Side& before, Side& after) : a_(before), b_(after) {
    const size_t diagonals = a_.compared.size() + b_.compared.size() + 3;
    forward_.resize(diagonals);
    backward_.resize(diagonals);
  }

  void Run() { Compare(0, Size(a_), 0, Size(b_)); }

 private:
  using Index = std::ptrdiff_t;
  struct Point {
    Index x, y;
  };

  static Index Size(const Side& side) { return static_cast<Index>(side.compared.size()); }
  static uint32_t At(const Side& side, Index index) {
    return side.numbers[side.compared[static_cast<size_t>(index)]];
  }
  static void Mark(Side& side, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      side.changed[side.compared[static_cast<size_t>(i)]] = true;
    }
  }

  void Compare(Index a_begin, Index a_end, Index b_begin, Index b_end) {
    while (a_begin < a_end && b_begin < b_end && At(a_, a_begin) == At(b_, b_begin)) {
      ++a_begin;
      ++b_begin;
    }
    while (a_begin < a_end && b_begin < b_end && At(a_, a_end - 1) == At(b_, b_end - 1)) {
      --a_end;
      --b_end;
    }
    if (a_begin == a_end || b_begin == b_end) {
      Mark(a_, a_begin, a_end);
      Mark(b_, b_begin, b_end);
      return;
    }
    const Point split = Split(a_begin, a_end, b_begin, b_end);
    Compare(a_begin, split.x, b_begin, split.y);
    Compare(split.x, a_end, split.y, b_end);
  }

  /// A point inside the box on a shortest path, or on a good one beyond kSearchLimit. It is never a
  /// corner of the box, because the first lines differ and the last lines differ.
  Point Split(Index a_begin, Index a_end, Index b_begin, Index b_end) {
    const Index width = a_end - a_begin;
    const Index height = b_end - b_begin;
    const Index delta = width - height;
    const Index origin = height + 1;  // index of diagonal 0; diagonals run from -height to width
    const auto forward = [&](Index k) -> Index& {
      return forward_[static_cast<size_t>(origin + k)];
    };
    const auto backward = [&](Index k) -> Index& {
      return backward_[static_cast<size_t>(origin + k)];
    };
    forward(1) = 0;
    backward(delta - 1) = width;
    for (Index cost = 0;; ++cost) {
      for (Index k = -cost; k <= cost; k += 2) {
        if (k < -height || k > width) {
          continue;
        }
        const bool down = k == -cost || k == -height ||
                          (k != cost && k != width && forward(k - 1) < forward(k + 1));
        Index x = down ? forward(k + 1) : forward(k - 1) + 1;
        while (x < width && x - k < height && At(a_, a_begin + x) == At(b_, b_begin + x - k)) {
          ++x;
        }
        forward(k) = x;
        if (delta % 2 != 0 && k >= delta - (cost - 1) && k <= delta + (cost - 1) &&
            x >= backward(k)) {
          return {a_begin + x, b_begin + x - k};
        }
      }
      for (Index k = delta - cost; k <= delta + cost; k += 2) {
        if (k < -height || k > width) {
          continue;
        }
        const bool up = k == delta + cost || k == width ||
                        (k != delta - cost && k != -height && backward(k - 1) < backward(k + 1));
        Index x = up ? backward(k - 1) : backward(k + 1) - 1;
        while (x > 0 && x - k > 0 && At(a_, a_begin + x - 1) == At(b_, b_begin + x - k - 1)) {
          --x;
        }
        backward(k) = x;
        if (delta % 2 == 0 && k >= -cost && k <= cost && x <= forward(k)) {
          return {a_begin + x, b_begin + x - k};
        }
      }
      if (cost >= kSearchLimit) {
        return Farthest(a_begin, b_begin, width, height, cost, origin);
      }
    }
  }

  Point Farthest(Index a_begin, Index b_begin, Index width, Index height, Index cost,
                 Index origin) const {
    Point best{0, 0};
    for (Index k = -cost; k <= cost; k += 2) {
      if (k < -height || k > width) {
        continue;
      }
      const Index x = std::min(forward_[static_cast<size_t>(origin + k)], width);
      if (x - k >= 0 && x - k <= height && x + (x - k) > best.x + best.y) {
        best = {x, x - k};
      }
    }
    return {a_begin + best.x, b_begin + best.y};
  }

  Side& a_;
  Side& b_;
  std::vector<Index> forward_, backward_;  // per diagonal, the x that the search has reached
};

/// Moves each group of changed lines down as far as equal lines permit, like `diff`.
void SlideDown(Side& side) {
  const size_t size = side.numbers.size();
  for (size_t begin = 0; begin < size;) {
    if (!side.changed[begin]) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < size && side.changed[end]) {
      ++end;
    }
    while (end < size && side.numbers[begin] == side.numbers[end]) {
      side.changed[begin++] = false;
      side.changed[end++] = true;
      while (end < size && side.changed[end]) {
        ++end;
      }
    }
    begin = end;
  }
}

struct Change {
  size_t a_begin, a_end, b_begin, b_end;
};

std::vector<Change> Changes(const Side& a, const Side& b) {
  std::vector<Change> changes;
  size_t i = 0;
  size_t j = 0;
  while (i < a.lines.size() || j < b.lines.size()) {
    const Change change{i, i, j, j};
    Change& grown = changes.emplace_back(change);
    while (i < a.lines.size() && a.changed[i]) {
      grown.a_end = ++i;
    }
    while (j < b.lines.size() && b.changed[j]) {
      grown.b_end = ++j;
    }
    if (grown.a_begin == grown.a_end && grown.b_begin == grown.b_end) {
      changes.pop_back();
      ++i;
      ++j;
    }
  }
  return changes;
}

void AppendLineRange(std::string& out, char sign, size_t begin, size_t end) {
  out += sign;
  // The position of an empty extent is the line before it.
  out += std::to_string(begin == end ? begin : begin + 1);
  if (end - begin != 1) {
    out += ',' + std::to_string(end - begin);
  }
}

void AppendLines(std::string& out, char sign, const Side& side, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    out += sign;
    out += side.lines[i];
    if (!side.lines[i].ends_with('\n')) {
      out += "\n\\ No newline at end of file\n";
    }
  }
}

void AppendHunk(std::string& out, const Side& a, const Side& b, const Change* first,
                const Change* last) {
  const size_t lead = std::min(kContext, first->a_begin);
  const size_t trail = std::min(kContext, a.lines.size() - last->a_end);
  out += "@@ ";
  AppendLineRange(out, '-', first->a_begin - lead, last->a_end + trail);
  out += ' ';
  AppendLineRange(out, '+', first->b_begin - lead, last->b_end + trail);
  out += " @@\n";
  size_t at = first->a_begin - lead;
  for (const Change* change = first; change <= last; ++change) {
    AppendLines(out, ' ', a, at, change->a_begin);
    AppendLines(out, '-', a, change->a_begin, change->a_end);
    AppendLines(out, '+', b, change->b_begin, change->b_end);
    at = change->a_end;
  }
  AppendLines(out, ' ', a, at, at + trail);
}

}  // namespace

std::string UnifiedDiff(std::string_view before, std::string_view after,
                        std::string_view before_label, std::string_view after_label) {
  if (before == after) {
    return {};
  }
  Side a{.lines = SplitLines(before)};
  Side b{.lines = SplitLines(after)};
  FlatMap<std::string_view, uint32_t> numbers;
  for (Side* side : {&a, &b}) {
    for (const std::string_view line : side->lines) {
      side->numbers.push_back(
          numbers.emplace(line, static_cast<uint32_t>(numbers.size())).first->second);
    }
  }
  // Lines that do not occur in the other text are changed; they are left out of the search.
  std::vector<uint8_t> seen(numbers.size());
  for (const uint32_t number : a.numbers) {
    seen[number] |= 1;
  }
  for (const uint32_t number : b.numbers) {
    seen[number] |= 2;
  }
  for (Side* side : {&a, &b}) {
    for (size_t i = 0; i < side->numbers.size(); ++i) {
      const bool shared = seen[side->numbers[i]] == 3;
      side->changed.push_back(!shared);
      if (shared) {
        side->compared.push_back(i);
      }
    }
  }
  LineComparison(a, b).Run();
  SlideDown(a);
  SlideDown(b);

  std::string out = "--- " + std::string(before_label) + "\n+++ " + std::string(after_label) + "\n";
  const std::vector<Change> changes = Changes(a, b);
  for (size_t first = 0; first < changes.size();) {
    size_t last = first;
    while (last + 1 < changes.size() &&
           changes[last + 1].a_begin - changes[last].a_end <= 2 * kContext) {
      ++last;
    }
    AppendHunk(out, a, b, &changes[first], &changes[last]);
    first = last + 1;
  }
  return out;
}

}  // namespace kinu::text
