// Writes provider packages into a directory that other machines install from, as `providers mirror`
// does. The directory serves as a mirror directory and, with its index files, as a network mirror.
// Ref: opentofu internal/command/providers_mirror.go.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "install/package_placer.h"
#include "install/provider_installer.h"

namespace kinu::install {

/// Callbacks for progress. All must be set.
struct MirrorEvents {
  /// The version of the provider was selected.
  std::function<void(const Version&, const VersionConstraints&, bool locked)> selected;
  /// The package for a platform is about to be downloaded.
  std::function<void(const Version&, const std::string& platform)> downloading;
  /// The package was downloaded and verified.
  std::function<void(const Version&, const std::string& platform, const PackageTrust&)> downloaded;
  /// Receives the reference's line about expired keys.
  std::function<void(const std::string&)> warn;
};

class MirrorWriter {
 public:
  /// `directory` is the mirror; it need not exist.
  MirrorWriter(PackageSource& source, Network& network, std::string directory)
      : source_(source), placer_(network, cache_), directory_(std::move(directory)) {}

  /// Writes the packages of a provider for all platforms. `lock`: the lock of the provider, or
  /// null.
  void Add(const std::string& address, const VersionConstraints& constraints,
           const ProviderLock* lock, const std::vector<std::string>& platforms,
           const MirrorEvents& events, Diagnostics& diags);
  /// Writes the index files of all providers in the directory.
  Result<void> WriteIndexes() const;

 private:
  std::string ProviderDirectory(const std::string& address) const;
  bool AddPackage(const std::string& address, const Version& version, const std::string& platform,
                  const MirrorEvents& events, Diagnostics& diags);
  Result<void> WriteProviderIndexes(const std::string& address) const;
  Result<std::string> VersionIndex(const std::string& directory,
                                   const std::map<std::string, std::string>& archives) const;

  PackageSource& source_;
  provider::SchemaCache cache_{""};  ///< packages are used once: nothing is remembered
  PackagePlacer placer_;
  std::string directory_;
  /// The hashes of the archives of this run, by path.
  std::map<std::string, std::vector<std::string>> hashes_;
};

}  // namespace kinu::install
