// Upper and lower case of ASCII only, for names of protocols.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kinu::text {

/// A letter of ASCII in lower case; all other bytes stay.
constexpr char AsciiLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The text with the letters of ASCII in lower case; all other bytes stay.
inline std::string AsciiLower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return AsciiLower(c); });
  return out;
}

/// Whether two texts are the same but for the case of their ASCII letters. Allocates nothing.
constexpr bool IsSameInAnyCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return AsciiLower(x) == AsciiLower(y); });
}

}  // namespace kinu::text
