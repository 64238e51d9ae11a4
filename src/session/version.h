// The version of the reference that this program is equal to, as files and messages name it.
#pragma once

#include <string_view>

namespace kinu::session {

inline constexpr std::string_view kCompatibleVersion = "1.12.6";

}  // namespace kinu::session
