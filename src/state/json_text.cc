#include "state/json_text.h"

#include <array>
#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "text/hex.h"

namespace kinu::state {
namespace {

/// Ref: encoding/json maxNestingDepth.
constexpr size_t kMaxDepth = 10000;

constexpr std::array<bool, 256> MakeStringStops() {
  std::array<bool, 256> stops{};
  for (size_t i = 0; i < 0x20; ++i) {
    stops[i] = true;
  }
  stops['"'] = true;
  stops['\\'] = true;
  return stops;
}
constexpr std::array<bool, 256> kStringStops = MakeStringStops();

constexpr uint8_t Byte(char c) {
  return static_cast<uint8_t>(c);
}
constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
/// The first byte at or after `at` that is a quote, a backslash or a control character (the NUL
/// after the end counts).
const char* FindStringStop(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1F);
  while (end - at >= 16) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    __m128i stops = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
    stops = _mm_or_si128(stops, _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes));
    auto mask = static_cast<uint32_t>(_mm_movemask_epi8(stops));
    if (mask != 0) {
      return at + std::countr_zero(mask);
    }
    at += 16;
  }
#endif
  while (at < end && !kStringStops[Byte(*at)]) {
    ++at;
  }
  return at;
}

void AppendRune(std::string& out, uint32_t rune) {
  if (rune < 0x80) {
    out += static_cast<char>(rune);
  } else if (rune < 0x800) {
    out += static_cast<char>(0xC0 | (rune >> 6));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    out += static_cast<char>(0xE0 | (rune >> 12));
    out += static_cast<char>(0x80 | ((rune >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (rune >> 18));
    out += static_cast<char>(0x80 | ((rune >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((rune >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (rune & 0x3F));
  }
}

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 when there is none.
size_t Utf8Length(std::string_view text) {
  uint8_t lead = Byte(text[0]);
  size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || lead > 0xF4 || text.size() < length) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((Byte(text[i]) & 0xC0) != 0x80) {
      return 0;
    }
  }
  if (length > 2) {
    uint8_t second = Byte(text[1]);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
      return 0;
    }
  }
  return length;
}

uint32_t FourHex(std::string_view digits) {
  uint32_t rune = 0;
  for (char c : digits.substr(0, 4)) {
    rune = rune << 4 | static_cast<uint32_t>(text::HexDigit(c));
  }
  return rune;
}

/// The first byte at or after `at` that Go's HTML escaping may touch.
const char* FindHtmlStop(const char* at, const char* end) {
#ifdef __SSE2__
  while (end - at >= 16) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    __m128i stops = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('<')),
                                 _mm_cmpeq_epi8(bytes, _mm_set1_epi8('>')));
    stops = _mm_or_si128(stops, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')));
    stops = _mm_or_si128(stops, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(0xE2))));
    auto mask = static_cast<uint32_t>(_mm_movemask_epi8(stops));
    if (mask != 0) {
      return at + std::countr_zero(mask);
    }
    at += 16;
  }
#endif
  while (at < end && *at != '<' && *at != '>' && *at != '&' && Byte(*at) != 0xE2) {
    ++at;
  }
  return at;
}

/// Appends a string with its quotes, escaping what Go's HTML escaping adds.
void AppendEscapedString(std::string& out, std::string_view quoted) {
  const char* end = quoted.data() + quoted.size();
  const char* done = quoted.data();
  for (const char* at = done; (at = FindHtmlStop(at, end)) < end; ++at) {
    uint8_t c = Byte(*at);
    if (c != 0xE2) {
      static constexpr char kHex[] = "0123456789abcdef";
      out.append(done, at);
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
      done = at + 1;
    } else if (end - at > 2 && Byte(at[1]) == 0x80 && (Byte(at[2]) & ~1U) == 0xA8) {
      out.append(done, at);
      out += "\\u202";
      out += Byte(at[2]) == 0xA8 ? '8' : '9';
      at += 2;
      done = at + 1;
    }
  }
  out.append(done, end);
}

void AppendNewLine(std::string& out, int depth) {
  out += '\n';
  out.append(static_cast<size_t>(depth) * 2, ' ');
}

}  // namespace

