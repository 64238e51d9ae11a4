#include "codec/json_writer.h"

#include <array>
#include <bit>
#include <charconv>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/check.h"
#include "text/unicode.h"

namespace kinu {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Which bytes below 0x80 stand for themselves inside a JSON string.
using PlainBytes = std::array<bool, 256>;

constexpr PlainBytes MakePlainBytes(JsonEscape escape) {
  PlainBytes plain{};
  for (int c = 0x20; c < 0x80; ++c) {
    const bool html = c == '<' || c == '>' || c == '&';
    plain[static_cast<size_t>(c)] =
        c != '"' && c != '\\' && (escape == JsonEscape::kPlain || !html);
  }
  return plain;
}

constexpr PlainBytes kPlainInHtml = MakePlainBytes(JsonEscape::kHtml);
constexpr PlainBytes kPlainOtherwise = MakePlainBytes(JsonEscape::kPlain);

/// Where at or behind `pos` the first byte stands that does not stand for itself.
size_t FindOdd(std::string_view text, size_t pos, const PlainBytes& plain,
               [[maybe_unused]] JsonEscape escape) {
#ifdef __SSE2__
  const __m128i limit = _mm_set1_epi8(0x20);
  for (; pos + 16 <= text.size(); pos += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + pos));
    // Compared as signed, bytes from 0x80 on are below 0x20 as well.
    __m128i odd = _mm_or_si128(_mm_cmplt_epi8(bytes, limit),
                               _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                            _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    if (escape == JsonEscape::kHtml) {
      odd =
          _mm_or_si128(odd, _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('&')),
                                         _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('<')),
                                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('>')))));
    }
    if (const auto mask = static_cast<uint32_t>(_mm_movemask_epi8(odd)); mask != 0) {
      return pos + static_cast<size_t>(std::countr_zero(mask));
    }
  }
#endif
  while (pos < text.size() && plain[static_cast<unsigned char>(text[pos])]) {
    ++pos;
  }
  return pos;
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

bool IsJsonSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// End of the string literal that starts at `pos` with its quote.
size_t SkipString(std::string_view json, size_t pos) {
  ++pos;
  while (pos < json.size() && json[pos] != '"') {
    pos += json[pos] == '\\' ? 2 : 1;
  }
  return pos < json.size() ? pos + 1 : json.size();
}

template <typename T>
void AppendInteger(std::string& out, T value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, end.ptr);
}

}  // namespace

void JsonWriter::AppendQuoted(std::string& out, std::string_view text, JsonEscape escape) {
  const PlainBytes& plain = escape == JsonEscape::kHtml ? kPlainInHtml : kPlainOtherwise;
  out += '"';
  size_t plain_from = 0;
  size_t pos = 0;
  auto flush = [&] { out.append(text, plain_from, pos - plain_from); };
  for (;;) {
    pos = FindOdd(text, pos, plain, escape);
    if (pos == text.size()) {
      break;
    }
    const auto c = static_cast<unsigned char>(text[pos]);
    if (c < 0x80) {
      flush();
      AppendControl(out, c);
      plain_from = ++pos;
      continue;
    }
    const text::Decoded decoded = text::DecodeUtf8(text, pos);
    const bool line_separator = decoded.point == 0x2028 || decoded.point == 0x2029;
    if (decoded.ok && !line_separator) {
      pos += decoded.size;
      continue;
    }
    flush();
    AppendUnicodeEscape(out, decoded.point);
    pos += decoded.size;
    plain_from = pos;
  }
  flush();
  out += '"';
}

void JsonWriter::Rewind(const Mark& mark) {
  out_.resize(mark.size);
  depth_ = mark.depth;
  first_ = mark.first;
  after_key_ = mark.after_key;
}

void JsonWriter::NewLine() {
  if (options_.indent.empty() && options_.prefix.empty()) {
    return;
  }
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
  NewLine();
  first_ = false;
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::Close(char bracket) {
  KINU_CHECK(depth_ > 0 && !after_key_, "JSON brackets must match");
  --depth_;
  if (!first_) {
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

void JsonWriter::Key(std::string_view key) {
  BeforeValue();
  AppendQuoted(out_, key, options_.escape);
  out_ += ':';
  if (!options_.indent.empty() || !options_.prefix.empty()) {
    out_ += ' ';
  }
  after_key_ = true;
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

void JsonWriter::Embed(std::string_view json) {
  for (size_t pos = 0; pos < json.size();) {
    const char c = json[pos];
    if (IsJsonSpace(c) || c == ',') {
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
      end = SkipString(json, pos);
    } else {
      while (end < json.size() && !IsJsonSpace(json[end]) &&
             std::string_view(",:{}[]\"").find(json[end]) == std::string_view::npos) {
        ++end;
      }
      end = end == pos ? pos + 1 : end;
    }
    const std::string_view scalar = json.substr(pos, end - pos);
    pos = end;
    while (pos < json.size() && IsJsonSpace(json[pos])) {
      ++pos;
    }
    Raw(scalar);
    if (pos < json.size() && json[pos] == ':') {
      out_ += options_.indent.empty() && options_.prefix.empty() ? ":" : ": ";
      after_key_ = true;
      ++pos;
    }
  }
}

void JsonWriter::Member(std::string_view key, std::string_view text) {
  Key(key);
  String(text);
}

void JsonWriter::Member(std::string_view key, bool value) {
  Key(key);
  Bool(value);
}

void JsonWriter::Member(std::string_view key, int64_t value) {
  Key(key);
  Int(value);
}

}  // namespace kinu
