// The places that AWS credentials come from, one file each; the chain is in aws_credentials.cc.
// Private to net/cloud.
#pragma once

#include <string>
#include <string_view>

#include "cloud/aws_credentials.h"

namespace kinu::cloud {

/// What the places need.
struct AwsSearch {
  const net::HttpClient& client;
  const AwsCredentialOptions& options;
  AwsProfiles profiles;
  std::string region;
};

/// Temporary credentials of a role, by credentials that may assume it.
Result<AwsCredentials> AssumeAwsRole(const AwsSearch& search, const AwsCredentials& own,
                                     const AwsRole& role);
/// Temporary credentials of a role, by the token of an identity provider.
Result<AwsCredentials> AssumeAwsRoleWithToken(const AwsSearch& search,
                                              const AwsWebIdentity& identity);
/// What the single sign-on of a profile gives out, by the token that "aws sso login" has stored.
Result<AwsCredentials> AwsSsoCredentials(const AwsSearch& search, const AwsProfile& profile);
/// What the service of a container runtime gives out.
Result<AwsCredentials> AwsContainerCredentials(const AwsSearch& search);
/// Whether the environment names such a service.
bool HasAwsContainer();
/// What the metadata service of the machine gives out.
Result<AwsCredentials> AwsMachineCredentials(const AwsSearch& search);
/// What a program prints (`credential_process`).
Result<AwsCredentials> AwsProcessCredentials(const AwsSearch& search, const std::string& command);

/// Reads credentials in JSON. `token_name`: the member that has the session token.
Result<AwsCredentials> ReadAwsCredentials(std::string_view json, std::string_view token_name);
/// "2026-01-02T03:04:05Z"; nothing if it is another text.
std::optional<std::chrono::system_clock::time_point> ParseAwsTime(std::string_view text);

}  // namespace kinu::cloud
