// Style: colours and layout of text for people. Markup such as "[bold]" or "[red]" in our own
// constant texts becomes escape codes, or nothing without colour.
// Ref: github.com/mitchellh/colorstring, go-wordwrap; opentofu internal/command/format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinu::view {

class Style {
 public:
  explicit Style(bool color) : color_(color) {}
  bool color() const { return color_; }

  /// The markup expanded. A text that had any gets one more reset at its end, as the reference
  /// does.
  std::string Paint(std::string_view markup) const;
  /// As Paint, with `text` in the place of the markup's first "%".
  std::string Paint(std::string_view markup, std::string_view text) const;

 private:
  bool color_;
};

/// Width that is assumed when the stream is not a terminal.
inline constexpr int kDefaultWidth = 78;

/// Breaks lines at spaces to fit `width` columns less one. Lines that begin with a space stay.
std::string WordWrap(std::string_view text, int width);
/// Breaks one paragraph to at most `limit` characters per line.
std::string WrapParagraph(std::string_view paragraph, size_t limit);
/// A line across the page, with an empty line before it; no newline after it.
std::string HorizontalRule(const Style& style, int width);

/// An attribute name, quoted unless it is an identifier.
std::string AttributeName(std::string_view name);
/// Control characters made visible.
std::string ShowControls(std::string_view text);
/// Seconds as "1m20s".
std::string DurationText(int64_t seconds);

}  // namespace kinu::view
