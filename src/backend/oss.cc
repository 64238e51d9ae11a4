// The backend "oss": states as objects of a bucket of Alibaba Cloud Object Storage Service.
// Ref: opentofu internal/backend/remote-state/oss.
#include "backend/oss.h"

#include <algorithm>

#include "addrs/compatible_version.h"
#include "backend/alibaba_login.h"
#include "backend/new_workspace.h"
#include "backend/oss_client.h"
#include "backend/remote_store.h"
#include "backend/settings.h"
#include "backend/specs.h"
#include "base/files.h"
#include "net/curl_transport.h"

namespace kinu::backend {
namespace {

constexpr int64_t kShortestSession = 900;
constexpr int64_t kLongestSession = 3600;

/// Reports a session that is shorter or longer than the service allows. `value` 0: not given.
void CheckSession(std::string_view name, int64_t value, provider::Problems& problems) {
  if (value != 0 && (value < kShortestSession || value > kLongestSession)) {
    AddFailure(problems, "expected " + std::string(name) +
                             " to be in the range (900 - 3600), got " + std::to_string(value));
  }
}

/// What one configuration needs to reach its bucket and its table.
struct OssService {
  explicit OssService(net::Transport& transport)
      : client(transport, {.user_agent = "OpenTofu/" + std::string(kCompatibleVersion),
                           .stop = nullptr,
                           .wait = {}}) {}
  OssService(const OssService&) = delete;
  OssService& operator=(const OssService&) = delete;

  net::HttpClient client;
  std::optional<OssBucket> bucket;
  std::optional<TablestoreTable> table;
};

/// A client that keeps what it refers to.
class OssStateClient final : public RemoteClient {
 public:
  OssStateClient(std::shared_ptr<OssService> service, std::string name)
      : service_(std::move(service)),
        client_(*service_->bucket, service_->table ? &*service_->table : nullptr, std::move(name)) {
  }

  Result<std::optional<std::string>> Get() override { return client_.Get(); }
  Result<void> Put(std::string_view bytes) override { return client_.Put(bytes); }
  Result<void> Delete() override { return client_.Delete(); }
  Result<std::string> Lock(const state::LockInfo& info) override { return client_.Lock(info); }
  Result<void> Unlock(std::string_view id) override { return client_.Unlock(id); }
  bool can_lock() const override { return client_.can_lock(); }

 private:
  std::shared_ptr<OssService> service_;
  OssClient client_;
};

/// The name of a bucket becomes a part of URLs: reports one that the service does not allow.
void CheckOssBucket(const std::string& bucket, provider::Problems& problems) {
  const bool fits = bucket.size() >= 3 && bucket.size() <= 63 && bucket.front() != '-' &&
                    bucket.back() != '-' && std::ranges::all_of(bucket, [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
                    });
  if (!fits) {
    AddFailure(problems, "invalid bucket name \"" + bucket +
                             "\": it must be 3-63 lowercase letters, digits and hyphens, without a "
                             "hyphen at its ends");
  }
}

class OssBackend final : public Backend {
 public:
  explicit OssBackend(net::Transport& transport) : transport_(transport) {}

  void Check(const Value& settings, provider::Problems& problems) const override {
    const std::string prefix = SettingText(settings, "prefix");
    if (prefix.starts_with('/') || prefix.starts_with("./")) {
      AddFailure(problems, "workspace_key_prefix must not start with '/' or './'");
    }
    const std::string key = SettingText(settings, "key");
    if (key.starts_with('/') || key.ends_with('/')) {
      AddFailure(problems, "key can not start and end with '/'");
    }
    const std::string acl = SettingText(settings, "acl");
    if (!acl.empty() && acl != "private" && acl != "public-read" && acl != "public-read-write") {
      AddFailure(problems,
                 "\"acl\" must be a valid ACL value , expected private, public-read or "
                 "public-read-write, got \"" +
                     acl + '"');
    }
    CheckSession("assume_role_session_expiration",
                 SettingNumber(settings, "assume_role_session_expiration", 0), problems);
    if (const Value* roles = FindSetting(settings, "assume_role")) {
      for (const Value& role : roles->elements()) {
        CheckSession("assume_role.0.session_expiration",
                     SettingNumber(role, "session_expiration", 0), problems);
      }
    }
  }

