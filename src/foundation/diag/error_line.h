// Errors as one line of text, for texts that others of the program's messages contain.
#pragma once

#include <string>

#include "diag/diagnostic.h"

namespace kinu {

/// "main.tf:6,3-29: Summary; Detail", of the first error, and how many others there are. Empty if
/// there is none. Ref: hcl Diagnostics.Error.
std::string ErrorLine(const Diagnostics& diags);

}  // namespace kinu
