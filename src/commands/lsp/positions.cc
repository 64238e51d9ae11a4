#include "lsp/positions.h"

#include <algorithm>

#include "text/unicode.h"

namespace kinu::lsp {
namespace {

/// A character's bytes and UTF-16 units. A byte that begins none counts as one character.
struct Character {
  uint32_t bytes = 1;
  uint32_t units = 1;
};

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

uint32_t LengthByFirstByte(unsigned char first) {
  if (first < 0xC2 || first > 0xF4) {
    return 1;
  }
  if (first < 0xE0) {
    return 2;
  }
  return first < 0xF0 ? 3 : 4;
}

/// The character at the start of a text that is not empty.
Character FirstOf(std::string_view text) {
  const uint32_t bytes = LengthByFirstByte(static_cast<unsigned char>(text[0]));
  if (bytes > text.size()) {
    return {};
  }
  for (uint32_t i = 1; i < bytes; ++i) {
    if (!IsContinuation(text[i])) {
      return {};
    }
  }
  return {.bytes = bytes, .units = bytes == 4 ? 2U : 1U};
}

/// Appends the begins of the lines that follow a line end in [begin, end) of the text.
void AppendLineBegins(std::string_view text, uint32_t begin, uint32_t end,
                      std::vector<uint32_t>& begins) {
  for (size_t at = text.find_first_of("\r\n", begin); at < end;
       at = text.find_first_of("\r\n", at)) {
    const bool is_pair = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    at += is_pair ? 2 : 1;
    begins.push_back(static_cast<uint32_t>(at));
  }
}

}  // namespace

Text::Text(std::string text) : text_(std::move(text)), line_begins_{0} {
  AppendLineBegins(text_, 0, size(), line_begins_);
}

uint32_t Text::LineOf(uint32_t offset) const {
  const auto next = std::ranges::upper_bound(line_begins_, offset);
  return static_cast<uint32_t>(next - line_begins_.begin() - 1);
}

uint32_t Text::LineOf(uint32_t offset, uint32_t near) const {
  constexpr uint32_t kMostSteps = 4;
  const auto is_before = [&](uint32_t line) {
    return line + 1 < line_count() && line_begins_[line + 1] <= offset;
  };
  if (near >= line_count() || line_begins_[near] > offset) {
    return LineOf(offset);
  }
  for (uint32_t steps = 0; steps < kMostSteps; ++steps, ++near) {
    if (!is_before(near)) {
      return near;
    }
  }
  return LineOf(offset);
}

ide::Span Text::Line(uint32_t line) const {
  const uint32_t begin = line_begins_[line];
  uint32_t end = line + 1 < line_count() ? line_begins_[line + 1] : size();
  while (end > begin && line + 1 < line_count() &&
         (text_[end - 1] == '\n' || text_[end - 1] == '\r')) {
    --end;
  }
  return {.begin = begin, .end = end};
}

uint32_t Text::OffsetAt(LinePosition position, Encoding encoding) const {
  if (position.line >= line_count()) {
    return size();
  }
  const ide::Span line = Line(position.line);
  uint32_t at = line.begin;
  uint32_t left = position.character;
  while (at < line.end && left > 0) {
    const Character next = FirstOf(std::string_view(text_).substr(at, line.end - at));
    const uint32_t units = encoding == Encoding::kUtf8 ? next.bytes : next.units;
    if (units > left) {
      break;
    }
    at += next.bytes;
    left -= units;
  }
  return at;
}

LinePosition Text::PositionAt(uint32_t offset, Encoding encoding, uint32_t near) const {
  const uint32_t line = LineOf(std::min(offset, size()), near);
  const ide::Span bytes = Line(line);
  const uint32_t end = std::clamp(offset, bytes.begin, bytes.end);
  const auto before = std::string_view(text_).substr(bytes.begin, end - bytes.begin);
  return {.line = line, .character = UnitsOf(before, encoding)};
}

ide::Span Text::SpanOf(const LineRange& range, Encoding encoding) const {
  const uint32_t begin = OffsetAt(range.start, encoding);
  return {.begin = begin, .end = std::max(begin, OffsetAt(range.end, encoding))};
}

void Text::Replace(ide::Span span, std::string_view text) {
  // A line end may change if the byte before or behind the replaced ones is a CR or LF.
  const uint32_t first = LineOf(span.begin == 0 ? 0 : span.begin - 1);
  const uint32_t last = LineOf(std::min(span.end + 1, size()));
  const bool to_end = last + 1 == line_count();
  const uint32_t grown = static_cast<uint32_t>(text.size()) - (span.end - span.begin);
  text_.replace(span.begin, span.end - span.begin, text);
  const uint32_t end = to_end ? size() : line_begins_[last + 1] + grown;  // modulo 2^32
  std::vector<uint32_t> begins;
  AppendLineBegins(text_, line_begins_[first], end, begins);
  if (!to_end) {
    begins.pop_back();  // that of the line behind the last, which stays
  }
  for (size_t i = last + 1; i < line_begins_.size(); ++i) {
    line_begins_[i] += grown;
  }
  const auto from = line_begins_.begin() + first + 1;
  const auto kept = line_begins_.erase(from, line_begins_.begin() + last + 1);
  line_begins_.insert(kept, begins.begin(), begins.end());
}

uint32_t UnitsOf(std::string_view text, Encoding encoding) {
  if (encoding == Encoding::kUtf8 || text::IsAscii(text)) {
    return static_cast<uint32_t>(text.size());
  }
  uint32_t units = 0;
  while (!text.empty()) {
    const Character next = FirstOf(text);
    units += next.units;
    text.remove_prefix(next.bytes);
  }
  return units;
}

}  // namespace kinu::lsp
