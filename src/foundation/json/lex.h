// The lexical level of JSON: white space, strings, escapes, numbers. Every reader of JSON is built
// on these functions (the tree, the value reader, the state cursor, the token stream, stored
// values); grammar, recovery and error texts are the readers' own.
//
// Functions work on a range [at, end) and never read `end` itself. A Pass function starts at the
// first byte of what it passes.
// Ref: Go encoding/json scanner.go, decode.go unquote.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes16.h"

namespace kinu::json {

// --- Classes of bytes ---

/// A bit per class; a byte may be in several.
enum ByteClass : uint8_t {
  kQuote = 1,
  kBackslash = 2,
  kStructure = 4,       ///< { } [ ] : ,
  kSpace = 8,           ///< the white space of JSON: space, \t, \n, \r
  kControl = 16,        ///< below 0x20
  kNonAscii = 32,       ///< above 0x7F
  kHtml = 64,           ///< < > &, which Go's encoder escapes
  kSeparatorLead = 128  ///< 0xE2, the first byte of U+2028 and U+2029, which it escapes as well
};

inline constexpr std::array<uint8_t, 256> kByteClasses = [] {
  std::array<uint8_t, 256> classes{};
  const auto add = [&](std::string_view bytes, ByteClass byte_class) {
    for (const char c : bytes) {
      classes[static_cast<uint8_t>(c)] |= byte_class;
    }
  };
  for (size_t c = 0; c < 0x20; ++c) {
    classes[c] |= kControl;
  }
  for (size_t c = 0x80; c < classes.size(); ++c) {
    classes[c] |= kNonAscii;
  }
  add("\"", kQuote);
  add("\\", kBackslash);
  add("{}[]:,", kStructure);
  add(" \t\n\r", kSpace);
  add("<>&", kHtml);
  add("\xE2", kSeparatorLead);
  return classes;
}();

/// The bytes that end the plain part of a string.
inline constexpr uint8_t kStringStops = kQuote | kBackslash | kControl;
/// Those of a string that is known to be well formed.
inline constexpr uint8_t kSoundStringStops = kQuote | kBackslash;

constexpr bool IsIn(char c, uint8_t classes) {
  return (kByteClasses[static_cast<uint8_t>(c)] & classes) != 0;
}
constexpr bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Which of sixteen bytes are of these classes.
template <uint8_t classes, typename Bytes>
inline auto PlacesOf(Bytes bytes) {
  static_assert((classes & (kStructure | kSpace)) == 0, "no vector code for these");
  Bytes found = Bytes::None();
  if constexpr ((classes & kQuote) != 0) {
    found = found | bytes.Is('"');
  }
  if constexpr ((classes & kBackslash) != 0) {
    found = found | bytes.Is('\\');
  }
  if constexpr ((classes & kHtml) != 0) {
    found = found | bytes.Is('&') | bytes.Is('<') | bytes.Is('>');
  }
  if constexpr ((classes & kSeparatorLead) != 0) {
    found = found | bytes.Is('\xE2');
  }
  if constexpr ((classes & kControl) != 0 && (classes & kNonAscii) != 0) {
    found = found | bytes.IsBelowOrNotAscii(' ');
  } else if constexpr ((classes & kControl) != 0) {
    found = found | bytes.IsBelow(' ');
  } else if constexpr ((classes & kNonAscii) != 0) {
    found = found | bytes.IsNotAscii();
  }
  return found.Places();
}

/// The first byte of any of these classes, or `end`.
template <uint8_t classes, typename Bytes = Bytes16>
inline const char* FindByte(const char* at, const char* end) {
  const char* const begin = at;
  while (end - at >= 16) {
    if (const auto places = PlacesOf<classes>(Bytes::Load(at))) {
      return at + places.First();
    }
    at += 16;
  }
  // The last bytes are read together with some before them that are of no such class.
  if (end - begin >= 16) {
    const auto places = PlacesOf<classes>(Bytes::Load(end - 16));
    return places ? end - 16 + places.First() : end;
  }
  if (end - begin >= 8) {
    const auto places = PlacesOf<classes>(Bytes::Load8And8(begin, end - 8));
    if (!places) {
      return end;
    }
    const int first = places.First();
    return first < 8 ? begin + first : end - 16 + first;
  }
  if (end - begin >= 4) {
    const auto places = PlacesOf<classes>(Bytes::Load4And4(begin, end - 4));
    if (!places) {
      return end;
    }
    const int first = places.First();
    return first < 4 ? begin + first : end - 8 + first;
  }
  while (at < end && !IsIn(*at, classes)) {
    ++at;
  }
  return at;
}

/// The first byte that is not a space, or one of the last sixteen before `end`.
inline const char* SkipIndent(const char* at, const char* end) {
  for (; end - at >= 16; at += 16) {
    if (const auto others = Bytes16::Load(at).Is(' ').Places().Others()) {
      return at + others.First();
    }
  }
  return at;
}

/// The first byte that is not white space, or `end`.
inline const char* SkipSpace(const char* at, const char* end) {
  while (at < end && static_cast<uint8_t>(*at) <= ' ') {
    const char c = *at;
    if (!IsSpace(c)) {
      return at;
    }
    ++at;
    if (c == '\n') {
      at = SkipIndent(at, end);
    }
  }
  return at;
}

// --- Tokens ---

/// How far a token goes. When `ok`, `at` is the byte behind it; otherwise the byte that is wrong,
/// or the end of the text where that comes too early.
struct Passed {
  const char* at;
  bool ok;
};

/// Bytes up to and including the wrong one, as Go's SyntaxError.Offset counts them.
inline size_t ErrorOffset(const char* begin, const char* wrong, const char* end) {
  return static_cast<size_t>(wrong - begin) + (wrong < end ? 1 : 0);
}

/// Passes the `u` of an escape and its four digits. The range is not empty.
Passed PassUnicodeEscape(const char* at, const char* end);

/// Passes what follows a backslash.
inline Passed PassEscape(const char* at, const char* end) {
  if (at == end) {
    return {at, false};
  }
  switch (*at) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return {at + 1, true};
    default:
      return PassUnicodeEscape(at, end);
  }
}

