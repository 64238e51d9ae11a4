// Reads and writes the standard streams, and asks how wide they are.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::terminal {

/// Writes whole texts. Print() returns whether all of the text was written.
bool Print(std::string_view text);
void PrintError(std::string_view text);

/// Reads the standard input to its end.
Result<std::string> ReadStandardInput();

/// The columns of the terminal that a descriptor is, or the default width if it is none.
int WidthOf(int fd);

}  // namespace kinu::terminal
