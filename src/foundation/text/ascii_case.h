// Upper and lower case of ASCII only, for names of protocols.
#pragma once

#include <string>
#include <string_view>

namespace kinu::text {

/// The text with the letters of ASCII in lower case; all other bytes stay.
inline std::string AsciiLower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}  // namespace kinu::text
