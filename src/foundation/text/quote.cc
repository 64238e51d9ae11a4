#include "text/quote.h"

#include <cstdint>

#include "text/unicode.h"

namespace kinu::text {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void AppendHex(std::string& out, uint32_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += kHex[(value >> shift) & 0xF];
  }
}

/// A byte that is not UTF-8.
void AppendByte(std::string& out, char byte) {
  out += "\\x";
  AppendHex(out, static_cast<uint8_t>(byte), 2);
}

void AppendEscaped(std::string& out, char32_t point, char quote) {
  if (point == static_cast<char32_t>(quote) || point == '\\') {
    out += '\\';
    out += static_cast<char>(point);
    return;
  }
  if (IsPrintable(point)) {
    AppendUtf8(out, point);
    return;
  }
  switch (point) {
    case '\a':
      out += "\\a";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\v':
      out += "\\v";
      return;
    default:
      break;
  }
  if (point < ' ' || point == 0x7F) {
    out += "\\x";
    AppendHex(out, point, 2);
  } else if (point < 0x10000) {
    out += "\\u";
    AppendHex(out, point, 4);
  } else {
    out += "\\U";
    AppendHex(out, point, 8);
  }
}

/// The length of the prefix that is quoted as it is.
size_t PlainPrefix(std::string_view text) {
  size_t size = 0;
  while (size < text.size() && text[size] >= ' ' && text[size] < 0x7F && text[size] != '"' &&
         text[size] != '\\') {
    ++size;
  }
  return size;
}

}  // namespace

void AppendGoQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (size_t pos = 0; pos < text.size();) {
    const size_t plain = PlainPrefix(text.substr(pos));
    out.append(text, pos, plain);
    pos += plain;
    if (pos == text.size()) {
      break;
    }
    const Decoded decoded = DecodeUtf8(text, pos);
    if (decoded.ok) {
      AppendEscaped(out, decoded.point, '"');
    } else {
      AppendByte(out, text[pos]);
    }
    pos += decoded.size;
  }
  out += '"';
}

std::string EscapeControls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const Decoded decoded = DecodeUtf8(text, pos);
    const bool stays = decoded.ok && (IsPrintable(decoded.point) || decoded.point == '\n' ||
                                      decoded.point == '\t');
    if (stays) {
      out.append(text, pos, decoded.size);
    } else if (decoded.ok) {
      AppendEscaped(out, decoded.point, '"');
    } else {
      AppendByte(out, text[pos]);
    }
    pos += decoded.size;
  }
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  out += text;
  out += '"';
  return out;
}

std::string GoQuote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  AppendGoQuoted(out, text);
  return out;
}

std::string GoQuoteRune(char32_t point) {
  std::string out = "'";
  AppendEscaped(out, point, '\'');
  out += '\'';
  return out;
}

}  // namespace kinu::text
