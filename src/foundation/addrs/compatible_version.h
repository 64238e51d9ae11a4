// The release of OpenTofu that this program is compatible with. Files and messages contain it, and
// required_version constraints are checked against it.
#pragma once

#include <string_view>

namespace kinu {

inline constexpr std::string_view kCompatibleVersion = "1.12.6";

}  // namespace kinu
