// Makes help texts, manual pages and completion scripts of shells from the rows of the command
// table.
#pragma once

#include <string>

#include "cli/command.h"

namespace kinu::cli {

/// The text of -help for a command, with a final newline.
std::string HelpText(const CommandSpec& command);
/// The text that is printed without a command: all commands, the primary ones first.
std::string TopHelpText();

/// The manual page of a command, as `man` reads it; its file is ManPageName(command) + ".1".
std::string ManPage(const CommandSpec& command);
std::string ManPageName(const CommandSpec& command);
/// The page of the program, which names those of the commands.
std::string TopManPage();

/// Scripts that complete the words of a command line: subcommands and flags, else files.
std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace kinu::cli
