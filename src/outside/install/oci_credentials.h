// Credentials of OCI registries: of the CLI configuration, of files as Docker and Podman write
// them, and of Docker's credential helpers. The most specific ones for a repository are used.
// Ref: opentofu internal/command/cliconfig/ociauthconfig, oci_credentials.go.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "install/cli_config.h"
#include "install/oci_reference.h"

namespace kinu::install {

/// Credentials of a registry: a user with a password, or tokens. All empty: none.
struct OciCredential {
  std::string username;
  std::string password;
  std::string access_token;
  std::string refresh_token;

  bool empty() const {
    return username.empty() && password.empty() && access_token.empty() && refresh_token.empty();
  }
};

/// How well the prefix in a setting ("ghcr.io", "ghcr.io/acme") fits a repository: 0 not at all, 2
/// its registry, one more for each part of the path. 1 is left for settings of all registries.
int OciPrefixRank(std::string_view prefix, const OciRepository& repository);

/// The credentials in one run. Files are read for the first repository. Thread-safe.
class OciCredentials {
 public:
  explicit OciCredentials(const CliConfig& config);

  /// The credentials for a repository; empty if there are none. Runs a credential helper if that is
  /// the setting that fits best. Fails when a file that the configuration names cannot be read, and
  /// when a helper fails.
  Result<OciCredential> For(const OciRepository& repository);

 private:
  /// A setting: `prefix` is empty if it is for all registries.
  struct Entry {
    std::string prefix;
    std::string helper;  ///< the name of a credential helper, or
    OciCredential credential;
    std::string problem;  ///< why the setting cannot be used; empty: it can
  };
  Result<void> LoadFiles();
  static Result<std::vector<Entry>> ReadDockerFile(const std::string& path);

  std::vector<Entry> entries_;
  OciDefaultCredentials defaults_;
  std::mutex mutex_;
  bool loaded_ = false;
};

}  // namespace kinu::install
