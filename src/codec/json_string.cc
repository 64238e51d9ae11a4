#include "codec/json_string.h"

#include "text/hex.h"
#include "text/unicode.h"

namespace kinu {
namespace {

constexpr std::string_view kEscapable = "\"\\/bfnrtu";

// Value of four hexadecimal digits that are known to be there.
char32_t HexUnit(std::string_view digits) {
  char32_t unit = 0;
  for (char c : digits.substr(0, 4)) {
    unit = unit * 16 + static_cast<char32_t>(text::HexDigit(c));
  }
  return unit;
}

char Unescaped(char escape) {
  switch (escape) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return escape;
  }
}

bool IsHighSurrogate(char32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
bool IsLowSurrogate(char32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}

}  // namespace

size_t FindJsonStringError(std::string_view token) {
  size_t pos = 1;
  while (pos < token.size()) {
    const char c = token[pos++];
    if (c == '"') {
      return std::string_view::npos;
    }
    if (c != '\\' || pos == token.size()) {
      continue;
    }
    const char escape = token[pos++];
    if (kEscapable.find(escape) == std::string_view::npos) {
      return pos;
    }
    for (int i = 0; escape == 'u' && i < 4 && pos < token.size(); ++i) {
      if (text::HexDigit(token[pos++]) < 0) {
        return pos;
      }
    }
  }
  return token.size();
}

std::string DecodeJsonString(std::string_view content) {
  std::string out;
  out.reserve(content.size());
  for (size_t pos = 0; pos < content.size();) {
    const char c = content[pos];
    if (c != '\\') {
      const text::Decoded decoded = text::DecodeUtf8(content, pos);
      text::AppendUtf8(out, decoded.point);
      pos += decoded.size;
      continue;
    }
    const char escape = content[pos + 1];
    pos += 2;
    if (escape != 'u') {
      out += Unescaped(escape);
      continue;
    }
    char32_t point = HexUnit(content.substr(pos));
    pos += 4;
    if (IsHighSurrogate(point) && content.substr(pos, 2) == "\\u") {
      const char32_t low = HexUnit(content.substr(pos + 2));
      if (IsLowSurrogate(low)) {
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        pos += 6;
      }
    }
    text::AppendUtf8(out, point);  // a surrogate without its half becomes U+FFFD
  }
  return out;
}

}  // namespace kinu
