// Files of rules that a command reads: those that a flag names, or those of the working directory.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"

namespace kinu::cli {

/// Receives the name and the text of a file.
using RuleFileReader = std::function<void(const std::string& name, std::string text)>;

/// Reads the files; without any, those of the working directory whose names end with ".KIND.hcl" or
/// ".KIND.json". Reports a file that cannot be read as `problem`.
void ReadRuleFiles(std::vector<std::string> files, std::string_view kind,
                   const std::string& problem, const RuleFileReader& read, Diagnostics& diags);

}  // namespace kinu::cli
