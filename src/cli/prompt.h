// Questions to whoever runs the program: one line of the standard input is the answer.
// Ref: opentofu internal/command/ui_input.go, Meta.confirm.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command.h"

namespace kinu::cli {

struct Question {
  std::string query;
  std::string description = {};  ///< may have several lines
  bool secret = false;           ///< the answer is not shown on a terminal
};

/// The answer, without white space at its end. Fails with "EOF" at the end of the input, and with
/// "interrupted" after an interrupt, as every later question does.
Result<std::string> Ask(const Invocation& invocation, const Question& question);
/// Asks until "yes" or "no" is answered, but not more than twice: anything else means no.
Result<bool> Confirm(const Invocation& invocation, const Question& question);

}  // namespace kinu::cli
