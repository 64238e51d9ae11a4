// The backend "oss": states as objects of a bucket of Alibaba Cloud Object Storage Service.
// Ref: opentofu internal/backend/remote-state/oss.
#include "backend/oss.h"

#include <algorithm>

#include "backend/alibaba_login.h"
#include "backend/object_backend.h"
#include "backend/oss_client.h"
#include "backend/specs.h"
#include "backend/tablestore.h"
#include "cloud/settings.h"
#include "net/curl_transport.h"

namespace kinu::backend {
namespace {

constexpr int64_t kShortestSession = 900;
constexpr int64_t kLongestSession = 3600;

/// Reports a session that is shorter or longer than the service allows. `value` 0: not given.
void CheckSession(std::string_view name, int64_t value, provider::Problems& problems) {
  if (value != 0 && (value < kShortestSession || value > kLongestSession)) {
    cloud::AddFailure(problems, "expected " + std::string(name) +
                                    " to be in the range (900 - 3600), got " +
                                    std::to_string(value));
  }
}

/// The name of a bucket becomes a part of URLs: reports one that the service does not allow.
void CheckOssBucket(const std::string& bucket, provider::Problems& problems) {
  const bool fits = bucket.size() >= 3 && bucket.size() <= 63 && bucket.front() != '-' &&
                    bucket.back() != '-' && std::ranges::all_of(bucket, [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                    });
  if (!fits) {
    cloud::AddFailure(problems,
                      "invalid bucket name \"" + bucket +
                          "\": it must be 3-63 lowercase letters, digits and hyphens, without a "
                          "hyphen at its ends");
  }
}

class OssService final : public ObjectService {
 public:
  explicit OssService(net::Transport& transport) : client_(transport, ServiceClientOptions()) {}
  OssService(const OssService&) = delete;
  OssService& operator=(const OssService&) = delete;

  Traits traits() const override { return {.name = "OSS"}; }
  void Check(const Value& settings, provider::Problems& problems) const override {
    CheckDirectorySettings(settings, "workspace_key_prefix", problems);
    const std::string acl = cloud::SettingText(settings, "acl");
    if (!acl.empty() && acl != "private" && acl != "public-read" && acl != "public-read-write") {
      cloud::AddFailure(problems,
                        "\"acl\" must be a valid ACL value , expected private, public-read or "
                        "public-read-write, got \"" +
                            acl + '"');
    }
    CheckSession("assume_role_session_expiration",
                 cloud::SettingNumber(settings, "assume_role_session_expiration", 0), problems);
    if (const Value* roles = cloud::FindSetting(settings, "assume_role")) {
      for (const Value& role : roles->elements()) {
        CheckSession("assume_role.0.session_expiration",
                     cloud::SettingNumber(role, "session_expiration", 0), problems);
      }
    }
  }

  ObjectLayout Configure(const Value& settings, provider::Problems& problems) override {
    OssOptions options{.bucket = cloud::SettingText(settings, "bucket"),
                       .endpoint = {},
                       .keys = {},
                       .acl = cloud::SettingText(settings, "acl"),
                       .encrypt = cloud::SettingFlag(settings, "encrypt")};
    std::string table = cloud::SettingText(settings, "tablestore_table");
    std::string table_endpoint = cloud::SettingText(settings, "tablestore_endpoint");
    CheckOssBucket(options.bucket, problems);
    if (!table.empty() && table_endpoint.empty()) {
      cloud::AddFailure(problems, "tablestore_table needs tablestore_endpoint");
    }
    if (provider::HasErrors(problems)) {
      return {};
    }
    auto login = FindAlibabaLogin(client_, settings);
    if (!login) {
      cloud::AddFailure(problems, std::move(login).error().message);
      return {};
    }
    if (!table.empty()) {
      if (!table_endpoint.starts_with("http")) {
        table_endpoint.insert(0, "https://");
      }
      table_endpoint.erase(table_endpoint.find_last_not_of('/') + 1);
      table_.emplace(client_, login->keys, std::move(table_endpoint), std::move(table));
    }
    options.endpoint = std::move(login->endpoint);
    options.keys = std::move(login->keys);
    bucket_.emplace(client_, std::move(options));
    std::string prefix = cloud::FindSetting(settings, "prefix") == nullptr
                             ? "env:"
                             : cloud::SettingText(settings, "prefix");
    prefix.erase(0, prefix.find_first_not_of('/'));
    return DirectoryLayout(prefix, cloud::SettingText(settings, "key", "terraform.tfstate"));
  }

  Result<std::vector<std::string>> List(const std::string& prefix) const override {
    return bucket_->List(prefix);
  }

  /// Fails if there is no table of locks.
  Result<std::unique_ptr<RemoteClient>> Client(const std::string& key) const override {
    if (table_) {
      if (auto found = table_->Describe(); !found) {
        return Fail(found.error().code, "error describing table store " + table_->table() + ": " +
                                            found.error().message);
      }
    }
    return std::make_unique<OssClient>(*bucket_, table_ ? &*table_ : nullptr, key);
  }

