// Adds completion of a command to the start files of shells, or removes it.
// Ref: posener/complete v1, which the reference uses.
#pragma once

#include <string>

#include "base/result.h"

namespace kinu::terminal {

/// Changes the start files of the shells that the user has. `program` is the executable, `name` the
/// command that is completed. Fails if there is no such file, or if completion is installed
/// already (or is not installed).
Result<void> InstallCompletion(const std::string& home, const std::string& program,
                               const std::string& name);
Result<void> UninstallCompletion(const std::string& home, const std::string& program,
                                 const std::string& name);

}  // namespace kinu::terminal
