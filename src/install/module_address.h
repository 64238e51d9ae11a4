// Addresses of module packages as messages show them.
#pragma once

#include <string>
#include <string_view>

namespace kinu::install {

/// A package address ("git::https://user:password@host/x.git?sshkey=…") with "xxxxx" in place of
/// the password and of the values of arguments that hold secrets. All else stays as it is.
std::string ShownPackage(std::string_view package);

/// The password in the user information of an address; empty if there is none.
std::string PasswordOf(std::string_view address);

}  // namespace kinu::install
