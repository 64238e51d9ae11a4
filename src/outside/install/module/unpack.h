// Archives, by libarchive.
#pragma once

#include "install/package_runtime.h"

namespace kinu::install {

Result<size_t> UnpackArchive(const std::string& archive, const std::string& directory,
                             unsigned umask, std::string_view extension);

}  // namespace kinu::install
