// Lines of a text and positions in them as the Language Server Protocol has them: both count from
// 0, a line ends with "\n", "\r\n" or "\r", and a character is a code unit of an encoding.
//
// SourceFile::PositionAt() is something else: it counts grapheme clusters, as diagnostics do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kinu {

/// The encoding whose code units are counted. A byte that is not UTF-8 is one unit in both.
enum class TextEncoding : uint8_t { kUtf8, kUtf16 };

struct TextPosition {
  uint32_t line = 0;
  uint32_t character = 0;
  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

/// Finds offsets of positions and positions of offsets. The text must outlive it. A call costs the
/// logarithm of the number of lines, and the length of one line.
class TextPositions {
 public:
  explicit TextPositions(std::string_view text);

  /// The offset of the position. Behind the end of its line, the end of the line, in front of the
  /// characters that end it; behind the last line, the end of the text. Inside of a code point, the
  /// beginning of that.
  uint32_t OffsetAt(const TextPosition& position, TextEncoding encoding) const;
  /// The position of the offset, which is moved in the same ways. For any offset that OffsetAt()
  /// returns, it is the position that leads there.
  TextPosition PositionAt(uint32_t offset, TextEncoding encoding) const;

  size_t line_count() const { return line_begins_.size(); }
  /// The line, without the characters that end it. It must exist.
  std::string_view Line(uint32_t line) const;

 private:
  std::string_view text_;
  std::vector<uint32_t> line_begins_;
};

}  // namespace kinu
