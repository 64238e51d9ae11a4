// Whether the commands that only kinu has print colours: -color=auto|always|never, -no-color, then
// the environment variables NO_COLOR and CLICOLOR_FORCE, then whether standard output is a
// terminal. The commands of OpenTofu always do, unless -no-color is given, as there.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kinu::cli {

/// Removes -color from the arguments of such a command and sets the colour of the view. Adds an
/// error for an unknown value.
void ChooseColor(const CommandSpec& command, std::vector<std::string>& args, ViewOptions& view,
                 Diagnostics& diags);

}  // namespace kinu::cli
