// Where tests find their data.
#pragma once

#include <string>

namespace kinu {

/// The root of the repository, without a slash at its end. A function, since a definition for the
/// compiler would make the tests of each checkout other compilations.
std::string SourceDirectory();

}  // namespace kinu
