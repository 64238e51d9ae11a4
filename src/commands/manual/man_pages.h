// Makes manual pages from the rows of the command table.
#pragma once

#include <string>

#include "cli/command.h"

namespace kinu::manual {

/// The manual page of a command, as `man` reads it. Its file is ManPageName(command) + ".1".
std::string ManPage(const cli::CommandSpec& command);
/// "kinu-state-list"
std::string ManPageName(const cli::CommandSpec& command);
/// The page of the program, which names those of the commands.
std::string TopManPage();

}  // namespace kinu::manual
