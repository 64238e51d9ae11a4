// The credentials of AWS programs, from the places where these look for them: the environment, web
// identity tokens, profiles (keys, roles, programs), containers, the machine's metadata service.
// Ref: aws-sdk-go-v2 config resolve_credentials.go.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "net/cloud/aws_profiles.h"
#include "net/cloud/aws_sigv4.h"

namespace kinu::net {

struct AwsCredentialOptions {
  std::string profile = {};  ///< asked in place of the environment; empty: the current one
  std::string region = {};   ///< of the security token service; empty: as configured
  /// Only the metadata service at this address is asked (AWS_METADATA_URL). Empty: all places are.
  std::string metadata_endpoint = {};
  const std::atomic<bool>* stop = nullptr;  ///< ends running programs
};

/// The credentials of one identity. They are kept in memory and renewed before they expire.
/// Thread-safe.
class AwsIdentity {
 public:
  /// Nothing is read or sent before Get(). `client` must outlive the object.
  AwsIdentity(const HttpClient& client, AwsCredentialOptions options)
      : client_(client), options_(std::move(options)) {}

  Result<AwsCredentials> Get();

 private:
  const HttpClient& client_;
  AwsCredentialOptions options_;
  std::mutex mutex_;
  std::optional<AwsCredentials> credentials_;
};

/// The region of AWS_REGION, AWS_DEFAULT_REGION or a profile (empty: the current one); empty if
/// none is configured.
std::string ConfiguredAwsRegion(const std::string& profile = {});

}  // namespace kinu::net
