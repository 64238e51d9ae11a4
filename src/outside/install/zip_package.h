// Unpacks packages. Ordinary zip archives, which most packages are, are read here (libdeflate);
// everything else is left to kinu-install.so (libarchive).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "install/package_hash.h"

namespace kinu::install {

/// As PackageRuntime::Unpack(). `digests` receives those of files that were unpacked here.
Result<size_t> UnpackPackage(const std::string& archive, const std::string& directory,
                             std::string_view extension, FileDigests* digests = nullptr);

}  // namespace kinu::install
