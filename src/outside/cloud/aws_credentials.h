// The credentials of AWS programs, from the places where these look for them: the environment, web
// identity tokens, profiles (keys, roles, programs), containers, the machine's metadata service.
// Ref: aws-sdk-go-v2 config resolve_credentials.go.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cloud/aws_profiles.h"
#include "cloud/aws_sigv4.h"

namespace kinu::cloud {

/// A role to assume. Empty parts are not sent.
struct AwsRole {
  std::string arn;
  std::string session_name;  ///< empty: a random one
  std::string external_id;
  std::string duration_seconds;
  std::string policy = {};  ///< JSON that restricts the role further
  std::vector<std::string> policy_arns = {};
  std::map<std::string, std::string> tags = {};
  std::vector<std::string> transitive_tag_keys = {};
};

/// A role that is assumed by the token of an identity provider: the text, or a file with it.
struct AwsWebIdentity {
  AwsRole role;
  std::string token;
  std::string token_file;
};

struct AwsCredentialOptions {
  std::optional<AwsCredentials> keys = {};          ///< used as they are, in place of all places
  std::optional<AwsWebIdentity> web_identity = {};  ///< used in place of all places but `keys`
  std::optional<AwsRole> role = {};  ///< assumed with the credentials that were found
  std::string profile = {};          ///< asked in place of the environment; empty: the current one
  std::string region = {};           ///< of the security token service; empty: as configured
  std::string sts_endpoint = {};     ///< URL of the security token service; empty: as configured
  std::vector<std::string> config_files = {};       ///< in place of the usual one
  std::vector<std::string> credentials_files = {};  ///< in place of the usual one
  /// Only the metadata service at this address is asked (AWS_METADATA_URL). Empty: all places are.
  std::string metadata_endpoint = {};
  std::string machine_endpoint = {};     ///< of the metadata service; empty: as configured
  std::string machine_mode = {};         ///< "IPv4" or "IPv6"; empty: as configured
  std::optional<bool> use_machine = {};  ///< whether the metadata service is asked; as configured
  const std::atomic<bool>* stop = nullptr;  ///< ends running programs
};

/// The credentials of one identity. They are kept in memory and renewed before they expire.
/// Thread-safe.
class AwsIdentity {
 public:
  /// Nothing is read or sent before Get(). `client` must outlive the object.
  AwsIdentity(const net::HttpClient& client, AwsCredentialOptions options)
      : client_(client), options_(std::move(options)) {}

  Result<AwsCredentials> Get();
  /// The credentials before the role of the options is assumed.
  Result<AwsCredentials> Base();

 private:
  Result<AwsCredentials> LockedBase();

  const net::HttpClient& client_;
  AwsCredentialOptions options_;
  std::mutex mutex_;
  std::optional<AwsCredentials> base_;
  std::optional<AwsCredentials> credentials_;
};

/// The region of AWS_REGION, AWS_DEFAULT_REGION or a profile (empty: the current one); empty if
/// none is configured.
std::string ConfiguredAwsRegion(const std::string& profile = {});

}  // namespace kinu::cloud
