// Tokens of hosts: from TF_TOKEN_* variables, the CLI configuration and the credentials helper.
// Ref: opentofu internal/command/cliconfig/credentials.go.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "install/cli_config.h"

namespace kinu::install {

/// Where the token of a host comes from.
enum class TokenOrigin : uint8_t { kNone, kEnvironment, kConfiguration, kHelper };

/// The credentials of hosts in one run. Thread-safe.
class Credentials {
 public:
  explicit Credentials(const CliConfig& config);

  /// The token of a host ("registry.example.com", "localhost:8443"); empty if there is none. Fails
  /// when the credentials helper fails. The helper is asked once per host.
  Result<std::string> Token(const std::string& host);
  /// Where Token() takes the token of a host from, without running the helper.
  TokenOrigin OriginOf(const std::string& host) const;

  /// The program of the credentials helper; empty if none is configured or it is not installed.
  const std::string& helper() const { return helper_; }
  /// Runs the helper: `verb` is get, store or forget. Returns what it printed.
  Result<std::string> RunHelper(const std::string& verb, const std::string& host,
                                const std::string& input) const;

 private:
  Result<std::string> AskHelper(const std::string& host) const;

  std::map<std::string, std::string> environment_;
  std::map<std::string, std::string> configured_;
  std::string helper_;
  std::vector<std::string> helper_arguments_;
  std::mutex mutex_;
  std::map<std::string, Result<std::string>> answers_;
};

/// The host that a variable "TF_TOKEN_..." names; nothing if that is no host name.
std::optional<std::string> HostOfTokenVariable(std::string_view name);

}  // namespace kinu::install