namespace {

// Passing values quickly: each function gives the place behind something, or null when anything
// about it is unusual, be it wrong or only deeply nested. Then the cursor passes it step by step,
// and knows the words for what is wrong.

const char* QuickSpace(const char* at, const char* end) {
  while (at < end && Byte(*at) <= ' ') {
    if (*at != ' ' && *at != '\n' && *at != '\t' && *at != '\r') {
      return at;
    }
    ++at;
#ifdef __SSE2__
    // Lines are indented.
    const __m128i space = _mm_set1_epi8(' ');
    while (end - at >= 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const auto other =
          static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, space))) ^ 0xFFFF;
      if (other != 0) {
        at += std::countr_zero(other);
        break;
      }
      at += 16;
    }
#endif
  }
  return at;
}

const char* QuickString(const char* at, const char* end) {
  ++at;
  for (;;) {
    at = FindStringStop(at, end);
    if (end - at < 2) {
      return at < end && *at == '"' ? at + 1 : nullptr;
    }
    if (*at == '"') {
      return at + 1;
    }
    if (*at != '\\') {
      return nullptr;
    }
    const char escape = at[1];
    if (std::string_view("\"\\/bfnrt").find(escape) == std::string_view::npos) {
      return nullptr;
    }
    at += 2;
  }
}

// A member's name and the colon behind it.
const char* QuickKey(const char* at, const char* end) {
  if (at >= end || *at != '"') {
    return nullptr;
  }
  at = QuickString(at, end);
  if (at == nullptr) {
    return nullptr;
  }
  at = QuickSpace(at, end);
  return at < end && *at == ':' ? at + 1 : nullptr;
}

const char* QuickDigits(const char* at, const char* end) {
  const char* const begin = at;
  while (at < end && IsDigit(*at)) {
    ++at;
  }
  return at == begin ? nullptr : at;
}

// A number without an exponent.
const char* QuickNumber(const char* at, const char* end) {
  at += *at == '-' ? 1 : 0;
  if (at < end && *at == '0') {
    ++at;
  } else if (at = QuickDigits(at, end); at == nullptr) {
    return nullptr;
  }
  if (at < end && *at == '.') {
    at = QuickDigits(at + 1, end);
  }
  return at != nullptr && (at == end || (*at != 'e' && *at != 'E')) ? at : nullptr;
}

const char* QuickScalar(const char* at, const char* end) {
  const auto has = [&](std::string_view word) {
    return std::string_view(at, static_cast<size_t>(end - at)).starts_with(word);
  };
  switch (*at) {
    case '"':
      return QuickString(at, end);
    case 't':
      return has("true") ? at + 4 : nullptr;
    case 'f':
      return has("false") ? at + 5 : nullptr;
    case 'n':
      return has("null") ? at + 4 : nullptr;
    default:
      return QuickNumber(at, end);
  }
}

const char* QuickValue(const char* at, const char* end) {
  constexpr size_t kDepth = 64;
  std::array<char, kDepth> closers;  // of the open brackets; not cleared
  size_t depth = 0;
  while (at < end) {
    if (*at == '{' || *at == '[') {
      if (depth == kDepth) {
        return nullptr;
      }
      const char close = *at == '{' ? '}' : ']';
      at = QuickSpace(at + 1, end);
      if (at >= end) {
        return nullptr;
      }
      if (*at != close) {
        closers[depth++] = close;
        at = close == '}' ? QuickKey(at, end) : at;
        if (at == nullptr) {
          return nullptr;
        }
        at = QuickSpace(at, end);
        continue;
      }
      ++at;
    } else if (at = QuickScalar(at, end); at == nullptr) {
      return nullptr;
    }
    // A value has ended, and what ends with it.
    while (depth > 0) {
      at = QuickSpace(at, end);
      if (at >= end || *at != closers[depth - 1]) {
        break;
      }
      ++at;
      --depth;
    }
    if (depth == 0) {
      return at;
    }
    if (at >= end || *at != ',') {
      return nullptr;
    }
    at = QuickSpace(at + 1, end);
    if (closers[depth - 1] == '}') {
      at = QuickKey(at, end);
      if (at == nullptr) {
        return nullptr;
      }
      at = QuickSpace(at, end);
    }
  }
  return nullptr;
}

}  // namespace

