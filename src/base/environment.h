// The environment that the program was started with.
#pragma once

#include <string_view>

namespace kinu {

/// The value of a variable; empty when it is not set. Followed by a zero byte, and valid until the
/// process ends: nothing in the program changes its environment.
std::string_view Environment(const char* name);

}  // namespace kinu