  void Configure(const Value& settings, provider::Problems& problems) override {
    prefix_ = FindSetting(settings, "prefix") == nullptr ? "env:" : SettingText(settings, "prefix");
    prefix_.erase(0, prefix_.find_first_not_of('/'));
    prefix_.erase(prefix_.find_last_not_of('/') + 1);
    key_ = SettingText(settings, "key", "terraform.tfstate");
    OssOptions options{.bucket = SettingText(settings, "bucket"),
                       .endpoint = {},
                       .keys = {},
                       .acl = SettingText(settings, "acl"),
                       .encrypt = SettingFlag(settings, "encrypt")};
    std::string table = SettingText(settings, "tablestore_table");
    std::string table_endpoint = SettingText(settings, "tablestore_endpoint");
    CheckOssBucket(options.bucket, problems);
    if (!table.empty() && table_endpoint.empty()) {
      AddFailure(problems, "tablestore_table needs tablestore_endpoint");
    }
    if (provider::HasErrors(problems)) {
      return;
    }
    auto service = std::make_shared<OssService>(transport_);
    auto login = FindAlibabaLogin(service->client, settings);
    if (!login) {
      AddFailure(problems, std::move(login).error().message);
      return;
    }
    if (!table.empty()) {
      if (!table_endpoint.starts_with("http")) {
        table_endpoint.insert(0, "https://");
      }
      table_endpoint.erase(table_endpoint.find_last_not_of('/') + 1);
      service->table.emplace(service->client, login->keys, std::move(table_endpoint),
                             std::move(table));
    }
    options.endpoint = std::move(login->endpoint);
    options.keys = std::move(login->keys);
    service->bucket.emplace(service->client, std::move(options));
    service_ = std::move(service);
  }

  Result<std::vector<std::string>> Workspaces() override {
    const std::string start = prefix_.empty() ? "" : prefix_ + '/';
    KINU_TRY(const std::vector<std::string> objects, service_->bucket->List(start));
    std::vector<std::string> names;
    for (const std::string& object : objects) {
      const std::string_view rest =
          object.starts_with(start) ? std::string_view(object).substr(start.size()) : "";
      const size_t slash = rest.find('/');
      if (slash != rest.npos && slash > 0 && rest.substr(slash + 1) == key_) {
        names.emplace_back(rest.substr(0, slash));
      }
    }
    std::ranges::sort(names);
    names.insert(names.begin(), std::string(kDefaultWorkspace));
    return names;
  }

  Result<void> DeleteWorkspace(std::string_view name) override {
    if (name.empty() || name == kDefaultWorkspace) {
      return Fail(ErrorCode::kInvalid, "can't delete default state");
    }
    KINU_TRY(const std::unique_ptr<OssStateClient> client, ClientOf(name));
    return client->Delete();
  }

  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                             std::shared_ptr<Program> program,
                                             Opening opening) override {
    KINU_TRY(std::unique_ptr<OssStateClient> client, ClientOf(workspace));
    auto store = std::make_unique<RemoteStore>(std::move(client), StoringOf(workspace));
    KINU_TRY(const std::vector<std::string> names, Workspaces());
    if (std::ranges::find(names, workspace) == names.end() && opening == Opening::kMake) {
      if (auto made = StartWorkspace(*store, std::move(program), "OSS"); !made) {
        return std::unexpected(std::move(made).error());
      }
    }
    return store;
  }

 private:
  /// The client of a workspace. Fails if there is no table of locks.
  Result<std::unique_ptr<OssStateClient>> ClientOf(std::string_view workspace) {
    if (service_->table) {
      if (auto found = service_->table->Describe(); !found) {
        return Fail(found.error().code, "error describing table store " + service_->table->table() +
                                            ": " + std::move(found).error().message);
      }
    }
    const std::string directory =
        workspace == kDefaultWorkspace ? prefix_ : JoinPath(prefix_, workspace);
    return std::make_unique<OssStateClient>(service_, JoinPath(directory, key_));
  }

  net::Transport& transport_;
  std::string prefix_;
  std::string key_;
  std::shared_ptr<OssService> service_;
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
     .environment = kOssAssumeRoleSessionExpirationVariables},
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
  return std::make_unique<OssBackend>(transport);
}

constexpr BackendSpec kOss{.type = "oss",
                           .docs = "Alibaba Cloud Object Storage Service.",
                           .settings = kOssSettings,
                           .make = MakeOss};

}  // namespace kinu::backend
