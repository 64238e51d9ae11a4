// The include switch for text/: the real functions where that library is built, the ASCII subset
// until then.
#pragma once

#include <string>
#include <string_view>

#if __has_include("text/unicode.h")
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::text_port {
using text::AppendGoQuoted;
using text::IsNfc;
using text::SafePrefix;
using text::ToLower;
using text::ToNfc;
}  // namespace kinu::text_port

#else

namespace kinu::text_port {
inline bool IsNfc(std::string_view) {
  return true;
}
inline std::string ToNfc(std::string_view text) {
  return std::string(text);
}
inline std::string SafePrefix(std::string_view text) {
  return std::string(text.substr(0, text.empty() ? 0 : text.size() - 1));
}
inline std::string ToLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return lower;
}
inline void AppendGoQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  out += '"';
}
}  // namespace kinu::text_port

#endif
