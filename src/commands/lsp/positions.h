// Texts of open documents, and the positions of the protocol in them: lines from 0, characters from
// 0 in the units that client and server have agreed on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ide/place.h"

namespace kinu::lsp {

/// The units of characters in positions.
enum class Encoding : uint8_t { kUtf8, kUtf16 };

struct LinePosition {
  uint32_t line = 0;
  uint32_t character = 0;
  friend auto operator<=>(const LinePosition&, const LinePosition&) = default;
};
struct LineRange {
  LinePosition start;
  LinePosition end;
};

/// A text of UTF-8 with a table of its lines, which end with LF, CR LF or CR.
class Text {
 public:
  explicit Text(std::string text);

  const std::string& text() const { return text_; }
  uint32_t size() const { return static_cast<uint32_t>(text_.size()); }
  uint32_t line_count() const { return static_cast<uint32_t>(line_begins_.size()); }

  /// The offset of a position. Behind the end of a line it is that end, behind the last line the
  /// end of the text, inside a character that character's begin.
  uint32_t OffsetAt(LinePosition position, Encoding encoding) const;
  /// The position of an offset, which is clamped to the text. Fast if it is on the line `near` or
  /// soon after it.
  LinePosition PositionAt(uint32_t offset, Encoding encoding, uint32_t near = 0) const;
  /// The bytes of a range; empty at its start if its end is before that.
  ide::Span SpanOf(const LineRange& range, Encoding encoding) const;
  /// The bytes of a line without its end. `line` < line_count().
  ide::Span Line(uint32_t line) const;
  /// The line that contains an offset.
  uint32_t LineOf(uint32_t offset) const;
  /// The same, fast if it is the line `near` or soon after it.
  uint32_t LineOf(uint32_t offset, uint32_t near) const;

  /// Replaces bytes; costs no more than moving those behind them.
  void Replace(ide::Span span, std::string_view text);

 private:
  std::string text_;
  std::vector<uint32_t> line_begins_;  // never empty
};

/// The number of units that a text has.
uint32_t UnitsOf(std::string_view text, Encoding encoding);

}  // namespace kinu::lsp
