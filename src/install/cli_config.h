// The CLI configuration: what a user says about providers and registries outside of any module.
// Ref: opentofu internal/command/cliconfig; shared contract 18.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "install/lock_file.h"

namespace kinu::install {

enum class InstallMethodKind : uint8_t { kDirect, kFilesystemMirror, kNetworkMirror, kOciMirror };

/// One block of `provider_installation`.
struct InstallMethod {
  InstallMethodKind kind = InstallMethodKind::kDirect;
  std::string location;  ///< path, URL or repository template
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

struct ProviderInstallation {
  std::vector<InstallMethod> methods;
  /// Full provider address to the directory that holds its executable.
  std::map<std::string, std::string, ProviderAddressLess> dev_overrides;
};

struct CliConfig {
  std::string plugin_cache_dir;
  bool plugin_cache_may_break_lock_file = false;
  std::optional<ProviderInstallation> installation;
  std::map<std::string, std::string> credentials;                   ///< host to token
  std::map<std::string, std::map<std::string, std::string>> hosts;  ///< host to services

  /// Overrides in effect, empty without a provider_installation block.
  const std::map<std::string, std::string, ProviderAddressLess>& dev_overrides() const;
};

/// Finds, reads and merges the files that apply, then the environment.
CliConfig LoadCliConfig(Diagnostics& diags);

/// Merges one file into `config`. `path` decides between the native and the JSON syntax.
void ReadCliConfigFile(const std::string& path, CliConfig& config, Diagnostics& diags);

/// Whether a full provider address matches "ns/type" or "host/ns/type", where `*` may stand for
/// the type, for namespace and type, or for all.
bool MatchesProviderPattern(std::string_view pattern, std::string_view address);
/// Whether a method is responsible for a provider: included (or no includes), and not excluded.
bool MethodApplies(const InstallMethod& method, std::string_view address);

/// The user's home directory: $HOME, else the password database's; empty when neither knows.
std::string HomeDirectory();

}  // namespace kinu::install
