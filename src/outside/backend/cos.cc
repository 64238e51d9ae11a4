// The backend "cos": states as objects of a bucket of Tencent Cloud Object Storage.
// Ref: opentofu internal/backend/remote-state/cos.
#include "backend/cos.h"

#include <algorithm>
#include <charconv>

#include "backend/cos_client.h"
#include "backend/object_backend.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "cloud/settings.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/curl_transport.h"
#include "net/url.h"

namespace kinu::backend {
namespace {

/// What one configuration needs to reach its bucket and the service of tags.
struct CosServices {
  CosServices(const net::HttpClient& client, CosOptions options, const std::string& region)
      : tags(client, options.keys, "tag", "2018-08-13", region),
        bucket(client, std::move(options)) {}

  TencentService tags;
  CosBucket bucket;
};

/// How long a role is assumed, in seconds: of the block, else of the environment.
int64_t CosSession(const Value& role) {
  constexpr int64_t kUsual = 7200;
  const std::string_view text = Environment("TENCENTCLOUD_ASSUME_ROLE_SESSION_DURATION");
  int64_t seconds = kUsual;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return cloud::SettingNumber(role, "session_duration", seconds);
}

/// The temporary keys of a role.
Result<TencentKeys> AssumeCosRole(const net::HttpClient& client, const TencentKeys& keys,
                                  const std::string& region, const Value& role) {
  std::string body;
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Member("RoleArn", std::string_view(cloud::SettingText(role, "role_arn")));
  writer.Member("RoleSessionName", std::string_view(cloud::SettingText(role, "session_name")));
  writer.Member("DurationSeconds", CosSession(role));
  if (const std::string policy = cloud::SettingText(role, "policy"); !policy.empty()) {
    writer.Member("Policy", std::string_view(net::QueryEscape(policy)));
  }
  writer.EndObject();
  const TencentService service(client, keys, "sts", "2018-08-13", region);
  KINU_TRY(const std::string answer, service.Call("AssumeRole", std::move(body)));
  const JsonDocument document = ParseJson(answer);
  const JsonNode* given = document.root().Find("Response")->Find("Credentials");
  const auto text = [&](std::string_view name) {
    const JsonNode* value = given != nullptr && given->is_object() ? given->Find(name) : nullptr;
    return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
  };
  TencentKeys assumed{
      .secret_id = text("TmpSecretId"), .secret_key = text("TmpSecretKey"), .token = text("Token")};
  if (assumed.secret_id.empty() || assumed.secret_key.empty()) {
    return Fail(ErrorCode::kInvalid, "AssumeRole: the response has no keys");
  }
  return assumed;
}

/// Regions and buckets become a part of host names.
bool FitsCosHost(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

class CosService final : public ObjectService {
 public:
  explicit CosService(net::Transport& transport)
      : transport_(transport), client_(transport, ServiceClientOptions()) {}
  CosService(const CosService&) = delete;
  CosService& operator=(const CosService&) = delete;

  Traits traits() const override {
    return {.name = "cos", .refused_default = "default state is not allow to delete"};
  }
  void Check(const Value& settings, provider::Problems& problems) const override {
    CheckDirectorySettings(settings, "prefix", problems);
    const std::string acl = cloud::SettingText(settings, "acl", "private");
    if (acl != "private" && acl != "public-read") {
      cloud::AddFailure(problems, "acl value invalid, expected private or public-read, got " + acl);
    }
    if (const Value* roles = cloud::FindSetting(settings, "assume_role")) {
      for (const Value& role : roles->elements()) {
        CheckDuration(cloud::SettingNumber(role, "session_duration", 0), problems);
      }
    }
  }

  ObjectLayout Configure(const Value& settings, provider::Problems& problems) override {
    const std::string region = cloud::SettingText(settings, "region");
    CosOptions options{.bucket = cloud::SettingText(settings, "bucket"),
                       .host = {},
                       .keys = {.secret_id = cloud::SettingText(settings, "secret_id"),
                                .secret_key = cloud::SettingText(settings, "secret_key"),
                                .token = cloud::SettingText(settings, "security_token")},
                       .acl = cloud::SettingText(settings, "acl", "private"),
                       .encrypt = cloud::SettingFlag(settings, "encrypt", true)};
    if (!FitsCosHost(options.bucket) || !FitsCosHost(region)) {
      cloud::AddFailure(problems,
                        "invalid bucket or region: they consist of lowercase letters, digits "
                        "and hyphens");
      return {};
    }
    if (options.keys.secret_id.empty() || options.keys.secret_key.empty()) {
      cloud::AddFailure(problems,
                        "no keys of Tencent Cloud are configured: set secret_id and secret_key, or "
                        "TENCENTCLOUD_SECRET_ID and TENCENTCLOUD_SECRET_KEY");
      return {};
    }
    options.host = options.bucket + ".cos." +
                   (cloud::SettingFlag(settings, "accelerate") ? "accelerate" : region) +
                   ".myqcloud.com";
    if (const Value* roles = cloud::FindSetting(settings, "assume_role")) {
      const net::HttpClient client(transport_);
      for (const Value& role : roles->elements()) {
        auto keys = AssumeCosRole(client, options.keys, region, role);
        if (!keys) {
          cloud::AddFailure(problems, std::move(keys).error().message);
          return {};
        }
        options.keys = *std::move(keys);
      }
    }
    services_.emplace(client_, std::move(options), region);
    const std::string prefix = cloud::SettingText(settings, "prefix");
    ObjectLayout layout =
        DirectoryLayout(prefix, cloud::SettingText(settings, "key", "terraform.tfstate"));
    layout.listed = prefix;
    return layout;
  }

  Result<std::vector<std::string>> List(const std::string& prefix) const override {
    return services_->bucket.List(prefix);
  }

  Result<std::unique_ptr<RemoteClient>> Client(const std::string& key) const override {
    return std::make_unique<CosClient>(services_->bucket, services_->tags, key);
  }

 private:
  static void CheckDuration(int64_t seconds, provider::Problems& problems) {
    constexpr int64_t kLongest = 43200;
    const std::string name = "\"assume_role.0.session_duration\" cannot be ";
    if (seconds < 0) {
      cloud::AddFailure(problems, name + "lower than 0: " + std::to_string(seconds));
    } else if (seconds > kLongest) {
      cloud::AddFailure(problems, name + "higher than 43200: " + std::to_string(seconds));
    }
  }

  net::Transport& transport_;
  net::HttpClient client_;
  std::optional<CosServices> services_;
};

std::unique_ptr<Backend> MakeCos(const StateFlags&) {
  return MakeCosBackend(net::CurlTransport());
}

constexpr Setting kCosRoleParts[] = {
    {.name = "policy", .docs = "Policy that restricts the role."},
    {.name = "role_arn", .docs = "The role.", .required = true},
    {.name = "session_duration",
     .docs = "How long the role is assumed, in seconds.",
     .type = SettingType::kNumber},
    {.name = "session_name", .docs = "Name of the session.", .required = true},
};
constexpr std::string_view kCosRegionVariables[] = {"TENCENTCLOUD_REGION"};
constexpr std::string_view kCosSecretIdVariables[] = {"TENCENTCLOUD_SECRET_ID"};
constexpr std::string_view kCosSecretKeyVariables[] = {"TENCENTCLOUD_SECRET_KEY"};
constexpr std::string_view kCosSecurityTokenVariables[] = {"TENCENTCLOUD_SECURITY_TOKEN"};

constexpr Setting kCosSettings[] = {
    {.name = "accelerate",
     .docs = "Whether the bucket is reached by global acceleration.",
     .type = SettingType::kBool},
    {.name = "acl", .docs = "Access control list: private or public-read."},
    {.name = "assume_role",
     .docs = "A role to assume.",
     .type = SettingType::kBlockSet,
     .parts = kCosRoleParts},
    {.name = "bucket", .docs = "The bucket.", .required = true},
    {.name = "encrypt",
     .docs = "Whether the service encrypts the objects.",
     .type = SettingType::kBool},
    {.name = "key", .docs = "Name of the state below the prefix."},
    {.name = "prefix", .docs = "Directory of the states."},
    {.name = "region",
     .docs = "Region of the bucket.",
     .environment = kCosRegionVariables,
     .required = true},
    {.name = "secret_id", .docs = "ID of the credentials.", .environment = kCosSecretIdVariables},
    {.name = "secret_key",
     .docs = "Secret key of the credentials.",
     .environment = kCosSecretKeyVariables,
     .sensitive = true},
    {.name = "security_token",
     .docs = "Session token of the credentials.",
     .environment = kCosSecurityTokenVariables,
     .sensitive = true},
};

}  // namespace

std::unique_ptr<Backend> MakeCosBackend(net::Transport& transport) {
  return MakeObjectBackend(std::make_unique<CosService>(transport));
}

constexpr BackendSpec kCos{.type = "cos",
                           .docs = "Tencent Cloud Object Storage.",
                           .settings = kCosSettings,
                           .make = MakeCos};

}  // namespace kinu::backend
