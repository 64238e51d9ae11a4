#include "diag/text_positions.h"

#include <algorithm>

#include "text/unicode.h"

namespace kinu {
namespace {

/// A code point of a line, or a byte that is none.
struct Character {
  uint32_t bytes;
  uint32_t units;
};

Character CharacterAt(std::string_view line, size_t at, TextEncoding encoding) {
  constexpr char32_t kMostInOneUnit = 0xFFFF;
  const text::Decoded decoded = text::DecodeUtf8(line, at);
  if (!decoded.ok) {
    return {1, 1};
  }
  if (encoding == TextEncoding::kUtf8) {
    return {decoded.size, decoded.size};
  }
  return {decoded.size, decoded.point > kMostInOneUnit ? 2U : 1U};
}

}  // namespace

TextPositions::TextPositions(std::string_view text) : text_(text), line_begins_{0} {
  for (size_t at = 0;;) {
    at = text.find_first_of("\r\n", at);
    if (at == std::string_view::npos) {
      return;
    }
    at += text.substr(at, 2) == "\r\n" ? 2 : 1;
    line_begins_.push_back(static_cast<uint32_t>(at));
  }
}

std::string_view TextPositions::Line(uint32_t line) const {
  const size_t begin = line_begins_[line];
  const size_t end = line + 1 < line_begins_.size() ? line_begins_[line + 1] : text_.size();
  const std::string_view content = text_.substr(begin, end - begin);
  return content.substr(0, std::min(content.find_first_of("\r\n"), content.size()));
}

uint32_t TextPositions::OffsetAt(const TextPosition& position, TextEncoding encoding) const {
  if (position.line >= line_begins_.size()) {
    return static_cast<uint32_t>(text_.size());
  }
  const std::string_view line = Line(position.line);
  size_t at = 0;
  for (uint32_t left = position.character; at < line.size();) {
    const Character character = CharacterAt(line, at, encoding);
    if (character.units > left) {
      break;
    }
    left -= character.units;
    at += character.bytes;
  }
  return line_begins_[position.line] + static_cast<uint32_t>(at);
}

TextPosition TextPositions::PositionAt(uint32_t offset, TextEncoding encoding) const {
  const auto after = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  const auto line_index = static_cast<uint32_t>(after - line_begins_.begin() - 1);
  const std::string_view line = Line(line_index);
  const size_t wanted = std::min<size_t>(offset - line_begins_[line_index], line.size());
  TextPosition position{line_index, 0};
  for (size_t at = 0; at < wanted;) {
    const Character character = CharacterAt(line, at, encoding);
    if (at + character.bytes > wanted) {
      break;
    }
    at += character.bytes;
    position.character += character.units;
  }
  return position;
}

}  // namespace kinu
