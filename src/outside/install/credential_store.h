// Where the tokens of hosts are stored, and how login and logout change them: in the user's
// credentials file or by a credentials helper. Ref: opentofu
// internal/command/cliconfig/credentials.go.
#pragma once

#include <string>

#include "base/result.h"
#include "install/cli_config.h"
#include "install/credentials.h"

namespace kinu::install {

/// Where the token of a host is. Variables TF_TOKEN_* do not count.
enum class TokenPlace : uint8_t {
  kNone,             ///< nowhere; a new one goes to the credentials file
  kCredentialsFile,  ///< credentials.tfrc.json, which the program may change
  kOtherFile,        ///< a file of the CLI configuration that the user writes
  kHelper,           ///< no file has it, and a credentials helper is configured
};

/// The user's credentials file.
std::string CredentialsFilePath();

TokenPlace FindTokenPlace(const CliConfig& config, const Credentials& credentials,
                          const std::string& host);

/// Stores or removes the token of a host in its place, which must not be kOtherFile. The rest of
/// the credentials file keeps its meaning; it is replaced at once, readable by the user alone.
Result<void> StoreToken(const Credentials& credentials, TokenPlace place, const std::string& host,
                        const std::string& token);
Result<void> ForgetToken(const Credentials& credentials, TokenPlace place, const std::string& host);

}  // namespace kinu::install
