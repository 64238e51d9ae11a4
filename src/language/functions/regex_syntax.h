// The syntax of regular expressions, for other libraries that compile patterns like `regex`.
#pragma once

#include <string>
#include <string_view>

namespace kinu::functions {

/// Replaces (?<name>…) by (?P<name>…), which older versions of RE2 need.
std::string WithNamedGroups(std::string_view pattern);

}  // namespace kinu::functions
