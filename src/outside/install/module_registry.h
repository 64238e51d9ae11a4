// The module registry protocol: versions of a module, and where the package of one is. Ref:
// opentofu internal/registry client.go.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "install/network.h"
#include "install/once_per_key.h"

namespace kinu::install {

/// The address of a module in a registry: "host/namespace/name/system", without a directory.
struct RegistryModule {
  std::string host;
  std::string path;  ///< "namespace/name/system"

  std::string ToText() const { return host + '/' + path; }
  /// Without the default host.
  std::string ForDisplay() const;
};

/// Why a registry cannot answer.
enum class ModuleRegistryProblem : uint8_t {
  kNotFound,
  kNoRegistry,  ///< the host offers no module registry
  kCancelled,
  kFailed,
};

struct ModuleRegistryError {
  ModuleRegistryProblem problem = ModuleRegistryProblem::kFailed;
  std::string message;
};

template <typename T>
using ModuleRegistryResult = std::expected<T, ModuleRegistryError>;

/// The versions as the registry lists them; `listed`: it knows the module at all.
struct ModuleVersions {
  bool listed = false;
  std::vector<std::string> versions;
};

/// Where a package is.
struct ModuleLocation {
  std::string address;            ///< a remote source address, or a URL
  bool direct = false;            ///< the registry has the package itself, at a URL
  bool with_credentials = false;  ///< direct: credentials of the registry are sent
};

/// Thread-safe.
class ModuleRegistry {
 public:
  explicit ModuleRegistry(Network& network) : network_(network) {}

  /// Asks once per module.
  const ModuleRegistryResult<ModuleVersions>& Versions(const RegistryModule& module);
  /// Asks once per module and version.
  const ModuleRegistryResult<ModuleLocation>& Location(const RegistryModule& module,
                                                       const std::string& version);

 private:
  ModuleRegistryResult<net::Url> Find(const RegistryModule& module, const std::string& path);
  ModuleRegistryResult<net::HttpResponse> Get(const RegistryModule& module, const net::Url& url);
  ModuleRegistryResult<ModuleVersions> AskVersions(const RegistryModule& module);

  ModuleRegistryResult<ModuleLocation> AskLocation(const RegistryModule& module,
                                                   const std::string& version);

  Network& network_;
  OncePerKey<ModuleRegistryResult<ModuleVersions>> versions_;
  OncePerKey<ModuleRegistryResult<ModuleLocation>> locations_;
};

}  // namespace kinu::install
