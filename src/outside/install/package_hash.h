// Computes and caches the h1 hashes of provider packages. Ref: golang.org/x/mod sumdb/dirhash
// Hash1; opentofu internal/getproviders/hash.go.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "base/result.h"
#include "provider/schema_cache.h"

namespace kinu::install {

/// SHA-256 (hexadecimal) of files of a package, by their names in it.
using FileDigests = FlatMap<std::string, std::string>;

/// The hash "h1:…" of an unpacked package. `directory` may be a symbolic link. Files are read as
/// far as their digests are not known.
Result<std::string> HashPackage(const std::string& directory, const FileDigests& known = {});

/// The hash of a package in a zip archive. `archive` holds its bytes.
Result<std::string> HashArchive(std::string_view archive);

/// As HashPackage(), with a cache: the stored hash is valid as long as no file of the package
/// changes its inode, size or times. Packages have hundreds of megabytes, and every command needs
/// their hash.
Result<std::string> RememberedPackageHash(const std::string& directory,
                                          const provider::SchemaCache& cache);

/// The hashes of packages that this process has just unpacked. They are stored as those of
/// RememberedPackageHash() when the files are so old that a change would show. A change by others
/// between unpacking and Add(), or in the same tick of the clock and of equal size, does not show.
/// Thread-safe.
class UnpackedHashes {
 public:
  explicit UnpackedHashes(const provider::SchemaCache& cache) : cache_(cache) {}
  /// `directory` has just been unpacked and has this hash.
  void Add(const std::string& directory, const std::string& hash);
  /// Stores the hashes of packages that have not changed since Add(). Waits for the files to be old
  /// enough, which takes at most some 50 milliseconds.
  void Store();

 private:
  struct Package {
    std::string directory;
    std::string state;
    std::string hash;
  };

  const provider::SchemaCache& cache_;
  std::mutex mutex_;
  std::vector<Package> packages_;
};

}  // namespace kinu::install
