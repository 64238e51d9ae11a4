// The CLI configuration: user settings for providers and registries. Ref: opentofu
// internal/command/cliconfig.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "install/lock_file.h"

namespace kinu::install {

/// The block types of `provider_installation`.
enum class InstallMethodKind : uint8_t { kDirect, kFilesystemMirror, kNetworkMirror, kOciMirror };

/// A block inside `provider_installation`.
struct InstallMethod {
  InstallMethodKind kind = InstallMethodKind::kDirect;
  std::string location;  ///< path, URL or repository template
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  int download_retries = -1;      ///< -1: not given
  bool trust_all_hashes = false;  ///< of a network mirror
};

/// A `credentials_helper` block.
struct CredentialsHelper {
  std::string name;
  std::vector<std::string> arguments;
};

/// A `provider_installation` block.
struct ProviderInstallation {
  std::vector<InstallMethod> methods;
  /// Provider source address to the directory that holds its executable.
  std::map<std::string, std::string, ProviderAddressLess> dev_overrides;
};

/// The merged CLI configuration.
struct CliConfig {
  std::string plugin_cache_dir;
  bool plugin_cache_may_break_lock_file = false;
  std::optional<ProviderInstallation> installation;
  /// Host to token. An empty token: the block has none, and no other place is asked.
  std::map<std::string, std::string> credentials;
  /// The file that holds the block of a host.
  std::map<std::string, std::string> credentials_files;
  std::optional<CredentialsHelper> credentials_helper;
  int registry_retries = 1;
  int registry_timeout_seconds = 10;
  std::map<std::string, std::map<std::string, std::string>> hosts;  ///< host to services

  /// The development overrides. Empty without a provider_installation block.
  const std::map<std::string, std::string, ProviderAddressLess>& dev_overrides() const;
};

/// Finds, reads and merges the configuration files, then applies environment variables.
CliConfig LoadCliConfig(Diagnostics& diags);

/// Merges one file into `config`. The name decides between native syntax (HCL 1) and JSON.
void ReadCliConfigFile(const std::string& path, CliConfig& config, Diagnostics& diags);

/// Whether a provider address matches "ns/type" or "host/ns/type". `*` may replace the type,
/// namespace and type, or all parts.
bool MatchesProviderPattern(std::string_view pattern, std::string_view address);
/// Whether a method may install a provider: `include` matches or is empty, and `exclude` does not
/// match.
bool MethodApplies(const InstallMethod& method, std::string_view address);

/// The directory of the user's CLI configuration, which also holds credentials.tfrc.json.
std::string ConfigDirectory();

/// The user's home directory: $HOME, else that of the password database. Empty if both are missing.
std::string HomeDirectory();

}  // namespace kinu::install
