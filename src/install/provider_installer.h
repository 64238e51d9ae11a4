// Installation of providers for a working directory: selection of versions, packages in
// `.terraform/providers`, and the lock file that results.
// Ref: opentofu internal/providercache/installer.go, dir_modify.go; shared contract 17.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "install/lock_file.h"
#include "install/package_source.h"
#include "provider/schema_cache.h"

namespace kinu::install {

/// What a configuration (and state) needs: full address to constraints.
using ProviderRequirements = std::map<std::string, VersionConstraints, ProviderAddressLess>;

/// Why a provider is not installed.
enum class InstallFailure : uint8_t {
  kBuiltIn,       ///< a built-in provider that does not exist, or has no versions
  kNotFound,      ///< no source has it
  kNoVersion,     ///< none of its versions will do
  kInstallation,  ///< the package cannot be put in place
};

/// What happens, for whoever shows progress. Every function may be left out.
struct InstallEvents {
  std::function<void(const std::string& address)> built_in;
  /// Looking for versions; `locked`: only the locked version is asked for.
  std::function<void(const std::string& address, const VersionConstraints&, bool locked)> query;
  std::function<void(const std::string& address, const Version&)> already_installed;
  /// `to_cache`: into the directory that working directories share.
  std::function<void(const std::string& address, const Version&, bool to_cache)> installing;
  /// The package in the shared directory is being linked.
  std::function<void(const std::string& address, const Version&)> linking_from_cache;
  /// `linked`: the package is used where it is.
  std::function<void(const std::string& address, const Version&, bool linked)> installed;
  std::function<void(const std::string& address, const std::string& error, InstallFailure)> failed;
};

struct InstallOptions {
  std::string providers_directory;  ///< `.terraform/providers`
  bool upgrade = false;
  /// Packages shared between working directories: they are placed there, and only linked from the
  /// providers directory. Empty: none.
  std::string plugin_cache_directory;
  /// Where hashes of packages are remembered.
  std::string cache_directory = provider::CacheDirectory();
  /// Addresses that are not installed: attached processes. (Overridden ones are removed from the
  /// requirements by whoever makes them.)
  std::vector<std::string> unmanaged;
};

struct InstallResult {
  LockFile locks;
  /// Full address to what went wrong with it.
  std::map<std::string, std::string, ProviderAddressLess> errors;
  /// Providers of which only hashes of this machine's package are known.
  std::vector<std::string> incomplete_hashes;
};

/// First selects a version of every provider, then installs them, both in the order of addresses.
InstallResult InstallProviders(const ProviderRequirements& requirements, const LockFile& locks,
                               const PackageSource& source, const InstallOptions& options,
                               const InstallEvents& events);

/// The directory of an installed package below a providers directory.
std::string PackageDirectory(const std::string& providers_directory, std::string_view address,
                             const Version& version);

}  // namespace kinu::install
