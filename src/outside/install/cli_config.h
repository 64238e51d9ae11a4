// The CLI configuration: user settings for providers and registries. Ref: opentofu
// internal/command/cliconfig.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
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
  std::optional<int> download_retries;  ///< nothing: not given
  bool trust_all_hashes = false;        ///< of a network mirror
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

/// An `oci_credentials` block. Only one of its three groups is set.
struct OciCredentialsBlock {
  std::string prefix;  ///< the registry or repositories that it is for: "ghcr.io/acme"
  std::string username;
  std::string password;
  std::string access_token;
  std::string refresh_token;
  std::string helper;  ///< the name of one of Docker's credential helpers
};

/// An `oci_default_credentials` block.
struct OciDefaultCredentials {
  bool discover = true;  ///< use what Docker and its like have stored
  /// The files to read for that, in place of the usual ones.
  std::optional<std::vector<std::string>> files;
  std::string helper;  ///< a credential helper for all registries
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
  std::vector<OciCredentialsBlock> oci_credentials;
  std::optional<OciDefaultCredentials> oci_default_credentials;
  std::optional<int> registry_retries;                              ///< nothing: not given
  std::optional<int> registry_timeout_seconds;                      ///< nothing: not given
  std::map<std::string, std::map<std::string, std::string>> hosts;  ///< host to services

  /// The types of blocks that stand more often than once, and may not.
  std::set<std::string> repeated_blocks;

  /// Texts that diagnostics about the configuration refer to.
  std::vector<Ref<const SourceFile>> sources;

  /// The development overrides. Empty without a provider_installation block.
  const std::map<std::string, std::string, ProviderAddressLess>& dev_overrides() const;
};

/// Finds, reads and merges the configuration files, then applies environment variables.
CliConfig LoadCliConfig(Diagnostics& diags);

/// Merges one file into `config`. The name decides between native syntax (HCL 1) and JSON.
void ReadCliConfigFile(const std::string& path, CliConfig& config, Diagnostics& diags);

/// Reports blocks whose label is no host name, and those of which only one may stand in all files.
/// Ref: opentofu internal/command/cliconfig Validate.
void CheckCliBlocks(const CliConfig& config, Diagnostics& diags);

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
