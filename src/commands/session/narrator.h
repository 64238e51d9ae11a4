// Narrator: receives the steps of an installation while they happen. Implemented by the program
// that shows them.
#pragma once

#include <string_view>

namespace kinu::session {

class Narrator {
 public:
  virtual ~Narrator() = default;
  /// Reports a step: `markup` for people, `message` for programs.
  virtual void Say(std::string_view markup, std::string_view message) = 0;
  /// The same where programs get the words of `markup` in one line.
  virtual void Say(std::string_view markup) = 0;
  /// Shows lines to people only.
  virtual void Text(std::string_view markup) = 0;
  /// As Say(), a warning for programs.
  virtual void Warn(std::string_view markup) = 0;
};

}  // namespace kinu::session
