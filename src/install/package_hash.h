// The h1 hash of a provider package, and the memory of hashes already computed.
// Ref: golang.org/x/mod sumdb/dirhash Hash1; opentofu internal/getproviders/hash.go.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "provider/schema_cache.h"

namespace kinu::install {

/// "h1:…" of an unpacked package directory (symbolic links to it are followed).
Result<std::string> HashPackage(const std::string& directory);

/// The same of a package in a zip archive, which is in memory.
Result<std::string> HashArchive(std::string_view archive);

/// As HashPackage(), remembered in `cache` for as long as no file of the package changes its
/// identity, size or times: packages have hundreds of megabytes, and every command needs their
/// hash.
Result<std::string> RememberedPackageHash(const std::string& directory,
                                          const provider::SchemaCache& cache);

/// As HashArchive(), of the archive at `path` and remembered in the same way.
Result<std::string> RememberedArchiveHash(const std::string& path,
                                          const provider::SchemaCache& cache);

}  // namespace kinu::install
