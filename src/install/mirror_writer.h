// Writes provider packages into a directory that other machines install from, as `providers mirror`
// does. The directory serves as a mirror directory and, with its index files, as a network mirror.
// Ref: opentofu internal/command/providers_mirror.go.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "install/provider_installer.h"

namespace kinu::install {

/// Callbacks for progress. All must be set.
struct MirrorEvents {
  /// The version of the provider was selected.
  std::function<void(const Version&, const VersionConstraints&, bool locked)> selected;
  /// The package for a platform is about to be copied.
  std::function<void(const std::string& platform)> downloading;
  /// The package was copied.
  std::function<void()> downloaded;
};

class MirrorWriter {
 public:
  /// `directory` is the mirror; it need not exist.
  MirrorWriter(const PackageSource& source, std::string directory)
      : source_(source), directory_(std::move(directory)) {}

  /// Writes the packages of a provider for all platforms, then the index files. `lock`: the lock of
  /// the provider, or null.
  void Add(const std::string& address, const VersionConstraints& constraints,
           const ProviderLock* lock, const std::vector<std::string>& platforms,
           const MirrorEvents& events, Diagnostics& diags) const;

 private:
  std::string ProviderDirectory(const std::string& address) const;
  Result<void> WritePackage(const std::string& address, const Package& package,
                            const std::string& platform) const;
  Result<void> WriteIndexes(const std::string& address) const;

  const PackageSource& source_;
  std::string directory_;
};

}  // namespace kinu::install
