#include "state/json_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes16.h"
#include "json/lex.h"

namespace kinu::state {
namespace {

/// Ref: encoding/json maxNestingDepth.
constexpr size_t kMaxDepth = 10000;

/// Appends a string with its quotes, escaping what Go's HTML escaping adds.
void AppendEscapedString(std::string& out, const char* at, const char* end) {
  const char* done = at;
  while ((at = json::FindByte < json::kHtml | json::kSeparatorLead > (at, end)) < end) {
    const auto c = static_cast<uint8_t>(*at);
    if (c != 0xE2) {
      static constexpr char kHex[] = "0123456789abcdef";
      out.append(done, static_cast<size_t>(at - done));
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
      done = ++at;
      continue;
    }
    const std::string_view rest(at, static_cast<size_t>(end - at));
    const bool line = rest.starts_with("\u2028");
    if (!line && !rest.starts_with("\u2029")) {
      ++at;
      continue;
    }
    out.append(done, static_cast<size_t>(at - done));
    out += line ? "\\u2028" : "\\u2029";
    at += 3;
    done = at;
  }
  out.append(done, static_cast<size_t>(end - done));
}

// The Quick functions return the place behind a value, or null when anything about it is unusual,
// be it wrong or only deeply nested. The cursor then passes it step by step and finds the error.

const char* PlaceOf(const json::Passed& passed) {
  return passed.ok ? passed.at : nullptr;
}

// A member's name and the colon behind it.
const char* QuickKey(const char* at, const char* end) {
  if (at >= end || *at != '"') {
    return nullptr;
  }
  const json::Passed name = json::PassString(at + 1, end);
  if (!name.ok) {
    return nullptr;
  }
  at = json::SkipSpace(name.at, end);
  return at < end && *at == ':' ? at + 1 : nullptr;
}

const char* QuickScalar(const char* at, const char* end) {
  return PlaceOf(*at == '"' ? json::PassString(at + 1, end) : json::PassNumberOrWord(at, end));
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
      at = json::SkipSpace(at + 1, end);
      if (at >= end) {
        return nullptr;
      }
      if (*at != close) {
        closers[depth++] = close;
        at = close == '}' ? QuickKey(at, end) : at;
        if (at == nullptr) {
          return nullptr;
        }
        at = json::SkipSpace(at, end);
        continue;
      }
      ++at;
    } else if (at = QuickScalar(at, end); at == nullptr) {
      return nullptr;
    }
    // A value has ended, and what ends with it.
    while (depth > 0) {
      at = json::SkipSpace(at, end);
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
    at = json::SkipSpace(at + 1, end);
    if (closers[depth - 1] == '}') {
      at = QuickKey(at, end);
      if (at == nullptr) {
        return nullptr;
      }
      at = json::SkipSpace(at, end);
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
  error_offset_ = json::ErrorOffset(begin_, at_, end_);
  at_ = end_;
}

char JsonCursor::PeekBehindSpace() {
  if (failed_) {
    return 0;
  }
  at_ = json::SkipSpace(at_, end_);
  return at_ < end_ ? *at_ : '\0';
}

bool JsonCursor::MoveBehind(const json::Passed& token) {
  at_ = token.at;
  if (!token.ok) {
    Fail();
  }
  return token.ok;
}

bool JsonCursor::SkipKey() {
  if (Peek() != '"') {
    Fail();
    return false;
  }
  if (!MoveBehind(json::PassString(at_ + 1, end_))) {
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
        if (!MoveBehind(json::PassString(at_ + 1, end_))) {
          return {};
        }
        break;
      case 't':
      case 'f':
      case 'n':
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
        if (!MoveBehind(json::PassNumberOrWord(at_, end_))) {
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
  if (!MoveBehind(json::PassString(at_ + 1, end_))) {
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
  return json::DecodeString<json::Encoding::kUnchecked>(body);
}

namespace {

/// Appends to a text whose memory is reserved in large steps, without a check for each byte.
class Appender {
 public:
  explicit Appender(std::string& out) : out_(out), used_(out.size()) {}
  ~Appender() { out_.resize(used_); }
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  /// Makes room for `size` more bytes.
  void Reserve(size_t size) {
    if (out_.size() - used_ < size) {
      const size_t grown = std::max(used_ + size, out_.size() + out_.size() / 2);
      out_.resize_and_overwrite(grown, [](char*, size_t count) { return count; });
    }
  }
  /// These need room.
  void Put(char c) { out_[used_++] = c; }
  void Put(std::string_view text) { used_ += text.copy(out_.data() + used_, text.size()); }
  void PutSpaces(size_t count) {
    std::fill_n(out_.data() + used_, count, ' ');
    used_ += count;
  }
  /// Appends a string with its quotes, escaping what Go's HTML escaping adds.
  void AppendString(std::string_view text) {
    const char* const end = text.data() + text.size();
    if (json::FindByte < json::kHtml | json::kSeparatorLead > (text.data(), end) == end) {
      Reserve(text.size());
      Put(text);
      return;
    }
    out_.resize(used_);
    AppendEscapedString(out_, text.data(), end);
    used_ = out_.size();
  }

 private:
  std::string& out_;  ///< longer than what it has, until the end
  size_t used_;
};

/// Whether the bytes at a place are one of the separators that are escaped.
bool IsSeparator(const char* at, const char* end) {
  const std::string_view rest(at, static_cast<size_t>(end - at));
  return rest.starts_with("\u2028") || rest.starts_with("\u2029");
}

/// The memory that CopyString() may write behind what it copies.
constexpr size_t kCopied = 16;

/// Copies a string, quotes included. Returns the places behind it, or null and nothing useful if
/// something in it must be escaped.
std::pair<const char*, char*> CopyString(const char* at, const char* end, char* to) {
  constexpr uint8_t kStops = json::kQuote | json::kBackslash | json::kHtml | json::kSeparatorLead;
  *to++ = *at++;
  for (;;) {
    while (end - at >= static_cast<ptrdiff_t>(kCopied)) {
      const Bytes16 bytes = Bytes16::Load(at);
      bytes.Store(to);
      const auto stops = json::PlacesOf<kStops>(bytes);
      const int plain = stops ? stops.First() : static_cast<int>(kCopied);
      at += plain;
      to += plain;
      if (stops) {
        break;
      }
    }
    while (at < end && !json::IsIn(*at, kStops)) {
      *to++ = *at++;
    }
    if (at == end) {
      return {at, to};
    }
    if (json::IsIn(*at, json::kHtml) || IsSeparator(at, end)) {
      return {nullptr, to};
    }
    const char c = *to++ = *at++;
    if (c == '"') {
      return {at, to};
    }
    if (c == '\\' && at < end) {
      *to++ = *at++;
    }
  }
}

/// Appends the beginning of a text without its white space, up to the end or to a string in which
/// something must be escaped. Returns that place.
const char* AppendPlain(std::string& out, const char* at, const char* end) {
  const size_t size = out.size();
  const size_t most = static_cast<size_t>(end - at);
  out.resize_and_overwrite(size + most + kCopied, [&](char* data, size_t /*count*/) {
    char* to = data + size;
    while (at < end) {
      const char c = *at;
      if (c == '"') {
        const auto [behind, copied] = CopyString(at, end, to);
        if (behind == nullptr) {
          break;
        }
        at = behind;
        to = copied;
      } else if (json::IsSpace(c)) {
        at = json::SkipSpace(at, end);
      } else {
        *to++ = c;
        ++at;
      }
    }
    return static_cast<size_t>(to - data);
  });
  return at;
}

}  // namespace

void AppendJson(std::string& out, std::string_view text, int depth) {
  const bool indent = depth >= 0;
  const char* const end = text.data() + text.size();
  const char* at = indent ? text.data() : AppendPlain(out, text.data(), end);
  Appender to(out);
  to.Reserve(static_cast<size_t>(end - at));
  const auto new_line = [&] {
    to.Reserve(static_cast<size_t>(depth) * 2 + 1);
    to.Put('\n');
    to.PutSpaces(static_cast<size_t>(depth) * 2);
  };
  while ((at = json::SkipSpace(at, end)) < end) {
    constexpr size_t kSigns = 4;  // an empty object, or a sign and a space
    to.Reserve(kSigns);
    const char c = *at;
    switch (c) {
      case '{':
      case '[':
        to.Put(c);
        at = json::SkipSpace(at + 1, end);
        if (at < end && (*at == '}' || *at == ']')) {
          to.Put(*at++);
        } else if (indent) {
          ++depth;
          new_line();
        }
        break;
      case '}':
      case ']':
        if (indent) {
          --depth;
          new_line();
          to.Reserve(1);
        }
        to.Put(c);
        ++at;
        break;
      case ',':
        to.Put(c);
        ++at;
        if (indent) {
          new_line();
        }
        break;
      case ':':
        to.Put(c);
        ++at;
        if (indent) {
          to.Put(' ');
        }
        break;
      case '"': {
        const char* const start = std::exchange(at, json::EndOfString(at + 1, end));
        to.AppendString({start, at});
        break;
      }
      default: {
        const char* const start = at;
        while (at < end && !json::IsIn(*at, json::kSpace | json::kStructure)) {
          ++at;
        }
        const std::string_view word(start, at);
        to.Reserve(word.size());
        to.Put(word);
      }
    }
  }
}

}  // namespace kinu::state
