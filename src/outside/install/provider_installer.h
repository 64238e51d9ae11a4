// Installs providers into a working directory: selects versions, places packages in
// `.terraform/providers` and updates the lock file. Ref: opentofu
// internal/providercache/installer.go.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "install/install_watch.h"
#include "install/lock_file.h"
#include "install/network.h"
#include "install/package_source.h"
#include "provider/schema_cache.h"

namespace kinu::install {

/// The providers that configuration and state require: source address to version constraints.
using ProviderRequirements = std::map<std::string, VersionConstraints, ProviderAddressLess>;

/// The step at which the installation of a provider failed.
enum class InstallStep : uint8_t {
  kBuiltIn,  ///< a built-in provider that does not exist, or that has a version constraint
  kQuery,    ///< versions: no source knows it, none matches, a source failed
  kPackage,  ///< the package could not be found, downloaded, verified or placed
  kLink,     ///< the package in the plugin cache could not be linked
};

/// Why a provider was not installed.
struct InstallProblem {
  std::string address;
  InstallStep step = InstallStep::kPackage;
  Version version;  ///< kPackage and kLink: the selected one
  SourceError error;
};

/// Callbacks for progress, all on the thread of InstallProviders(), in the order of addresses. Each
/// may be empty.
struct InstallEvents {
  /// A built-in provider, which needs no installation.
  std::function<void(const std::string& address)> built_in;
  /// Versions are being searched. `locked`: only for the locked version.
  std::function<void(const std::string& address, const VersionConstraints&, bool locked)> query;
  /// The registry has something to say about the provider.
  std::function<void(const std::string& address, const std::vector<std::string>&)> warned;
  /// The package is installed and matches its lock. `in_cache`: in the plugin cache.
  std::function<void(const std::string& address, const Version&, bool in_cache)> already_installed;
  /// `to_cache`: into the directory that working directories share.
  std::function<void(const std::string& address, const Version&, bool to_cache)> installing;
  /// The package in the shared directory is being linked.
  std::function<void(const std::string& address, const Version&)> linking_from_cache;
  std::function<void(const std::string& address, const Version&, const PackageTrust&)> installed;
  /// Another process has kept a directory for a while.
  std::function<void(const std::string& directory)> waiting;
  /// Packages were installed; `is_signed`: one of them at least is signed.
  std::function<void(bool is_signed)> authenticated;
  /// The provider could not be installed.
  std::function<void(const InstallProblem&)> failed;
};

/// Where and how to install.
struct InstallOptions {
  std::string providers_directory;  ///< `.terraform/providers`
  bool upgrade = false;
  /// The plugin cache: packages that working directories share are placed there and linked from the
  /// providers directory. Empty: no plugin cache.
  std::string plugin_cache_directory;
  /// A package in the plugin cache counts as right for providers that are not locked.
  bool plugin_cache_may_break_lock_file = false;
  /// Where computed package hashes are stored.
  std::string cache_directory = provider::CacheDirectory();
  /// Addresses that are not installed because a process is attached. Development overrides are not
  /// in the requirements.
  std::vector<std::string> unmanaged;
  /// Follows the packages; null: nobody does.
  InstallWatch* watch = nullptr;
  /// Receives the reference's line about expired keys.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

/// The new lock file and the errors.
struct InstallResult {
  LockFile locks;
  /// Source address to error message.
  std::map<std::string, std::string, ProviderAddressLess> errors;
  /// Providers of which only the hash of this platform's package is known.
  std::vector<std::string> incomplete_hashes;
};

/// Selects a version of every provider, then installs them, several at once. A provider that fails
/// does not stop the others.
InstallResult InstallProviders(const ProviderRequirements& requirements, const LockFile& locks,
                               PackageSource& source, Network& network,
                               const InstallOptions& options, const InstallEvents& events);

/// The directory of an installed package in a providers directory.
std::string PackageDirectory(const std::string& providers_directory, std::string_view address,
                             const Version& version);

/// The newest version that the constraints allow or, with a lock, the locked one; nothing if it is
/// not offered.
std::optional<Version> SelectVersion(const OfferedVersions& offered,
                                     const VersionConstraints& constraints,
                                     const ProviderLock* lock);

/// The hashes that the lock file records for a package, besides its own.
struct RecordedHashes {
  std::vector<std::string> verified;  ///< computed from the package
  std::vector<std::string> vouched;   ///< signed, or reported by a registry that need not sign
};
RecordedHashes HashesToRecord(const std::string& address, const PackageTrust& trust);

}  // namespace kinu::install
