#include "cloud/aws_login.h"

#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "cloud/aws_account.h"
#include "cloud/settings.h"
#include "text/duration.h"

namespace kinu::cloud {
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

constexpr AwsEndpointNames kIamEndpoint{"iam", "iam_endpoint", "AWS_ENDPOINT_URL_IAM",
                                        "AWS_IAM_ENDPOINT"};
constexpr AwsEndpointNames kStsEndpoint{"sts", "sts_endpoint", "AWS_ENDPOINT_URL_STS",
                                        "AWS_STS_ENDPOINT"};

std::string WithoutSlash(std::string url) {
  while (url.ends_with('/')) {
    url.pop_back();
  }
  return url;
}

std::string SecondsOf(const std::string& duration) {
  constexpr int64_t kSecond = 1'000'000'000;
  const auto time = text::ParseDuration(duration);
  return time ? std::to_string(*time / kSecond) : std::string();
}

AwsRole RoleIn(const Value& object) {
  return {.arn = SettingText(object, "role_arn"),
          .session_name = SettingText(object, "session_name"),
          .external_id = SettingText(object, "external_id"),
          .duration_seconds = SecondsOf(SettingText(object, "duration")),
          .policy = SettingText(object, "policy"),
          .policy_arns = SettingTexts(object, "policy_arns"),
          .tags = SettingMap(object, "tags"),
          .transitive_tag_keys = SettingTexts(object, "transitive_tag_keys")};
}

AwsRole FlatRole(const Value& settings) {
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

AwsCredentialOptions IdentityOf(const Value& settings) {
  AwsCredentialOptions identity;
  AwsCredentials keys{.access_key = SettingText(settings, "access_key"),
                      .secret_key = SettingText(settings, "secret_key"),
                      .session_token = SettingText(settings, "token"),
                      .expires = {}};
  if (!keys.access_key.empty() || !keys.secret_key.empty() || !keys.session_token.empty()) {
    identity.keys = std::move(keys);
  }
  const Value* web_role = FindSetting(settings, "assume_role_with_web_identity");
  if (const Value* role = identity.keys ? nullptr : web_role) {
    AwsWebIdentity web;
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
  identity.machine_mode = TextOr(settings, "ec2_metadata_service_endpoint_mode",
                                 "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");
  if (FindSetting(settings, "skip_metadata_api_check") != nullptr) {
    identity.use_machine = !SettingFlag(settings, "skip_metadata_api_check");
  }
  return identity;
}

net::Proxies ProxiesOf(const Value& settings) {
  net::Proxies proxies;
  const std::pair<const char*, std::optional<std::string>*> named[] = {
      {"http_proxy", &proxies.http}, {"https_proxy", &proxies.https}, {"no_proxy", &proxies.none}};
  for (const auto& [name, proxy] : named) {
    if (FindSetting(settings, name) != nullptr) {
      *proxy = SettingText(settings, name);
    }
  }
  if (proxies.none && proxies.none->empty()) {
    proxies.none.reset();
  }
  return proxies;
}

void AddFault(Problems& problems, std::string summary, std::string detail) {
  problems.push_back(
      {.summary = std::move(summary), .detail = std::move(detail), .sourceless = true});
}

/// Reports a proxy that leaves requests by https without one.
void CheckProxies(const net::Proxies& proxies, Problems& problems) {
  const bool has_other =
      proxies.https || !Environment("HTTPS_PROXY").empty() || !Environment("https_proxy").empty();
  if (proxies.http && !proxies.http->empty() && !has_other) {
    problems.push_back({.severity = Severity::kWarning,
                        .summary = "Missing HTTPS Proxy",
                        .detail = "There is a proxy for http and none for https. Requests by https "
                                  "use no proxy; set https_proxy to \"\" if that is meant.",
                        .sourceless = true});
  }
}

/// Reports a form of address of the metadata service that does not exist.
void CheckMachineMode(std::string mode, Problems& problems) {
  std::ranges::transform(mode, mode.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  if (!mode.empty() && mode != "ipv4" && mode != "ipv6") {
    AddFault(problems, "unknown EC2 IMDS endpoint mode, must be either IPv6 or IPv4", "");
  }
}

AwsTransfer TransferOf(const Value& settings, Problems& problems) {
  AwsTransfer transfer;
  transfer.attempts = static_cast<int>(SettingNumber(settings, "max_retries", 5));
  transfer.verify_certificates = !SettingFlag(settings, "insecure");
  transfer.proxies = ProxiesOf(settings);
  const std::string mode = TextOr(settings, "retry_mode", "AWS_RETRY_MODE");
  if (FindSetting(settings, "retry_mode") == nullptr && !mode.empty() && mode != "standard" &&
      mode != "adaptive") {
    AddFault(problems, "invalid AWS_RETRY_MODE value, unknown RetryMode, " + mode, "");
  }
  if (mode == "adaptive") {
    transfer.pace = std::make_shared<AwsPace>(std::chrono::steady_clock::now());
  }
  if (const std::string file = TextOr(settings, "custom_ca_bundle", "AWS_CA_BUNDLE");
      !file.empty()) {
    auto text = ReadFile(file);
    if (text) {
      transfer.extra_authorities = *std::move(text);
    } else {
      AddFault(problems, "reading custom CA bundle: " + text.error().message, "");
    }
  }
  return transfer;
}

}  // namespace

std::string AwsEndpointOf(const Value& settings, const AwsEndpointNames& names,
                          const std::string& region) {
  const Value* all = FindSetting(settings, "endpoints");
  std::string url = all == nullptr ? std::string() : SettingText(*all, names.service);
  if (url.empty()) {
    url = TextOr(settings, names.deprecated, names.variable, names.old_variable);
  }
  if (!url.empty()) {
    return WithoutSlash(url.find("://") == url.npos ? "https://" + url : url);
  }
  const AwsCredentialOptions identity = IdentityOf(settings);
  url = ConfiguredAwsEndpoint(LoadAwsProfiles(identity.config_files, identity.credentials_files),
                              identity.profile, names.service);
  if (!url.empty()) {
    return url;
  }
  const AwsEndpointKind kind{
      .dualstack = FlagOr(settings, "use_dualstack_endpoint", "AWS_USE_DUALSTACK_ENDPOINT"),
      .fips = FlagOr(settings, "use_fips_endpoint", "AWS_USE_FIPS_ENDPOINT")};
  // The identity service has one address for all regions of a partition.
  if (names.service == "iam" && !region.starts_with("cn-") && !region.starts_with("us-gov-")) {
    return "https://iam.amazonaws.com";
  }
  return AwsEndpoint(names.service, region, kind);
}

AwsLogin ReadAwsLogin(const Value& settings, Problems& problems) {
  AwsLogin out;
  const std::string given = SettingText(settings, "region");
  out.region = given.empty() ? TextOr(settings, "", "AWS_REGION", "AWS_DEFAULT_REGION") : given;
  out.sts_region = SettingText(settings, "sts_region");
  if (out.sts_region.empty()) {
    out.sts_region = out.region;
  }
  out.sts_endpoint = AwsEndpointOf(settings, kStsEndpoint, out.sts_region);
  out.iam_endpoint = AwsEndpointOf(settings, kIamEndpoint, out.region);
  out.identity = IdentityOf(settings);
  out.identity.region = out.sts_region;
  out.identity.sts_endpoint = out.sts_endpoint;
  out.transfer = TransferOf(settings, problems);
  CheckProxies(out.transfer.proxies, problems);
  if (!provider::HasErrors(problems)) {
    CheckMachineMode(out.identity.machine_mode, problems);
  }
  out.check_credentials = !SettingFlag(settings, "skip_credentials_validation");
  out.ask_account = !SettingFlag(settings, "skip_requesting_account_id");
  out.allowed_accounts = SettingTexts(settings, "allowed_account_ids");
  out.forbidden_accounts = SettingTexts(settings, "forbidden_account_ids");
  return out;
}

AwsCaller::AwsCaller(net::Transport& transport, AwsLogin login, const std::string& user_agent)
    : login_(std::move(login)),
      client_(transport, {.user_agent = user_agent, .stop = {}, .wait = {}}),
      identity_(client_, login_.identity) {
}

AwsService AwsCaller::Service(std::string name, std::string region, std::string endpoint) {
  return {client_,         identity_,         login_.transfer,
          std::move(name), std::move(region), std::move(endpoint)};
}

void AwsCaller::Check(std::string_view who, Problems& problems) {
  FindCredentials(who, problems);
  if (!provider::HasErrors(problems) && login_.check_credentials) {
    if (auto account = AwsCallerAccount(Sts()); !account) {
      AddFault(problems, "validating provider credentials: " + account.error().message, "");
    }
  }
  CheckAccount(problems);
}

AwsService AwsCaller::Sts() {
  return Service("sts", login_.sts_region, login_.sts_endpoint);
}

// The identity service is signed for one region of each partition.
AwsService AwsCaller::Iam() {
  return Service("iam", login_.region.starts_with("cn-") ? "cn-north-1" : "us-east-1",
                 login_.iam_endpoint);
}

void AwsCaller::FindCredentials(std::string_view who, Problems& problems) {
  const AwsCredentialOptions& options = login_.identity;
  if (options.web_identity && options.web_identity->role.arn.empty()) {
    AddFault(problems, "Assume Role With Web Identity", "Role ARN was not set");
    return;
  }
  if (options.web_identity && options.web_identity->token.empty() &&
      options.web_identity->token_file.empty()) {
    AddFault(problems, "Assume Role With Web Identity",
             "One of web_identity_token, web_identity_token_file must be set");
    return;
  }
  if (auto base = identity_.Base(); !base) {
    if (base.error().code == ErrorCode::kUnsupported) {
      AddFault(problems, base.error().message, "");  // a profile that the settings name
    } else if (options.keys) {
      AddFault(problems, "retrieving credentials: " + base.error().message, "");
    } else if (options.web_identity) {
      AddFault(
          problems, "Cannot assume IAM Role with web identity",
          "IAM Role (" + options.web_identity->role.arn +
              ") cannot be assumed with web identity token.\n\nError: " + base.error().message);
    } else {
      AddFault(problems, "No valid credential sources found",
               "The " + std::string(who) +
                   " found no credentials in its configuration, the environment, shared "
                   "files and the machine.\n\nError: " +
                   base.error().message);
    }
    return;
  }
  if (auto own = identity_.Get(); !own) {
    AddFault(problems, "Cannot assume IAM Role",
             "IAM Role (" + options.role->arn +
                 ") cannot be assumed. The most common causes are that the credentials for it are "
                 "invalid, or lack the permission to assume it, or that the ARN is wrong.\n\n"
                 "Error: " +
                 own.error().message);
  }
}

void AwsCaller::CheckAccount(Problems& problems) {
  if (login_.allowed_accounts.empty() && login_.forbidden_accounts.empty()) {
    return;
  }
  std::string account;
  if (login_.check_credentials || login_.ask_account) {
    auto found = AwsCallerAccount(Sts());
    if (!found) {
      found = AwsUserAccount(Iam());
    }
    if (!found) {
      AddFault(problems, "Retrieving AWS account details: " + found.error().message, "");
    } else {
      account = *std::move(found);
    }
  }
  const bool is_listed =
      std::ranges::find(login_.allowed_accounts, account) != login_.allowed_accounts.end();
  const bool is_forbidden =
      std::ranges::find(login_.forbidden_accounts, account) != login_.forbidden_accounts.end();
  if (is_forbidden || (!login_.allowed_accounts.empty() && !is_listed)) {
    AddFault(problems, "Invalid account ID", "AWS account ID not allowed: " + account);
  }
}

}  // namespace kinu::cloud
