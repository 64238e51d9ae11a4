// What the rows of the command table say to people: help texts, manual pages, and completion
// scripts of shells.
#pragma once

#include <string>

#include "cli/command.h"

namespace kinu::cli {

/// What -help prints for a command, with a line end.
std::string HelpText(const CommandSpec& command);
/// What is printed without a command: all commands, the primary ones first.
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
