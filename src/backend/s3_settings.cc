#include "backend/s3_settings.h"

#include "backend/settings.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "base/files.h"
#include "codec/base64.h"
#include "text/duration.h"

namespace kinu::backend {
namespace {

using provider::Problems;

/// The setting, or the first of two variables that is set.
std::string TextOr(const Value& settings, std::string_view name, const char* a,
                   const char* b = nullptr) {
  if (const Value* value = FindSetting(settings, name)) {
    return std::string(value->AsString());
  }
  std::string_view text = Environment(a);
  if (text.empty() && b != nullptr) {
    text = Environment(b);
  }
  return std::string(text);
}

/// The setting or, where it is null, what one of two variables says.
bool FlagOr(const Value& settings, std::string_view name, const char* variable) {
  return FindSetting(settings, name) != nullptr ? SettingFlag(settings, name)
                                                : Environment(variable) == "true";
}

/// Where a service has its URL: an attribute of "endpoints", a deprecated attribute, variables.
struct EndpointNames {
  std::string_view service;
  std::string_view deprecated;
  const char* variable;
  const char* old_variable;
};
constexpr EndpointNames kS3Endpoint{"s3", "endpoint", "AWS_ENDPOINT_URL_S3", "AWS_S3_ENDPOINT"};
constexpr EndpointNames kIamEndpoint{"iam", "iam_endpoint", "AWS_ENDPOINT_URL_IAM",
                                     "AWS_IAM_ENDPOINT"};
constexpr EndpointNames kStsEndpoint{"sts", "sts_endpoint", "AWS_ENDPOINT_URL_STS",
                                     "AWS_STS_ENDPOINT"};
constexpr EndpointNames kDynamodbEndpoint{"dynamodb", "dynamodb_endpoint",
                                          "AWS_ENDPOINT_URL_DYNAMODB", "AWS_DYNAMODB_ENDPOINT"};

std::string WithoutSlash(std::string url) {
  while (url.ends_with('/')) {
    url.pop_back();
  }
  return url;
}

std::string EndpointOf(const Value& settings, const EndpointNames& names,
                       const std::string& region) {
  const Value* all = FindSetting(settings, "endpoints");
  std::string url = all == nullptr ? std::string() : SettingText(*all, names.service);
  if (url.empty()) {
    url = TextOr(settings, names.deprecated, names.variable, names.old_variable);
  }
  if (!url.empty()) {
    return WithoutSlash(url.find("://") == url.npos ? "https://" + url : url);
  }
  if (Environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") != "true") {
    if (const std::string_view any = Environment("AWS_ENDPOINT_URL"); !any.empty()) {
      return WithoutSlash(std::string(any));
    }
  }
  const net::AwsEndpointKind kind{
      .dualstack = FlagOr(settings, "use_dualstack_endpoint", "AWS_USE_DUALSTACK_ENDPOINT"),
      .fips = FlagOr(settings, "use_fips_endpoint", "AWS_USE_FIPS_ENDPOINT")};
  // The identity service has one address for all regions of a partition.
  if (names.service == "iam" && !region.starts_with("cn-") && !region.starts_with("us-gov-")) {
    return "https://iam.amazonaws.com";
  }
  return net::AwsEndpoint(names.service, region, kind);
}

std::string SecondsOf(const std::string& duration) {
  constexpr int64_t kSecond = 1'000'000'000;
  const auto time = text::ParseDuration(duration);
  return time ? std::to_string(*time / kSecond) : std::string();
}

net::AwsRole RoleIn(const Value& object) {
  return {.arn = SettingText(object, "role_arn"),
          .session_name = SettingText(object, "session_name"),
          .external_id = SettingText(object, "external_id"),
          .duration_seconds = SecondsOf(SettingText(object, "duration")),
          .policy = SettingText(object, "policy"),
          .policy_arns = SettingTexts(object, "policy_arns"),
          .tags = SettingMap(object, "tags"),
          .transitive_tag_keys = SettingTexts(object, "transitive_tag_keys")};
}

net::AwsRole FlatRole(const Value& settings) {
  const int64_t seconds = SettingNumber(settings, "assume_role_duration_seconds", 0);
  return {.arn = SettingText(settings, "role_arn"),
          .session_name = SettingText(settings, "session_name"),
          .external_id = SettingText(settings, "external_id"),
          .duration_seconds = seconds != 0 ? std::to_string(seconds) : "",
          .policy = SettingText(settings, "assume_role_policy"),
          .policy_arns = SettingTexts(settings, "assume_role_policy_arns"),
          .tags = SettingMap(settings, "assume_role_tags"),
          .transitive_tag_keys = SettingTexts(settings, "assume_role_transitive_tag_keys")};
}

std::vector<std::string> Files(const Value& settings, std::string_view name, const char* variable) {
  std::vector<std::string> files = SettingTexts(settings, name);
  if (FindSetting(settings, name) == nullptr && !Environment(variable).empty()) {
    files.emplace_back(Environment(variable));
  }
  return files;
}

net::AwsCredentialOptions IdentityOf(const Value& settings) {
  net::AwsCredentialOptions identity;
  net::AwsCredentials keys{.access_key = SettingText(settings, "access_key"),
                           .secret_key = SettingText(settings, "secret_key"),
                           .session_token = SettingText(settings, "token"),
                           .expires = {}};
  if (!keys.access_key.empty() || !keys.secret_key.empty() || !keys.session_token.empty()) {
    identity.keys = std::move(keys);
  }
  if (const Value* role = FindSetting(settings, "assume_role_with_web_identity")) {
    net::AwsWebIdentity web;
    web.role = RoleIn(*role);
    web.role.arn = TextOr(*role, "role_arn", "AWS_ROLE_ARN");
    web.role.session_name = TextOr(*role, "session_name", "AWS_ROLE_SESSION_NAME");
    web.token = TextOr(*role, "web_identity_token", "AWS_WEB_IDENTITY_TOKEN");
    web.token_file = TextOr(*role, "web_identity_token_file", "AWS_WEB_IDENTITY_TOKEN_FILE");
    identity.web_identity = std::move(web);
  }
  if (const Value* role = FindSetting(settings, "assume_role")) {
    identity.role = RoleIn(*role);
  } else if (FindSetting(settings, "role_arn") != nullptr) {
    identity.role = FlatRole(settings);
  }
  identity.profile = SettingText(settings, "profile");
  identity.credentials_files =
      Files(settings, "shared_credentials_files", "AWS_SHARED_CREDENTIALS_FILE");
  if (FindSetting(settings, "shared_credentials_file") != nullptr) {
    identity.credentials_files = {SettingText(settings, "shared_credentials_file")};
  }
  identity.config_files = Files(settings, "shared_config_files", "AWS_SHARED_CONFIG_FILE");
  identity.machine_endpoint = TextOr(settings, "ec2_metadata_service_endpoint",
                                     "AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_METADATA_URL");
  identity.machine_mode = SettingText(settings, "ec2_metadata_service_endpoint_mode");
  if (FindSetting(settings, "skip_metadata_api_check") != nullptr) {
    identity.use_machine = !SettingFlag(settings, "skip_metadata_api_check");
  }
  return identity;
}

/// The customer's key as bytes, from the setting or the environment.
std::string CustomerKey(const Value& settings, Problems& problems) {
  const Value* value = FindSetting(settings, "sse_customer_key");
  constexpr const char* kVariable = "AWS_SSE_CUSTOMER_KEY";
  const std::string name = value != nullptr ? "sse_customer_key" : kVariable;
  const std::string text(value != nullptr ? value->AsString() : Environment(kVariable));
  if (value == nullptr && text.empty()) {
    return {};
  }
  constexpr size_t kSize = 44;
  const auto key = DecodeBase64(text);
  if (text.size() == kSize && key) {
    return *key;
  }
  provider::Problem problem{
      .summary = "Invalid " + name + " value",
      .detail = text.size() != kSize ? name + " must be 44 characters in length"
                                     : name + " must be base64 encoded: " + key.error().message};
  if (value != nullptr) {
    problem.attribute = Path().Attribute(name);
  } else {
    problem.sourceless = true;
  }
  problems.push_back(std::move(problem));
  return {};
}

S3Options ObjectsOf(const Value& settings, Problems& problems) {
  S3Options objects;
  objects.bucket = SettingText(settings, "bucket");
  objects.path_style = FindSetting(settings, "use_path_style") != nullptr
                           ? SettingFlag(settings, "use_path_style")
                           : SettingFlag(settings, "force_path_style");
  objects.checksums = !SettingFlag(settings, "skip_s3_checksum");
  objects.acl = SettingText(settings, "acl");
  objects.encrypt = SettingFlag(settings, "encrypt");
  objects.kms_key = SettingText(settings, "kms_key_id");
  objects.customer_key = CustomerKey(settings, problems);
  objects.state_tags = SettingMap(settings, "state_tags");
  objects.lock_tags = SettingMap(settings, "lock_tags");
  objects.lock_file = SettingFlag(settings, "use_lockfile");
  return objects;
}

net::AwsTransfer TransferOf(const Value& settings, Problems& problems) {
  net::AwsTransfer transfer;
  transfer.attempts = static_cast<int>(SettingNumber(settings, "max_retries", 5));
  transfer.verify_certificates = !SettingFlag(settings, "insecure");
  if (const std::string file = TextOr(settings, "custom_ca_bundle", "AWS_CA_BUNDLE");
      !file.empty()) {
    auto text = ReadFile(file);
    if (text) {
      transfer.extra_authorities = *std::move(text);
    } else {
      problems.push_back({.summary = "Invalid custom CA bundle",
                          .detail = text.error().message,
                          .sourceless = true});
    }
  }
  return transfer;
}

}  // namespace

S3Settings ReadS3Settings(const Value& settings, Problems& problems) {
  S3Settings out;
  const std::string given = SettingText(settings, "region");
  if (!given.empty() && !SettingFlag(settings, "skip_region_validation") &&
      !net::IsAwsRegion(given)) {
    problems.push_back({.summary = "Invalid region value",
                        .detail = "invalid AWS Region: " + given,
                        .attribute = Path().Attribute("region")});
    return out;
  }
  out.region = given.empty() ? TextOr(settings, "", "AWS_REGION", "AWS_DEFAULT_REGION") : given;
  out.objects = ObjectsOf(settings, problems);
  out.key = SettingText(settings, "key");
  out.workspace_prefix = FindSetting(settings, "workspace_key_prefix") == nullptr
                             ? "env:"
                             : SettingText(settings, "workspace_key_prefix");
  out.table = SettingText(settings, "dynamodb_table");
  out.s3_endpoint = EndpointOf(settings, kS3Endpoint, out.region);
  out.dynamodb_endpoint = EndpointOf(settings, kDynamodbEndpoint, out.region);
  out.sts_region = SettingText(settings, "sts_region");
  if (out.sts_region.empty()) {
    out.sts_region = out.region;
  }
  out.sts_endpoint = EndpointOf(settings, kStsEndpoint, out.sts_region);
  out.iam_endpoint = EndpointOf(settings, kIamEndpoint, out.region);
  out.identity = IdentityOf(settings);
  out.identity.region = out.sts_region;
  out.identity.sts_endpoint = out.sts_endpoint;
  out.transfer = TransferOf(settings, problems);
  out.check_credentials = !SettingFlag(settings, "skip_credentials_validation");
  out.ask_account = !SettingFlag(settings, "skip_requesting_account_id");
  out.allowed_accounts = SettingTexts(settings, "allowed_account_ids");
  out.forbidden_accounts = SettingTexts(settings, "forbidden_account_ids");
  return out;
}

}  // namespace kinu::backend
