#include "json/lex.h"

#include <bit>
#include <cstring>

#include "base/bytes16.h"
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

/// Where the bytes of 64 are that matter for the end of a value, the first byte lowest.
struct Marks {
  uint64_t quotes = 0;
  uint64_t backslashes = 0;
  uint64_t opening = 0;  ///< { [
  uint64_t closing = 0;  ///< } ]
};
constexpr ptrdiff_t kMarked = 64;

Marks MarksOf(const char* at) {
  const Block64<Bytes16> bytes(at);
  // Brackets differ from braces in this bit alone.
  const Block64<Bytes16> braces = bytes.WithBits(0x20);
  return {.quotes = bytes.Bits([](Bytes16 of) { return of.Is('"'); }),
          .backslashes = bytes.Bits([](Bytes16 of) { return of.Is('\\'); }),
          .opening = braces.Bits([](Bytes16 of) { return of.Is('{'); }),
          .closing = braces.Bits([](Bytes16 of) { return of.Is('}'); })};
}

/// Each bit: whether the number of bits up to and including it is odd.
uint64_t OddUpTo(uint64_t bits) {
  for (int shift = 1; shift < kMarked; shift *= 2) {
    bits ^= bits << shift;
  }
  return bits;
}

/// Counts the brackets of one value, up to the one that ends it.
class BracketCounter {
 public:
  BracketCounter(const char* at, const char* end) : at_(at), end_(end) {}

  const char* Run() {
    while (!done_ && at_ < end_) {
      if (!PassMany()) {
        PassOne();
      }
    }
    return at_;
  }

 private:
  /// Passes many bytes at once. False if they have to be passed one by one.
  bool PassMany() {
    if (end_ - at_ < kMarked) {
      return false;
    }
    const Marks marks = MarksOf(at_);
    if (marks.backslashes != 0) {
      return false;
    }
    const uint64_t strings = OddUpTo(marks.quotes) ^ (in_string_ ? ~uint64_t{0} : 0);
    const uint64_t opening = marks.opening & ~strings;
    for (uint64_t left = opening | (marks.closing & ~strings); left != 0; left &= left - 1) {
      const uint64_t first = left & -left;
      if (Count((opening & first) != 0)) {
        at_ += std::countr_zero(first) + 1;
        return true;
      }
    }
    in_string_ = strings >> (kMarked - 1) != 0;
    at_ += kMarked;
    return true;
  }

  void PassOne() {
    if (in_string_) {
      at_ = EndOfString(at_, end_);
      in_string_ = false;
      return;
    }
    const char c = *at_++;
    if (c == '"') {
      at_ = EndOfString(at_, end_);
    } else if (c == '{' || c == '[' || c == '}' || c == ']') {
      Count(c == '{' || c == '[');
    }
  }

  /// True when the bracket ends the value.
  bool Count(bool opens) {
    depth_ += opens ? 1 : -1;
    done_ = depth_ <= 0;
    return done_;
  }

  const char* at_;
  const char* end_;
  int64_t depth_ = 0;
  bool in_string_ = false;
  bool done_ = false;
};

}  // namespace

const char* EndOfValue(const char* at, const char* end) {
  if (at < end && *at == '"') {
    return EndOfString(at + 1, end);
  }
  if (at < end && (*at == '{' || *at == '[')) {
    return BracketCounter(at, end).Run();
  }
  while (at < end && !IsIn(*at, kSpace | kStructure)) {
    ++at;
  }
  return at;
}

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
