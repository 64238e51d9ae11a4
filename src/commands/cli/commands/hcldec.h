// The hcldec personality of the program.
#pragma once

#include <span>
#include <string>

namespace kinu::cli {

/// Runs it; `args` are what follows the program's name. Returns the exit code.
int RunHcldecTool(std::span<const std::string> args);

}  // namespace kinu::cli
