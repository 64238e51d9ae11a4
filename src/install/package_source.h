// Finds provider packages in mirror directories. Registries and network mirrors in the CLI
// configuration are recognised but cause an error: this version does not download. Ref: opentofu
// internal/getproviders filesystem_search.go, multi_source.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "addrs/version.h"
#include "base/result.h"
#include "install/cli_config.h"
#include "install/lock_file.h"

namespace kinu::install {

/// The platform in package names, such as "linux_amd64".
std::string CurrentPlatform();

/// A package: an unpacked directory or a zip file.
struct Package {
  Version version;
  std::string location;
  bool packed = false;
};

/// Lists the packages of a provider for a platform in a mirror directory, sorted by name.
Result<std::vector<Package>> ListMirror(const std::string& directory, std::string_view address,
                                        std::string_view platform);

/// Returns the package of the locked version or, if `lock` is null, of the newest version that the
/// constraints allow; null if there is none.
const Package* SelectPackage(const std::vector<Package>& packages,
                             const VersionConstraints& constraints, const ProviderLock* lock);
/// The address with the version or the constraints that SelectPackage() looks for, for messages.
std::string WantedPackage(const std::string& address, const VersionConstraints& constraints,
                          const ProviderLock* lock);

/// Finds packages by the installation methods in effect.
class PackageSource {
 public:
  /// Uses `forced_directories` (-plugin-dir) if there are any, else the installation methods of the
  /// CLI configuration, else the default directories and then the registry. `original_directory` is
  /// the working directory at program start, before -chdir.
  PackageSource(const CliConfig& config, const std::vector<std::string>& forced_directories,
                const std::string& original_directory);

  /// Finds the packages of a provider for a platform. kNotFound: no mirror has the provider.
  /// kUnsupported: no mirror has it, and another installation method would have to download it.
  Result<std::vector<Package>> Find(std::string_view address,
                                    std::string_view platform = CurrentPlatform()) const;

 private:
  std::vector<InstallMethod> methods_;
  bool implicit_ = false;
};

/// Finds the executable in an unpacked package. Ref: providercache CachedProvider.
Result<std::string> FindExecutable(const std::string& directory, std::string_view type);

}  // namespace kinu::install
