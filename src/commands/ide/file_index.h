// Finds what a file declares and uses.
#pragma once

#include <string>
#include <string_view>

#include "ide/parsed_file.h"

namespace kinu::ide {

/// What stands for the module of a test's run where calls have names. No call has such a name.
std::string CallOfRun(std::string_view path, std::string_view run);
/// The same for all that the runs of a test plan, to which its own `variables` give values.
std::string CallsOfTest(std::string_view path);

/// Sets the declarations, uses and calls of a file whose body is read.
void IndexFile(ParsedFile& file);

}  // namespace kinu::ide
