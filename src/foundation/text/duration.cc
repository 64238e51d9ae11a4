#include "text/duration.h"

#include <algorithm>
#include <utility>

namespace kinu::text {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;

// Size of the unit at the start of `text`, and its nanoseconds; {0, 0} if there is none.
std::pair<size_t, int64_t> UnitAt(std::string_view text) {
  struct Unit {
    std::string_view name;
    int64_t nanos;
  };
  constexpr Unit kUnits[] = {
      {"ns", 1},
      {"us", 1000},
      {"\u00b5s", 1000},
      {"\u03bcs", 1000},
      {"ms", 1'000'000},
      {"s", kNanosPerSecond},
      {"m", 60 * kNanosPerSecond},
      {"h", 3600 * kNanosPerSecond},
  };
  const size_t size = std::min(text.find_first_of("0123456789."), text.size());
  for (const Unit& unit : kUnits) {
    if (text.substr(0, size) == unit.name) {
      return {size, unit.nanos};
    }
  }
  return {0, 0};
}

}  // namespace

std::optional<int64_t> ParseDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  if (text == "0") {
    return 0;
  }
  if (text.empty()) {
    return std::nullopt;
  }
  __int128 total = 0;
  constexpr __int128 kMost = static_cast<__int128>(INT64_MAX) + 1;
  while (!text.empty()) {
    const size_t number_size = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, number_size);
    const size_t dot = std::min(number.find('.'), number.size());
    text.remove_prefix(number_size);
    const auto [unit_size, nanos] = UnitAt(text);
    const std::string_view fraction = number.substr(std::min(dot + 1, number.size()));
    const bool well_formed = (dot > 0 || !fraction.empty()) && unit_size > 0 &&
                             fraction.find('.') == std::string_view::npos;
    if (!well_formed) {
      return std::nullopt;
    }
    text.remove_prefix(unit_size);
    __int128 whole = 0;
    for (char c : number.substr(0, dot)) {
      whole = whole * 10 + (c - '0');
      if (whole > kMost) {
        return std::nullopt;
      }
    }
    total += whole * nanos;
    __int128 scale = 1;
    __int128 part = 0;
    for (char c : fraction.substr(0, 18)) {
      part = part * 10 + (c - '0');
      scale *= 10;
    }
    total += part * nanos / scale;
    if (total > kMost) {
      return std::nullopt;
    }
  }
  if (!negative && total == kMost) {
    return std::nullopt;
  }
  return static_cast<int64_t>(negative ? -total : total);
}

}  // namespace kinu::text
