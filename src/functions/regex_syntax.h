// The syntax of regular expressions, for those outside of this library who compile patterns as
// `regex` does.
#pragma once

#include <string>
#include <string_view>

namespace kinu::functions {

/// The pattern with (?<name>…) spelled as (?P<name>…), which this RE2 knows.
std::string WithNamedGroups(std::string_view pattern);

}  // namespace kinu::functions
