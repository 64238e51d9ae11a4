#include "text/suggest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "text/unicode.h"

namespace kinu::text {
namespace {

constexpr size_t kDistanceLimit = 3;

std::vector<char32_t> CodePoints(std::string_view text) {
  std::vector<char32_t> points;
  points.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const Decoded decoded = DecodeUtf8(text, pos);
    points.push_back(decoded.point);
    pos += decoded.size;
  }
  return points;
}

/// Number of code points to insert, delete or replace to turn one text into the other.
size_t Distance(const std::vector<char32_t>& a, const std::vector<char32_t>& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view SuggestName(std::string_view given, std::span<const std::string_view> candidates) {
  const std::vector<char32_t> wanted = CodePoints(given);
  for (std::string_view candidate : candidates) {
    const std::vector<char32_t> offered = CodePoints(candidate);
    const size_t longer = std::max(wanted.size(), offered.size());
    const size_t shorter = std::min(wanted.size(), offered.size());
    if (longer - shorter < kDistanceLimit && Distance(wanted, offered) < kDistanceLimit) {
      return candidate;
    }
  }
  return {};
}

}  // namespace kinu::text
