// Paths as seen from the working directory.
#pragma once

#include <string>

namespace kinu {

/// The path relative to the working directory, which begins with ".." where it is outside of it.
std::string RelativePath(const std::string& path);

}  // namespace kinu
