// Writes to the standard streams and asks how wide they are.
#pragma once

#include <string>
#include <string_view>

namespace kinu::terminal {

/// Writes whole texts. Print() returns whether all of the text was written.
bool Print(std::string_view text);
void PrintError(std::string_view text);

/// The columns of the terminal that a descriptor is, or the default width if it is none.
int WidthOf(int fd);

}  // namespace kinu::terminal
