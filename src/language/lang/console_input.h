// ConsoleInput: joins the lines that are typed into a console to expressions.
// Ref: opentofu internal/command/console_state.go.
#pragma once

#include <string>
#include <string_view>

namespace kinu::lang {

/// The lines of one expression, which goes on while brackets are open or a line ends in a
/// backslash.
class ConsoleInput {
 public:
  /// Adds a line. Returns how many brackets are open; at 0 the text is complete, and the next line
  /// begins another one.
  int Add(std::string_view line);
  const std::string& text() const { return text_; }

 private:
  void Count(std::string_view line);

  std::string text_;
  int open_ = 0;
  int braces_ = 0;
  int brackets_ = 0;
  int parentheses_ = 0;
};

}  // namespace kinu::lang
