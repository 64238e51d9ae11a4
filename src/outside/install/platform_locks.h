// Adds the package hashes of several platforms to the lock file, as `providers lock` does.
// Ref: opentofu internal/command/providers_lock.go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "install/provider_installer.h"

namespace kinu::install {

/// Which packages are hashed.
struct PlatformLockRequest {
  ProviderRequirements requirements;   ///< without built-in providers
  std::vector<std::string> platforms;  ///< such as "linux_amd64"
  /// Receives the reference's line about expired keys.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

/// What the hashes of one platform add to the lock file.
enum class HashNews : uint8_t {
  kNewProvider,  ///< the provider or its version was not locked before
  kNewHashes,    ///< the version was locked without some of these hashes
  kNothing,      ///< all of the hashes were locked before
};

/// Callbacks for progress. All must be set.
struct PlatformLockEvents {
  /// A package is about to be hashed.
  std::function<void(const std::string& address, const Version&, const std::string& platform)>
      fetching;
  /// The package was hashed.
  std::function<void(const std::string& address, const Version&, const std::string& platform,
                     const PackageTrust&)>
      fetched;
  /// The hashes of a platform were added to the lock.
  std::function<void(const std::string& address, const std::string& platform, HashNews)> locked;
};

/// The lock file with the added hashes.
struct PlatformLocks {
  LockFile locks;
  bool changed = false;  ///< whether it has more than before
};

/// Hashes the package of each provider for each platform. Returns nothing after an error; the
/// platforms behind the first one with an error are not looked at.
std::optional<PlatformLocks> LockPlatforms(const PlatformLockRequest& request, const LockFile& old,
                                           PackageSource& source, Network& network,
                                           const PlatformLockEvents& events, Diagnostics& diags);

}  // namespace kinu::install
