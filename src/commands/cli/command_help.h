// Makes help texts from the rows of the command table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace kinu::cli {

/// The text of -help for a command, with a final newline.
std::string HelpText(const CommandSpec& command);
/// The text that is printed without a command: all commands, the primary ones first.
std::string TopHelpText();

/// The listed commands right below another, "state" for instance; all top-level ones for "".
std::vector<const CommandSpec*> CommandsBelow(std::string_view name);
/// The last word of a command's name.
std::string_view LastWord(const CommandSpec& command);
/// The help of a flag in one line.
std::string OneLine(std::string_view help);

/// Calls `use` for each line of a text.
template <typename Use>
void ForEachLine(std::string_view text, const Use& use) {
  for (;;) {
    const size_t end = text.find('\n');
    use(text.substr(0, end));
    if (end == std::string_view::npos) {
      return;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace kinu::cli
