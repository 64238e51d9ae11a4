// Completion of command lines. A shell that completes runs the program with the line so far in
// COMP_LINE; terminal/shell_completion.h makes shells do so.
// Ref: posener/complete v1, which the reference uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kinu::cli {

/// Returns the words that may continue `line`: names of commands, or flags after a command.
std::vector<std::string> Completions(std::string_view line);

}  // namespace kinu::cli
