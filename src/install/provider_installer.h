// Installs providers into a working directory: selects versions, places packages in
// `.terraform/providers` and updates the lock file. Ref: opentofu
// internal/providercache/installer.go, dir_modify.go.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "install/lock_file.h"
#include "install/package_source.h"
#include "provider/schema_cache.h"

namespace kinu::install {

/// The providers that configuration and state require: source address to version constraints.
using ProviderRequirements = std::map<std::string, VersionConstraints, ProviderAddressLess>;

/// Why a provider was not installed.
enum class InstallFailure : uint8_t {
  kBuiltIn,       ///< a built-in provider that does not exist, or that has a version constraint
  kNotFound,      ///< no source has it
  kNoVersion,     ///< no version matches the constraints
  kInstallation,  ///< the package could not be placed
};

/// Callbacks for progress. Each may be empty.
struct InstallEvents {
  /// A built-in provider, which needs no installation.
  std::function<void(const std::string& address)> built_in;
  /// Versions are being searched. `locked`: only for the locked version.
  std::function<void(const std::string& address, const VersionConstraints&, bool locked)> query;
  /// The package is installed and matches its lock.
  std::function<void(const std::string& address, const Version&)> already_installed;
  /// `to_cache`: into the directory that working directories share.
  std::function<void(const std::string& address, const Version&, bool to_cache)> installing;
  /// The package in the shared directory is being linked.
  std::function<void(const std::string& address, const Version&)> linking_from_cache;
  /// `linked`: the package is linked and was not copied.
  std::function<void(const std::string& address, const Version&, bool linked)> installed;
  /// The provider could not be installed.
  std::function<void(const std::string& address, const std::string& error, InstallFailure)> failed;
};

/// Where and how to install.
struct InstallOptions {
  std::string providers_directory;  ///< `.terraform/providers`
  bool upgrade = false;
  /// The plugin cache: packages that working directories share are placed there and linked from the
  /// providers directory. Empty: no plugin cache.
  std::string plugin_cache_directory;
  /// Where computed package hashes are stored.
  std::string cache_directory = provider::CacheDirectory();
  /// Addresses that are not installed because a process is attached. Development overrides are not
  /// in the requirements.
  std::vector<std::string> unmanaged;
};

/// The new lock file and the errors.
struct InstallResult {
  LockFile locks;
  /// Source address to error message.
  std::map<std::string, std::string, ProviderAddressLess> errors;
  /// Providers of which only the hash of this platform's package is known.
  std::vector<std::string> incomplete_hashes;
};

/// Selects a version of every provider, then installs them, both in the order of addresses.
InstallResult InstallProviders(const ProviderRequirements& requirements, const LockFile& locks,
                               const PackageSource& source, const InstallOptions& options,
                               const InstallEvents& events);

/// The directory of an installed package in a providers directory.
std::string PackageDirectory(const std::string& providers_directory, std::string_view address,
                             const Version& version);

}  // namespace kinu::install
