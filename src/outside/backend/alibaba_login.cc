#include "backend/alibaba_login.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>

#include "base/environment.h"
#include "base/files.h"
#include "cloud/aws_sigv4.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "json/reader.h"
#include "net/url.h"

namespace kinu::backend {
namespace {

constexpr std::chrono::seconds kAnswerLimit{30};
constexpr int64_t kUsualSession = 3600;

int64_t AlibabaNumber(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The profile of the file that the Alibaba command line keeps.
class AlibabaProfile {
 public:
  /// Reads the profile that the settings name, if they do.
  explicit AlibabaProfile(const Value& settings) {
    const std::string name = cloud::SettingText(settings, "profile");
    if (name.empty()) {
      return;
    }
    std::string path = cloud::SettingText(settings, "shared_credentials_file");
    if (path.empty()) {
      path = "~/.aliyun/config.json";
    }
    if (path.starts_with("~/")) {
      path = JoinPath(Environment("HOME"), path.substr(2));
    }
    auto text = ReadFile(path);
    if (!text) {
      problem_ = std::move(text).error().message;
      return;
    }
    text_ = *std::move(text);
    document_ = ParseJson(text_);
    const JsonNode* all = document_.ok() && document_.root().is_object()
                              ? document_.root().Find("profiles")
                              : nullptr;
    if (all == nullptr || !all->is_array()) {
      problem_ = "the file " + path + " is no list of profiles in JSON";
      return;
    }
    for (const JsonNode& profile : all->elements()) {
      if (profile.ScalarOf("name") == name) {
        profile_ = &profile;
        mode_ = profile.ScalarOf("mode");
      }
    }
    if (profile_ == nullptr) {
      problem_ = "the file " + path + " has no profile \"" + name + '"';
    }
  }
  AlibabaProfile(const AlibabaProfile&) = delete;
  AlibabaProfile& operator=(const AlibabaProfile&) = delete;

  /// The profile's text; empty where it has none. `mode`: the only one whose text counts; empty:
  /// any.
  std::string Text(std::string_view name, std::string_view mode = {}) const {
    const bool counts = !mode_.empty() && (mode.empty() || mode == mode_);
    return profile_ != nullptr && counts ? profile_->ScalarOf(name) : std::string();
  }
  const std::string& mode() const { return mode_; }
  /// Why the profile cannot be used; empty: it can, or none is named.
  const std::string& problem() const { return problem_; }

 private:
  std::string text_;
  JsonDocument document_;  // has views into the text
  const JsonNode* profile_ = nullptr;
  std::string mode_;
  std::string problem_;
};

std::string Either(std::string setting, std::string otherwise) {
  return setting.empty() ? std::move(otherwise) : std::move(setting);
}

/// Adds a scheme to an address that has none, and removes slashes at its end.
std::string AsUrl(std::string address) {
  if (!address.starts_with("http")) {
    address.insert(0, "https://");
  }
  while (address.ends_with('/')) {
    address.pop_back();
  }
  return address;
}

/// Calls an operation of a service in the RPC style: everything is in the query, which is signed.
/// Returns the response.
Result<std::string> CallAlibaba(const net::HttpClient& client, const AlibabaKeys& keys,
                                const std::string& method, const std::string& url,
                                net::QueryArguments arguments) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char time[40];
  const size_t size = std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &parts);
  arguments.insert(arguments.end(), {{"Format", "JSON"},
                                     {"Timestamp", std::string(time, size)},
                                     {"SignatureMethod", "HMAC-SHA1"},
                                     {"SignatureVersion", "1.0"},
                                     {"SignatureType", ""},
                                     {"SignatureNonce", RandomUuid()},
                                     {"AccessKeyId", keys.access_key}});
  if (!keys.security_token.empty()) {
    arguments.emplace_back("SecurityToken", keys.security_token);
  }
  std::ranges::sort(arguments);
  std::string query;
  for (const auto& [name, value] : arguments) {
    query += (query.empty() ? "" : "&") + cloud::AwsEscape(name) + '=' + cloud::AwsEscape(value);
  }
  const std::string text = method + "&%2F&" + cloud::AwsEscape(query);
  net::HttpRequest request;
  request.method = method;
  request.url = url + "/?" + query + "&Signature=" +
                cloud::AwsEscape(EncodeBase64(Hmac(HashKind::kSha1, keys.secret_key + '&', text)));
  request.headers.Set("Content-Type", "application/x-www-form-urlencoded");
  request.timeout = kAnswerLimit;
  request.max_redirects = 0;
  request.retry = {.retries = 3,
                   .first_wait = std::chrono::milliseconds(500),
                   .max_wait = std::chrono::milliseconds(4000),
                   .keep_last = true};
  KINU_TRY(net::HttpResponse response, client.Send(request));
  const JsonDocument document = ParseJson(response.body);
  if (!response.ok()) {
    const std::string code = document.ok() ? document.root().ScalarOf("Code") : std::string();
    return Fail(ErrorCode::kUnavailable,
                response.StatusText() +
                    (code.empty() ? "" : ": " + code + ": " + document.root().ScalarOf("Message")));
  }
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid, "the response is no JSON object");
  }
  return std::move(response.body);
}

