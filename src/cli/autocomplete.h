// Completion of command lines by shells, and its installation into their start files. A shell that
// completes runs the program with the line so far in COMP_LINE.
// Ref: posener/complete v1, which the reference uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::cli {

/// What may stand where `line` ends: names of commands, or flags after a command.
std::vector<std::string> Completions(std::string_view line);

/// Adds completion to the start files of the shells that the user has, or takes it out. `program`
/// is the executable, `name` the command that is completed.
Result<void> InstallCompletion(const std::string& home, const std::string& program,
                               const std::string& name);
Result<void> UninstallCompletion(const std::string& home, const std::string& program,
                                 const std::string& name);

}  // namespace kinu::cli
