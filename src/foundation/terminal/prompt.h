// Asks the user: one line of the standard input is the answer.
// Ref: opentofu internal/command/ui_input.go, Meta.confirm.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "terminal/style.h"

namespace kinu::terminal {

struct Question {
  std::string query;
  std::string description = {};  ///< may have several lines
  bool secret = false;           ///< the answer is not shown on a terminal
};

/// Returns the answer without the white space at its end. Fails with "EOF" at the end of the input,
/// and with "interrupted" after an interrupt, as every later question does.
Result<std::string> Ask(const Style& style, const Question& question);
/// Asks until the answer is "yes" or "no", at most twice. Any other answer is false.
Result<bool> Confirm(const Style& style, const Question& question);

}  // namespace kinu::terminal