/// The keys of the role of the machine.
Result<AlibabaKeys> AskAlibabaMachine(const net::HttpClient& client, const std::string& role) {
  net::HttpRequest request;
  request.url =
      "http://100.100.100.200/latest/meta-data/ram/security-credentials/" + cloud::AwsEscape(role);
  request.timeout = kAnswerLimit;
  auto response = client.Send(request);
  if (!response) {
    return Fail(response.error().code, "get Ecs sts token err: " + response.error().message);
  }
  const JsonDocument document = ParseJson(response->body);
  if (!response->ok() || !document.ok() || document.root().ScalarOf("Code") != "Success") {
    return Fail(ErrorCode::kUnavailable, "get Ecs sts token err: " + response->StatusText());
  }
  AlibabaKeys keys{.access_key = document.root().ScalarOf("AccessKeyId"),
                   .secret_key = document.root().ScalarOf("AccessKeySecret"),
                   .security_token = document.root().ScalarOf("SecurityToken")};
  if (keys.access_key.empty() || keys.secret_key.empty() || keys.security_token.empty()) {
    return Fail(
        ErrorCode::kInvalid,
        "there is no any available accesskey, secret and security token for Ecs role " + role);
  }
  return keys;
}

/// A role to assume.
struct AlibabaRole {
  std::string arn;
  std::string session = {};
  std::string policy = {};
  int64_t seconds = 0;
};

/// A setting of a block, or the value of a variable where it is not set.
std::string PartOrVariable(const Value& block, std::string_view name, const char* variable) {
  return cloud::SettingText(block, name, Environment(variable));
}

AlibabaRole RoleOf(const Value& settings, const AlibabaProfile& profile) {
  constexpr std::string_view kMode = "RamRoleArn";
  AlibabaRole role{.arn = profile.Text("ram_role_arn", kMode),
                   .session = profile.Text("ram_session_name", kMode),
                   .seconds = AlibabaNumber(profile.Text("expired_seconds", kMode))};
  const Value* blocks = cloud::FindSetting(settings, "assume_role");
  if (const std::string arn = cloud::SettingText(settings, "assume_role_role_arn"); !arn.empty()) {
    role.arn = arn;
    role.session = cloud::SettingText(settings, "assume_role_session_name", role.session);
    role.policy = cloud::SettingText(settings, "assume_role_policy");
    role.seconds = cloud::SettingNumber(settings, "assume_role_session_expiration", role.seconds);
  } else if (blocks != nullptr) {
    for (const Value& block : blocks->elements()) {
      role.arn = cloud::SettingText(block, "role_arn", role.arn);
      role.session = Either(
          PartOrVariable(block, "session_name", "ALICLOUD_ASSUME_ROLE_SESSION_NAME"), role.session);
      role.policy = cloud::SettingText(block, "policy");
      role.seconds = cloud::SettingNumber(block, "session_expiration", 0);
    }
  }
  role.session = Either(role.session, "tofu");
  if (role.seconds == 0) {
    role.seconds =
        AlibabaNumber(std::string(Environment("ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION")));
  }
  role.seconds = role.seconds == 0 ? kUsualSession : role.seconds;
  return role;
}

