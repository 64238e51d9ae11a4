// Style: colours and layout of human output. Markup such as "[bold]" or "[red]" in constant texts
// becomes an escape code, or nothing without colours. Ref: github.com/mitchellh/colorstring,
// go-wordwrap; opentofu internal/command/format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinu::terminal {

/// Colours, or none.
class Style {
 public:
  /// `links`: texts may be links (Link()), if there are colours.
  explicit Style(bool color, bool links = false) : color_(color), links_(color && links) {}
  bool color() const { return color_; }

  /// Replaces the markup. A text with markup gets one more reset code at its end, as in OpenTofu.
  std::string Paint(std::string_view markup) const {
    std::string out;
    PaintTo(out, markup);
    return out;
  }
  /// As Paint(), at the end of `out`.
  void PaintTo(std::string& out, std::string_view markup) const;
  /// As Paint(), then replaces the first "%" of the markup by `text`.
  std::string Paint(std::string_view markup, std::string_view text) const;
  /// The text as a link to a local file, if links are wanted. OSC 8 of terminals.
  std::string Link(std::string_view path, std::string_view text) const;

 private:
  bool color_;
  bool links_;
};

/// The width in columns when the stream is not a terminal.
inline constexpr int kDefaultWidth = 78;

/// Breaks lines at spaces, so that they have fewer than `width` columns. Lines that begin with a
/// space are not broken.
std::string WordWrap(std::string_view text, int width);
/// Breaks a paragraph into lines of at most `limit` characters.
std::string WrapParagraph(std::string_view paragraph, size_t limit);
/// A horizontal line with an empty line before it and no newline after it.
std::string HorizontalRule(const Style& style, int width);

/// The attribute name, in quotes unless it is an identifier. `quoted` has the text then.
std::string_view AttributeName(std::string_view name, std::string& quoted);
/// Replaces control characters by visible ones.
std::string ShowControls(std::string_view text);
/// Formats seconds as "1m20s".
std::string DurationText(int64_t seconds);

}  // namespace kinu::terminal
