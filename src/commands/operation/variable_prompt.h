// Asks for values of root variables on the terminal.
#pragma once

#include "session/load.h"
#include "terminal/style.h"

namespace kinu::operation {

/// Asks for each variable until there is an answer, which is kept: a configuration is loaded more
/// than once. There is no answer where the input has ended, or after an interrupt.
session::AskVariable VariableQuestions(const terminal::Style& style);

}  // namespace kinu::operation
