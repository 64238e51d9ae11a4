// OpenPGP signatures, by librnp.
#pragma once

#include <string_view>

#include "install/package_runtime.h"

namespace kinu::install {

Result<SignatureResult> VerifyDetached(std::string_view document, std::string_view signature,
                                       std::string_view key_ring);

}  // namespace kinu::install