Result<AlibabaKeys> AssumeAlibabaRole(const net::HttpClient& client, const AlibabaKeys& keys,
                                      const AlibabaRole& role, std::string endpoint,
                                      const std::string& region) {
  if (endpoint.empty()) {
    endpoint = "sts." + (region.empty() ? "" : region + '.') + "aliyuncs.com";
  }
  net::QueryArguments arguments = {{"Action", "AssumeRole"},
                                   {"Version", "2015-04-01"},
                                   {"RegionId", region},
                                   {"RoleArn", role.arn},
                                   {"RoleSessionName", role.session},
                                   {"DurationSeconds", std::to_string(role.seconds)}};
  if (!role.policy.empty()) {
    arguments.emplace_back("Policy", role.policy);
  }
  auto answer = CallAlibaba(client, keys, "POST", AsUrl(std::move(endpoint)), std::move(arguments));
  if (!answer) {
    return Fail(answer.error().code,
                "assuming the role " + role.arn + ": " + answer.error().message);
  }
  const JsonDocument document = ParseJson(*answer);
  const JsonNode* given = document.root().Find("Credentials");
  AlibabaKeys assumed;
  if (given != nullptr) {
    assumed = {.access_key = given->ScalarOf("AccessKeyId"),
               .secret_key = given->ScalarOf("AccessKeySecret"),
               .security_token = given->ScalarOf("SecurityToken")};
  }
  if (assumed.access_key.empty() || assumed.secret_key.empty()) {
    return Fail(ErrorCode::kInvalid,
                "assuming the role " + role.arn + ": the response has no keys");
  }
  return assumed;
}

/// The address of the object store of a region, as the location service knows it.
std::string AskAlibabaEndpoint(const net::HttpClient& client, const AlibabaKeys& keys,
                               const std::string& region) {
  const auto answer = CallAlibaba(client, keys, "GET", "https://location-readonly.aliyuncs.com",
                                  {{"Action", "DescribeEndpoints"},
                                   {"Version", "2015-06-12"},
                                   {"RegionId", region},
                                   {"ServiceCode", "oss"},
                                   {"Id", region}});
  const JsonDocument document = ParseJson(answer ? std::string_view(*answer) : "{}");
  const JsonNode* outer = document.root().Find("Endpoints");
  const JsonNode* list = outer != nullptr && outer->is_object() ? outer->Find("Endpoint") : nullptr;
  if (list != nullptr && list->is_array()) {
    for (const JsonNode& entry : list->elements()) {
      if (entry.ScalarOf("Type") == "openAPI") {
        return entry.ScalarOf("Endpoint");
      }
    }
  }
  return {};
}

}  // namespace

Result<AlibabaLogin> FindAlibabaLogin(const net::HttpClient& client, const Value& settings) {
  const AlibabaProfile profile(settings);
  const bool has_keys = profile.mode() != "EcsRamRole";
  AlibabaLogin login;
  AlibabaKeys& keys = login.keys;
  keys.access_key = Either(cloud::SettingText(settings, "access_key"),
                           has_keys ? profile.Text("access_key_id") : std::string());
  keys.secret_key = Either(cloud::SettingText(settings, "secret_key"),
                           has_keys ? profile.Text("access_key_secret") : std::string());
  keys.security_token =
      Either(cloud::SettingText(settings, "security_token"), profile.Text("sts_token", "StsToken"));
  const std::string region =
      Either(cloud::SettingText(settings, "region"), profile.Text("region_id"));
  if (keys.access_key.empty()) {
    const std::string role = Either(cloud::SettingText(settings, "ecs_role_name"),
                                    profile.Text("ram_role_name", "EcsRamRole"));
    if (role.empty()) {
      return Fail(ErrorCode::kInvalid,
                  profile.problem().empty()
                      ? "no keys of Alibaba Cloud are configured: set access_key and secret_key, "
                        "profile, or ecs_role_name"
                      : profile.problem());
    }
    KINU_TRY(keys, AskAlibabaMachine(client, role));
  }
  if (const AlibabaRole role = RoleOf(settings, profile); !role.arn.empty()) {
    KINU_TRY(keys, AssumeAlibabaRole(client, keys, role,
                                     cloud::SettingText(settings, "sts_endpoint"), region));
  }
  login.endpoint = cloud::SettingText(settings, "endpoint");
  if (login.endpoint.empty() && region.empty()) {
    return Fail(ErrorCode::kInvalid, "the object store has no address: set region or endpoint");
  }
  if (login.endpoint.empty()) {
    login.endpoint =
        Either(AskAlibabaEndpoint(client, keys, region), "oss-" + region + ".aliyuncs.com");
  }
  login.endpoint = AsUrl(std::move(login.endpoint));
  return login;
}

}  // namespace kinu::backend
