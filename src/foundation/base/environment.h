// Environment variables of the process.
#pragma once

#include <string_view>

namespace kinu {

/// The value of a variable; empty when it is not set. A zero byte follows the text, which is valid
/// until the process ends: nothing in the program changes the environment.
std::string_view Environment(const char* name);

}  // namespace kinu