void JsonCursor::Fail() {
  if (failed_) {
    return;
  }
  failed_ = true;
  error_offset_ = static_cast<size_t>(at_ - begin_) + (at_ < end_ ? 1 : 0);
  at_ = end_;
}

void JsonCursor::SkipSpace() {
  for (;;) {
    uint8_t c = Byte(*at_);
    if (c > ' ') {
      return;
    }
    if (at_ >= end_ || (c != ' ' && c != '\n' && c != '\t' && c != '\r')) {
      return;
    }
    ++at_;
#ifdef __SSE2__
    if (c == '\n') {
      const __m128i space = _mm_set1_epi8(' ');
      while (end_ - at_ >= 16) {
        __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at_));
        auto other =
            static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, space))) ^ 0xFFFF;
        if (other != 0) {
          at_ += std::countr_zero(other);
          break;
        }
        at_ += 16;
      }
    }
#endif
  }
}

char JsonCursor::PeekBehindSpace() {
  if (failed_) {
    return 0;
  }
  SkipSpace();
  return at_ < end_ ? *at_ : '\0';
}

bool JsonCursor::SkipString() {
  ++at_;
  for (;;) {
    at_ = FindStringStop(at_, end_);
    if (at_ >= end_) {
      Fail();
      return false;
    }
    if (*at_ == '"') {
      ++at_;
      return true;
    }
    if (*at_ != '\\') {
      Fail();
      return false;
    }
    ++at_;
    if (at_ >= end_) {
      Fail();
      return false;
    }
    switch (*at_) {
      case '"':
      case '\\':
      case '/':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
        ++at_;
        break;
      case 'u':
        ++at_;
        for (int i = 0; i < 4; ++i, ++at_) {
          if (at_ >= end_ || text::HexDigit(*at_) < 0) {
            Fail();
            return false;
          }
        }
        break;
      default:
        Fail();
        return false;
    }
  }
}

bool JsonCursor::SkipNumber() {
  auto digits = [&] {
    if (at_ >= end_ || !IsDigit(*at_)) {
      Fail();
      return false;
    }
    while (at_ < end_ && IsDigit(*at_)) {
      ++at_;
    }
    return true;
  };
  if (*at_ == '-') {
    ++at_;
  }
  if (at_ < end_ && *at_ == '0') {
    ++at_;
  } else if (!digits()) {
    return false;
  }
  if (at_ < end_ && *at_ == '.') {
    ++at_;
    if (!digits()) {
      return false;
    }
  }
  if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ < end_ && (*at_ == '+' || *at_ == '-')) {
      ++at_;
    }
    return digits();
  }
  return true;
}

bool JsonCursor::SkipLiteral(std::string_view word) {
  for (char c : word) {
    if (at_ >= end_ || *at_ != c) {
      Fail();
      return false;
    }
    ++at_;
  }
  return true;
}

bool JsonCursor::SkipKey() {
  if (Peek() != '"') {
    Fail();
    return false;
  }
  if (!SkipString()) {
    return false;
  }
  if (!Take(':')) {
    Fail();
    return false;
  }
  return true;
}

std::string_view JsonCursor::Value() {
  (void)Peek();
  if (failed_) {
    return {};
  }
  const char* start = at_;
  if (const char* quick = QuickValue(at_, end_); quick != nullptr) {
    at_ = quick;
    return {start, static_cast<size_t>(at_ - start)};
  }
  // Which of the open brackets are braces; not cleared, since most values are small.
  std::array<char, kMaxDepth + 1> brackets;
  size_t depth = 0;
  for (;;) {
    switch (Peek()) {
      case '{':
        if (depth == kMaxDepth) {
          Fail();
          return {};
        }
        ++at_;
        brackets[++depth] = '{';
        if (!Take('}')) {
          if (!SkipKey()) {
            return {};
          }
          continue;
        }
        --depth;
        break;
      case '[':
        if (depth == kMaxDepth) {
          Fail();
          return {};
        }
        ++at_;
        brackets[++depth] = '[';
        if (!Take(']')) {
          continue;
        }
        --depth;
        break;
      case '"':
        if (!SkipString()) {
          return {};
        }
        break;
      case 't':
        if (!SkipLiteral("true")) {
          return {};
        }
        break;
      case 'f':
        if (!SkipLiteral("false")) {
          return {};
        }
        break;
      case 'n':
        if (!SkipLiteral("null")) {
          return {};
        }
        break;
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        if (!SkipNumber()) {
          return {};
        }
        break;
      default:
        Fail();
        return {};
    }
    // A value has ended; close what ends with it.
    for (;;) {
      if (depth == 0) {
        return {start, static_cast<size_t>(at_ - start)};
      }
      const bool object = brackets[depth] == '{';
      if (Take(',')) {
        if (object && !SkipKey()) {
          return {};
        }
        break;
      }
      if (!Take(object ? '}' : ']')) {
        Fail();
        return {};
      }
      --depth;
    }
  }
}

