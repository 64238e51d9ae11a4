// Parts of the addresses of module packages.
#pragma once

#include <string>
#include <string_view>

namespace kinu::install {

/// The password in the user information of an address; empty if there is none.
std::string PasswordOf(std::string_view address);

}  // namespace kinu::install
