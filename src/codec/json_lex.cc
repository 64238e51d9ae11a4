#include "codec/json_lex.h"

#include <cstring>

#include "text/hex.h"
#include "text/unicode.h"

namespace kinu::json {
namespace {

/// The value of four hexadecimal digits.
char32_t CodeUnit(const char* digits) {
  char32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    unit = unit << 4 | static_cast<char32_t>(text::HexDigit(digits[i]));
  }
  return unit;
}

/// Appends the text of a well-formed escape; `at` is behind its backslash. Returns the place
/// behind the escape, and behind the next one if the two are a pair of surrogates.
const char* AppendUnescaped(std::string& out, const char* at, const char* end) {
  const char escape = *at++;
  switch (escape) {
    case 'b':
      out += '\b';
      return at;
    case 'f':
      out += '\f';
      return at;
    case 'n':
      out += '\n';
      return at;
    case 'r':
      out += '\r';
      return at;
    case 't':
      out += '\t';
      return at;
    case 'u':
      break;
    default:
      out += escape;
      return at;
  }
  char32_t point = CodeUnit(at);
  at += 4;
  constexpr ptrdiff_t kEscapeSize = 6;
  if (text::IsHighSurrogate(point) && end - at >= kEscapeSize && at[0] == '\\' && at[1] == 'u') {
    if (const char32_t low = CodeUnit(at + 2); text::IsLowSurrogate(low)) {
      point = text::JoinSurrogates(point, low);
      at += kEscapeSize;
    }
  }
  text::AppendUtf8(out, point);
  return at;
}

}  // namespace

Passed PassUnicodeEscape(const char* at, const char* end) {
  if (*at != 'u') {
    return {at, false};
  }
  ++at;
  for (int i = 0; i < 4; ++i, ++at) {
    if (at == end || text::HexDigit(*at) < 0) {
      return {at, false};
    }
  }
  return {at, true};
}

template <Encoding encoding>
std::string DecodeString(std::string_view body) {
  const char* at = body.data();
  const char* const end = at + body.size();
  // The next byte that must be decoded.
  const auto next_stop = [&] {
    if constexpr (encoding == Encoding::kUnchecked) {
      return FindByte < kBackslash | kNonAscii > (at, end);
    }
    const void* const backslash = std::memchr(at, '\\', static_cast<size_t>(end - at));
    return backslash != nullptr ? static_cast<const char*>(backslash) : end;
  };
  const char* stop = body.empty() ? end : next_stop();
  if (stop == end) {
    return std::string(body);
  }
  std::string out;
  out.reserve(body.size());
  for (;;) {
    out.append(at, static_cast<size_t>(stop - at));
    at = stop;
    if (at == end) {
      return out;
    }
    if (encoding == Encoding::kUtf8 || *at == '\\') {
      at = AppendUnescaped(out, at + 1, end);
    } else {
      const text::Decoded decoded = text::DecodeUtf8(body, static_cast<size_t>(at - body.data()));
      text::AppendUtf8(out, decoded.point);
      at += decoded.size;
    }
    stop = next_stop();
  }
}

template std::string DecodeString<Encoding::kUtf8>(std::string_view body);
template std::string DecodeString<Encoding::kUnchecked>(std::string_view body);

}  // namespace kinu::json