/// Passes the rest of a string, from any place in its content to behind the closing quote. Refuses
/// control characters and escapes that JSON does not have; does not check UTF-8.
inline Passed PassString(const char* at, const char* end) {
  for (;;) {
    at = FindByte<kStringStops>(at, end);
    if (at == end) {
      return {at, false};
    }
    if (*at == '"') {
      return {at + 1, true};
    }
    if (*at != '\\') {
      return {at, false};
    }
    const Passed escape = PassEscape(at + 1, end);
    if (!escape.ok) {
      return escape;
    }
    at = escape.at;
  }
}

/// The place behind the closing quote of a string that is known to be well formed, from any place
/// in its content; `end` if there is none.
inline const char* EndOfString(const char* at, const char* end) {
  for (;;) {
    at = FindByte<kSoundStringStops>(at, end);
    if (end - at < 2) {
      return end;
    }
    if (*at == '"') {
      return at + 1;
    }
    at += 2;
  }
}

/// The place behind a value that is known to be well formed. Of another text, any place up to
/// `end`: brackets outside of strings are counted, whatever their kinds.
const char* EndOfValue(const char* at, const char* end);

/// The end of a text that is followed by a byte of no number or word, such as NUL.
struct Terminated {
  friend bool operator<(const char* /*at*/, Terminated /*end*/) { return true; }
};

template <typename End>
inline const char* SkipDigits(const char* at, End end) {
  while (at < end && IsDigit(*at)) {
    ++at;
  }
  return at;
}

/// Passes the integer part of a number: -?(0|[1-9][0-9]*). The range is not empty.
template <typename End>
inline Passed PassInteger(const char* at, End end) {
  at += *at == '-' ? 1 : 0;
  if (at < end && *at == '0') {
    return {at + 1, true};
  }
  const char* const digits = at;
  at = SkipDigits(at, end);
  return {at, at != digits};
}

/// Passes a number: an integer, then (\.[0-9]+)?([eE][+-]?[0-9]+)? The range is not empty.
template <typename End>
inline Passed PassNumber(const char* at, End end) {
  const Passed integer = PassInteger(at, end);
  if (!integer.ok) {
    return integer;
  }
  at = integer.at;
  const auto digits = [&] {
    const char* const begin = at;
    at = SkipDigits(at, end);
    return at != begin;
  };
  if (at < end && *at == '.') {
    ++at;
    if (!digits()) {
      return {at, false};
    }
  }
  if (at < end && (*at | 0x20) == 'e') {
    ++at;
    at += at < end && (*at == '+' || *at == '-') ? 1 : 0;
    if (!digits()) {
      return {at, false};
    }
  }
  return {at, true};
}

/// Whether the whole text is one number.
inline bool IsNumber(std::string_view text) {
  const char* const end = text.data() + text.size();
  const Passed number = text.empty() ? Passed{end, false} : PassNumber(text.data(), end);
  return number.ok && number.at == end;
}

/// Passes one of the words `true`, `false` and `null`.
template <char... word, typename End>
inline Passed PassWord(const char* at, End end) {
  ptrdiff_t i = 0;
  // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions): the words are taken from left to right
  const bool ok = ((at + i < end && at[i] == word && ++i > 0) && ...);
  return {at + i, ok};
}

/// How much of a number is passed.
enum class NumberPart : uint8_t { kWhole, kInteger };

/// Passes a number or one of the three words. The range is not empty.
template <NumberPart part = NumberPart::kWhole, typename End>
inline Passed PassNumberOrWord(const char* at, End end) {
  switch (*at) {
    case 't':
      return PassWord<'t', 'r', 'u', 'e'>(at, end);
    case 'f':
      return PassWord<'f', 'a', 'l', 's', 'e'>(at, end);
    case 'n':
      return PassWord<'n', 'u', 'l', 'l'>(at, end);
    default:
      return part == NumberPart::kInteger ? PassInteger(at, end) : PassNumber(at, end);
  }
}

// --- The text of a string ---

/// What is known of the bytes of a string.
enum class Encoding : uint8_t {
  kUtf8,       ///< it is UTF-8
  kUnchecked,  ///< bytes that are not UTF-8 are replaced by U+FFFD, one each
};

/// The text of a string whose body (between the quotes) is well formed: escapes are resolved, and
/// a surrogate without its other half becomes U+FFFD.
template <Encoding encoding>
std::string DecodeString(std::string_view body);

}  // namespace kinu::json
