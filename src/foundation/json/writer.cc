#include "json/writer.h"

#include <algorithm>
#include <charconv>

#include "base/invariant.h"
#include "json/lex.h"
#include "text/unicode.h"

namespace kinu {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// The bytes that may have to be escaped.
constexpr uint8_t kOdd = json::kStringStops | json::kNonAscii;
constexpr uint8_t kOddInHtml = kOdd | json::kHtml;

const char* FindOdd(const char* at, const char* end, JsonEscape escape) {
  return escape == JsonEscape::kHtml ? json::FindByte<kOddInHtml>(at, end)
                                     : json::FindByte<kOdd>(at, end);
}

void AppendUnicodeEscape(std::string& out, uint32_t unit) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) {
    out += kHex[(unit >> shift) & 0xF];
  }
}

void AppendControl(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
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
    default:
      AppendUnicodeEscape(out, c);
  }
}

/// Appends `size` bytes that `write` writes.
template <typename Write>
void AppendInOne(std::string& out, size_t size, Write write) {
  const size_t begin = out.size();
  const size_t end = begin + size;
  out.resize_and_overwrite(end, [&](char* text, size_t) {  // the size may be that of the memory
    write(text + begin);
    return end;
  });
}

char* Put(char* to, std::string_view text) {
  return std::copy(text.begin(), text.end(), to);
}

constexpr size_t kQuotes = 2;

/// A text without anything to escape.
char* PutQuoted(char* to, std::string_view text) {
  *to++ = '"';
  to = Put(to, text);
  *to++ = '"';
  return to;
}

template <typename T>
void AppendInteger(std::string& out, T value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, end.ptr);
}

}  // namespace

void JsonWriter::AppendQuoted(std::string& out, std::string_view text, JsonEscape escape) {
  const char* const end = text.data() + text.size();
  const char* plain_from = text.data();
  const char* at = FindOdd(plain_from, end, escape);
  if (at == end) {  // nearly always
    AppendInOne(out, text.size() + kQuotes, [text](char* to) { PutQuoted(to, text); });
    return;
  }
  out += '"';
  for (; at != end; at = FindOdd(at, end, escape)) {
    const auto c = static_cast<unsigned char>(*at);
    if (c < 0x80) {
      out.append(plain_from, static_cast<size_t>(at - plain_from));
      AppendControl(out, c);
      plain_from = ++at;
      continue;
    }
    const text::Decoded decoded = text::DecodeUtf8(text, static_cast<size_t>(at - text.data()));
    const bool line_separator = decoded.point == 0x2028 || decoded.point == 0x2029;
    if (decoded.ok && !line_separator) {
      at += decoded.size;
      continue;
    }
    out.append(plain_from, static_cast<size_t>(at - plain_from));
    AppendUnicodeEscape(out, decoded.point);
    at += decoded.size;
    plain_from = at;
  }
  out.append(plain_from, static_cast<size_t>(end - plain_from));
  out += '"';
}

void JsonWriter::Rewind(const Mark& mark) {
  out_.resize(mark.size);
  depth_ = mark.depth;
  first_ = mark.first;
  after_key_ = mark.after_key;
}

void JsonWriter::NewLine() {
  out_ += '\n';
  out_ += options_.prefix;
  for (uint32_t i = 0; i < depth_; ++i) {
    out_ += options_.indent;
  }
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) {
    return;
  }
  if (!first_) {
    out_ += ',';
  }
  if (!compact_) {
    NewLine();
  }
  first_ = false;
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::Close(char bracket) {
  KINU_INVARIANT(depth_ > 0 && !after_key_, "JSON brackets must match");
  --depth_;
  if (!first_ && !compact_) {
    NewLine();
  }
  out_ += bracket;
  first_ = false;
}

void JsonWriter::BeginObject() {
  Open('{');
}
void JsonWriter::EndObject() {
  Close('}');
}
void JsonWriter::BeginArray() {
  Open('[');
}
void JsonWriter::EndArray() {
  Close(']');
}

