// The name by which the user calls the program. Usage lines and hints speak of commands by it, so
// that they can be copied.
#pragma once

#include <string>
#include <string_view>

namespace kinu {

/// The name that the program gives itself.
inline constexpr std::string_view kOwnProgramName = "kinu";

/// Takes the name from the first word of the command line: `tofu`, `terraform` and `kinu` are kept,
/// with any directory before them; everything else is `kinu`. Call it before there are threads.
void SetProgramName(std::string_view called_as);

/// The name of the program: `tofu` until SetProgramName() was called.
std::string_view ProgramName();

/// A text with commands as `tofu init`, as the user has to call them: by ProgramName(). Only for
/// texts of the program itself, since every word `tofu` before a command or a flag counts.
std::string Hint(std::string_view text);

}  // namespace kinu
