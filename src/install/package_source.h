// Where provider packages come from: mirrors in directories. Registries and network mirrors are
// recognised and refused, since this program does not download.
// Ref: opentofu internal/getproviders filesystem_search.go, multi_source.go; shared contract 17.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/version.h"
#include "install/cli_config.h"

namespace kinu::install {

/// "linux_amd64": what packages for this machine are called.
std::string CurrentPlatform();

/// A package as found: an unpacked directory, or a zip file.
struct Package {
  Version version;
  std::string location;
  bool packed = false;
};

/// The packages of one provider for a platform in a mirror directory, in the order of names.
Result<std::vector<Package>> ListMirror(const std::string& directory, std::string_view address,
                                        std::string_view platform);

class PackageSource {
 public:
  /// The methods in effect: those of `forced_directories` (-plugin-dir) if any, else of the CLI
  /// configuration, else the usual directories and then the registry. `original_directory` is
  /// where the program was started.
  PackageSource(const CliConfig& config, const std::vector<std::string>& forced_directories,
                const std::string& original_directory);

  /// Packages of a provider for a platform. Fails when a method that cannot be used would have
  /// to be asked and no mirror has the provider.
  Result<std::vector<Package>> Find(std::string_view address,
                                    std::string_view platform = CurrentPlatform()) const;

 private:
  std::vector<InstallMethod> methods_;
  bool implicit_ = false;
};

/// The provider's executable in an unpacked package. Ref: providercache CachedProvider.
Result<std::string> FindExecutable(const std::string& directory, std::string_view type);

}  // namespace kinu::install