/// Appends a comma if one is due, and `size` bytes that `write` writes.
template <typename Write>
void JsonWriter::AppendNext(size_t size, Write write) {
  const size_t comma = first_ || depth_ == 0 ? 0 : 1;
  first_ = false;
  AppendInOne(out_, comma + size, [&](char* to) {
    *to = ',';
    write(to + comma);
  });
}

/// A key without anything to escape, on one line.
void JsonWriter::PlainKey(std::string_view key) {
  AppendNext(key.size() + kQuotes + 1, [key](char* to) { *PutQuoted(to, key) = ':'; });
}

void JsonWriter::Key(JsonKey key) {
  const std::string_view text = key.text();
  const char* const end = text.data() + text.size();
  if (compact_ && (key.is_plain() || FindOdd(text.data(), end, options_.escape) == end)) {
    PlainKey(text);
  } else {
    BeforeValue();
    AppendQuoted(out_, text, options_.escape);
    out_ += compact_ ? std::string_view(":") : std::string_view(": ");
  }
  after_key_ = true;
}

void JsonWriter::Member(JsonMemberText member) {
  const std::string_view text = member.text();
  if (compact_) {
    AppendNext(text.size(), [text](char* to) { Put(to, text); });
  } else {
    Embed(text);
  }
}

void JsonWriter::String(std::string_view text) {
  BeforeValue();
  AppendQuoted(out_, text, options_.escape);
}

void JsonWriter::Bool(bool value) {
  Raw(value ? "true" : "false");
}
void JsonWriter::Null() {
  Raw("null");
}

void JsonWriter::Int(int64_t value) {
  BeforeValue();
  AppendInteger(out_, value);
}

void JsonWriter::Uint(uint64_t value) {
  BeforeValue();
  AppendInteger(out_, value);
}

void JsonWriter::Raw(std::string_view json) {
  BeforeValue();
  out_ += json;
}

void JsonWriter::Embed(std::string_view text) {
  for (size_t pos = 0; pos < text.size();) {
    const char c = text[pos];
    if (json::IsSpace(c) || c == ',') {
      ++pos;
      continue;
    }
    if (c == '{' || c == '[') {
      Open(c);
      ++pos;
      continue;
    }
    if (c == '}' || c == ']') {
      Close(c);
      ++pos;
      continue;
    }
    size_t end = pos;
    if (c == '"') {
      const char* const behind =
          json::EndOfString(text.data() + pos + 1, text.data() + text.size());
      end = static_cast<size_t>(behind - text.data());
    } else {
      while (end < text.size() &&
             !json::IsIn(text[end], json::kSpace | json::kStructure | json::kQuote)) {
        ++end;
      }
      end = end == pos ? pos + 1 : end;
    }
    const std::string_view scalar = text.substr(pos, end - pos);
    pos = end;
    while (pos < text.size() && json::IsSpace(text[pos])) {
      ++pos;
    }
    Raw(scalar);
    if (pos < text.size() && text[pos] == ':') {
      out_ += options_.indent.empty() && options_.prefix.empty() ? ":" : ": ";
      after_key_ = true;
      ++pos;
    }
  }
}

void JsonWriter::Member(JsonKey key, std::string_view text) {
  const char* const end = text.data() + text.size();
  if (!compact_ || !key.is_plain() || FindOdd(text.data(), end, options_.escape) != end) {
    Key(key);
    String(text);
    return;
  }
  const std::string_view name = key.text();  // nearly always
  AppendNext(name.size() + text.size() + 2 * kQuotes + 1, [name, text](char* to) {
    to = PutQuoted(to, name);
    *to++ = ':';
    PutQuoted(to, text);
  });
}

void JsonWriter::Member(JsonKey key, bool value) {
  Key(key);
  Bool(value);
}

void JsonWriter::Member(JsonKey key, int64_t value) {
  Key(key);
  Int(value);
}

}  // namespace kinu