 private:
  net::HttpClient client_;
  std::optional<OssBucket> bucket_;
  std::optional<TablestoreTable> table_;
};

std::unique_ptr<Backend> MakeOss(const StateFlags&) {
  return MakeOssBackend(net::CurlTransport());
}

constexpr Setting kOssRoleParts[] = {
    {.name = "policy", .docs = "Policy that restricts the role."},
    {.name = "role_arn", .docs = "The role.", .required = true},
    {.name = "session_expiration",
     .docs = "How long the role is assumed, in seconds.",
     .type = SettingType::kNumber},
    {.name = "session_name", .docs = "Name of the session."},
};
constexpr std::string_view kOssAccessKeyVariables[] = {"ALICLOUD_ACCESS_KEY",
                                                       "ALICLOUD_ACCESS_KEY_ID"};
constexpr std::string_view kOssAssumeRoleRoleArnVariables[] = {"ALICLOUD_ASSUME_ROLE_ARN"};
constexpr std::string_view kOssAssumeRoleSessionExpirationVariables[] = {
    "ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION"};
constexpr std::string_view kOssAssumeRoleSessionNameVariables[] = {
    "ALICLOUD_ASSUME_ROLE_SESSION_NAME"};
constexpr std::string_view kOssEcsRoleNameVariables[] = {"ALICLOUD_ECS_ROLE_NAME"};
constexpr std::string_view kOssEndpointVariables[] = {"ALICLOUD_OSS_ENDPOINT", "OSS_ENDPOINT"};
constexpr std::string_view kOssProfileVariables[] = {"ALICLOUD_PROFILE"};
constexpr std::string_view kOssRegionVariables[] = {"ALICLOUD_REGION", "ALICLOUD_DEFAULT_REGION"};
constexpr std::string_view kOssSecretKeyVariables[] = {"ALICLOUD_SECRET_KEY",
                                                       "ALICLOUD_ACCESS_KEY_SECRET"};
constexpr std::string_view kOssSecurityTokenVariables[] = {"ALICLOUD_SECURITY_TOKEN"};
constexpr std::string_view kOssSharedCredentialsFileVariables[] = {
    "ALICLOUD_SHARED_CREDENTIALS_FILE"};
constexpr std::string_view kOssStsEndpointVariables[] = {"ALICLOUD_STS_ENDPOINT"};
constexpr std::string_view kOssTablestoreEndpointVariables[] = {"ALICLOUD_TABLESTORE_ENDPOINT"};

constexpr Setting kOssSettings[] = {
    {.name = "access_key",
     .docs = "Access key of the credentials.",
     .environment = kOssAccessKeyVariables},
    {.name = "acl", .docs = "Access control list: private, public-read or public-read-write."},
    {.name = "assume_role",
     .docs = "Deprecated: assume_role_role_arn and others.",
     .type = SettingType::kBlockSet,
     .parts = kOssRoleParts},
    {.name = "assume_role_policy", .docs = "Policy that restricts the role."},
    {.name = "assume_role_role_arn",
     .docs = "A role to assume.",
     .environment = kOssAssumeRoleRoleArnVariables},
    {.name = "assume_role_session_expiration",
     .docs = "How long the role is assumed, in seconds.",
     .type = SettingType::kNumber,
     .environment = kOssAssumeRoleSessionExpirationVariables,
     .form = EnvironmentForm::kIfNumber},
    {.name = "assume_role_session_name",
     .docs = "Name of the session.",
     .environment = kOssAssumeRoleSessionNameVariables},
    {.name = "bucket", .docs = "The bucket.", .required = true},
    {.name = "ecs_role_name",
     .docs = "Role of the machine.",
     .environment = kOssEcsRoleNameVariables},
    {.name = "encrypt",
     .docs = "Whether the service encrypts the objects.",
     .type = SettingType::kBool},
    {.name = "endpoint", .docs = "URL of the object store.", .environment = kOssEndpointVariables},
    {.name = "key", .docs = "Name of the state below the prefix."},
    {.name = "prefix", .docs = "Directory of the states."},
    {.name = "profile",
     .docs = "Profile of the shared credentials.",
     .environment = kOssProfileVariables},
    {.name = "region", .docs = "Region of the bucket.", .environment = kOssRegionVariables},
    {.name = "secret_key",
     .docs = "Secret key of the credentials.",
     .environment = kOssSecretKeyVariables},
    {.name = "security_token",
     .docs = "Session token of the credentials.",
     .environment = kOssSecurityTokenVariables},
    {.name = "shared_credentials_file",
     .docs = "File with the shared credentials.",
     .environment = kOssSharedCredentialsFileVariables},
    {.name = "sts_endpoint",
     .docs = "URL of the security token service.",
     .environment = kOssStsEndpointVariables},
    {.name = "tablestore_endpoint",
     .docs = "URL of the table of locks.",
     .environment = kOssTablestoreEndpointVariables},
    {.name = "tablestore_table", .docs = "The table of locks."},
};

}  // namespace

std::unique_ptr<Backend> MakeOssBackend(net::Transport& transport) {
  return MakeObjectBackend(std::make_unique<OssService>(transport));
}

constexpr BackendSpec kOss{.type = "oss",
                           .docs = "Alibaba Cloud Object Storage Service.",
                           .settings = kOssSettings,
                           .make = MakeOss};

}  // namespace kinu::backend
