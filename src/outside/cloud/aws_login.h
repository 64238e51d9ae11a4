// Who calls AWS's services, and where they are: the settings that the backend s3 and the key
// provider aws_kms have in common. Ref: opentofu internal/backend/remote-state/s3/backend.go,
// internal/encryption/keyprovider/aws_kms/config.go; aws-sdk-go-base.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cloud/aws_service.h"
#include "cty/value.h"
#include "provider/provider.h"

namespace kinu::cloud {

struct AwsLogin {
  std::string region;
  std::string sts_region;
  std::string sts_endpoint, iam_endpoint;  ///< URLs
  AwsCredentialOptions identity;
  AwsTransfer transfer;
  bool check_credentials = true;
  bool ask_account = true;
  std::vector<std::string> allowed_accounts;
  std::vector<std::string> forbidden_accounts;
};

/// Reads the settings, and the variables that stand in for them. Reports files that cannot be read.
AwsLogin ReadAwsLogin(const Value& settings, provider::Problems& problems);

/// Where a service has its URL: an attribute of "endpoints", a deprecated attribute, variables.
struct AwsEndpointNames {
  std::string_view service;
  std::string_view deprecated = {};
  const char* variable = nullptr;
  const char* old_variable = nullptr;
};
/// The URL of a service, without a slash at its end.
std::string AwsEndpointOf(const Value& settings, const AwsEndpointNames& names,
                          const std::string& region);

/// Sends the requests of one login. Services refer to it.
class AwsCaller {
 public:
  AwsCaller(net::Transport& transport, AwsLogin login, const std::string& user_agent);
  AwsCaller(const AwsCaller&) = delete;
  AwsCaller& operator=(const AwsCaller&) = delete;

  AwsService Service(std::string name, std::string region, std::string endpoint);
  /// Reports missing or wrong credentials, a role that cannot be assumed, and an account that must
  /// not be used. `who`: "S3 backend".
  void Check(std::string_view who, provider::Problems& problems);

  const AwsLogin& login() const { return login_; }

 private:
  void FindCredentials(std::string_view who, provider::Problems& problems);
  void CheckAccount(provider::Problems& problems);
  AwsService Sts();
  AwsService Iam();

  AwsLogin login_;
  net::HttpClient client_;
  AwsIdentity identity_;
};

}  // namespace kinu::cloud