std::string_view JsonCursor::StringBody() {
  if (Peek() != '"') {
    Fail();
    return {};
  }
  const char* start = at_ + 1;
  if (!SkipString()) {
    return {};
  }
  return {start, static_cast<size_t>(at_ - start) - 1};
}

bool JsonCursor::NextMember(bool* first, std::string_view* key_body) {
  if (failed_ || Take('}')) {
    // A comma before the brace was refused below, so a brace here closes the object.
    return false;
  }
  if (!*first && !Take(',')) {
    Fail();
    return false;
  }
  *first = false;
  *key_body = StringBody();
  if (!failed_ && !Take(':')) {
    Fail();
  }
  return !failed_;
}

bool JsonCursor::NextElement(bool* first) {
  if (failed_ || Take(']')) {
    return false;
  }
  if (!*first && !Take(',')) {
    Fail();
    return false;
  }
  *first = false;
  return true;
}

std::string DecodeStringBody(std::string_view body) {
  std::string out;
  out.reserve(body.size());
  for (size_t i = 0; i < body.size();) {
    char c = body[i];
    if (c != '\\') {
      size_t length = Utf8Length(body.substr(i));
      if (length == 0) {
        AppendRune(out, 0xFFFD);
        ++i;
      } else {
        out.append(body, i, length);
        i += length;
      }
      continue;
    }
    char escape = body[i + 1];
    i += 2;
    switch (escape) {
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u': {
        uint32_t rune = FourHex(body.substr(i));
        i += 4;
        if (rune >= 0xD800 && rune < 0xDC00 && body.substr(i, 2) == "\\u") {
          uint32_t low = FourHex(body.substr(i + 2));
          if (low >= 0xDC00 && low < 0xE000) {
            rune = 0x10000 + ((rune - 0xD800) << 10) + (low - 0xDC00);
            i += 6;
          }
        }
        AppendRune(out, rune >= 0xD800 && rune < 0xE000 ? 0xFFFD : rune);
        break;
      }
      default:
        out += escape;
    }
  }
  return out;
}

void AppendJson(std::string& out, std::string_view json, int depth) {
  const bool indent = depth >= 0;
  const char* at = json.data();
  const char* end = at + json.size();
  while (at < end) {
    char c = *at;
    switch (c) {
      case ' ':
      case '\n':
      case '\t':
      case '\r':
        ++at;
        break;
      case '{':
      case '[': {
        out += c;
        ++at;
        while (at < end && Byte(*at) <= ' ') {
          ++at;
        }
        if (at < end && (*at == '}' || *at == ']')) {
          out += *at++;
        } else if (indent) {
          AppendNewLine(out, ++depth);
        }
        break;
      }
      case '}':
      case ']':
        if (indent) {
          AppendNewLine(out, --depth);
        }
        out += c;
        ++at;
        break;
      case ',':
        out += c;
        ++at;
        if (indent) {
          AppendNewLine(out, depth);
        }
        break;
      case ':':
        out += c;
        ++at;
        if (indent) {
          out += ' ';
        }
        break;
      case '"': {
        const char* start = at++;
        for (;;) {
          at = FindStringStop(at, end);
          if (at >= end || *at == '"') {
            break;
          }
          at += *at == '\\' ? 2 : 1;
        }
        at = at < end ? at + 1 : end;
        AppendEscapedString(out, {start, static_cast<size_t>(at - start)});
        break;
      }
      default: {
        const char* start = at;
        while (at < end && Byte(*at) > ' ' && *at != ',' && *at != '}' && *at != ']') {
          ++at;
        }
        out.append(start, static_cast<size_t>(at - start));
      }
    }
  }
}

}  // namespace kinu::state
