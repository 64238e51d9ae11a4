// Places packages in a directory of providers: downloads, verifies, unpacks, links. A crash at any
// point leaves the old package or the new one. Ref: opentofu internal/providercache/dir_modify.go,
// internal/getproviders package_location_*.go.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "install/network.h"
#include "install/package_hash.h"
#include "install/package_source.h"
#include "provider/schema_cache.h"

namespace kinu::install {

struct PlacedPackage {
  std::string hash;  ///< "h1:..."
  PackageTrust trust;
};

/// Thread-safe for different directories; other processes may place the same package.
class PackagePlacer {
 public:
  struct Options {
    /// Receives warnings for people that come before all other output.
    std::function<void(const std::string&)> warn = [](const std::string&) {};
    /// Called when another process has kept the directory for five seconds.
    std::function<void()> waiting = [] {};
    /// A package that stands in the directory counts as right when no hash is given.
    bool trust_present = false;
    /// Called while an archive arrives, with all of its bytes so far and its size (0: not known).
    std::function<void(uint64_t bytes, uint64_t size)> received = [](uint64_t, uint64_t) {};
  };

  PackagePlacer(Network& network, const provider::SchemaCache& cache)
      : network_(network), cache_(cache), unpacked_(cache) {}

  /// Makes `directory` contain the package. `allowed`: hashes of the lock file, one of which must
  /// match; empty: any package will do. Fails if the package has no program.
  Result<PlacedPackage> Place(const std::string& address, const PackageOffer& offer,
                              const std::string& directory, const std::vector<std::string>& allowed,
                              const Options& options);

  /// Stores the hashes of the packages that were placed, so that the next command need not read
  /// them. Called after all packages.
  void StoreHashes() { unpacked_.Store(); }

  /// An archive that was downloaded or copied.
  struct FetchedArchive {
    std::string checksum;  ///< SHA-256, hexadecimal
    PackageTrust trust;
  };
  /// Writes the archive of an offer to `path` and verifies it. Nothing stays at the path after a
  /// failure. Unpacked packages are packed.
  Result<FetchedArchive> Fetch(const std::string& address, const PackageOffer& offer,
                               const std::string& path, const Options& options);

  /// Makes `directory` a link to `target`, or a copy if the file system has no links.
  static Result<void> Link(const std::string& target, const std::string& directory);

 private:
  struct Archive;
  Result<PlacedPackage> PlaceDirectory(const std::string& address, const PackageOffer& offer,
                                       const std::string& directory,
                                       const std::vector<std::string>& allowed);
  Result<PlacedPackage> PlaceArchive(const std::string& address, const PackageOffer& offer,
                                     const std::string& directory,
                                     const std::vector<std::string>& allowed,
                                     const Options& options);
  /// Takes the archive of an offer and checks it.
  Result<PackageTrust> Obtain(const std::string& address, const PackageOffer& offer,
                              Archive& archive, const Options& options);
  Result<void> Take(const PackageOffer& offer, Archive& archive, const Options& options);
  Result<void> Download(const PackageOffer& offer, Archive& archive, const Options& options);
  /// The hash of a directory that contains a package and is no link; empty if there is none.
  std::string PresentHash(const std::string& directory) const;

  Network& network_;
  const provider::SchemaCache& cache_;
  UnpackedHashes unpacked_;
};

/// Whether a hash is one of a list.
bool MatchesAny(const std::vector<std::string>& hashes, const std::string& hash);

/// Removes what killed installations into a directory left beside it. Nobody else may install there
/// meanwhile.
void RemoveLeftovers(const std::string& directory);

}  // namespace kinu::install
