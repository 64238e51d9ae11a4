// Finds what a file declares and uses.
#pragma once

#include "ide/parsed_file.h"

namespace kinu::ide {

/// Sets the declarations, uses and calls of a file whose body is read.
void IndexFile(ParsedFile& file);

}  // namespace kinu::ide
