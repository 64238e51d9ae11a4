// Makes the completion scripts of shells from the rows of the command table. A script completes the
// words of a command line: subcommands and flags, else files.
#pragma once

#include <string>

namespace kinu::manual {

std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace kinu::manual
