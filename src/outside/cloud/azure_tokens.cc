#include "cloud/azure_tokens.h"

#include <algorithm>
#include <charconv>

#include "base/capture.h"
#include "base/environment.h"
#include "base/files.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "crypto/rsa.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/url.h"

namespace kinu::cloud {
namespace {

using Clock = std::chrono::system_clock;

int64_t SecondsOf(const std::string& text, int64_t otherwise) {
  int64_t seconds = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return seconds;
}

std::string TrimmedText(std::string text) {
  constexpr const char* kBlank = " \t\r\n";
  text.erase(text.find_last_not_of(kBlank) + 1);
  return text.erase(0, std::min(text.find_first_not_of(kBlank), text.size()));
}

/// The audience of assertions for a cloud.
std::string_view AssertionAudience(const AzureCloud& cloud) {
  if (cloud.login == "https://login.chinacloudapi.cn/") {
    return "api://AzureADTokenExchangeChina";
  }
  if (cloud.login == "https://login.microsoftonline.us/") {
    return "api://AzureADTokenExchangeUSGov";
  }
  return "api://AzureADTokenExchange";
}

}  // namespace

std::optional<AzureCloud> FindAzureCloud(std::string_view name) {
  if (name.empty() || name == "public" || name == "global" || name == "canary") {
    return AzureCloud{};
  }
  if (name == "usgovernment" || name == "usgovernmentl4" || name == "usgovernmentl5" ||
      name == "dod") {
    return AzureCloud{.login = "https://login.microsoftonline.us/",
                      .resource_manager = "https://management.usgovcloudapi.net",
                      .manager_audience = "https://management.core.usgovcloudapi.net",
                      .storage_suffix = "core.usgovcloudapi.net"};
  }
  if (name == "china") {
    return AzureCloud{.login = "https://login.chinacloudapi.cn/",
                      .resource_manager = "https://management.chinacloudapi.cn",
                      .manager_audience = "https://management.core.chinacloudapi.cn",
                      .storage_suffix = "core.chinacloudapi.cn"};
  }
  return std::nullopt;
}

Result<AzureCloud> ReadAzureCloud(const net::HttpClient& client, const std::string& metadata_host) {
  net::HttpRequest request;
  request.url = "https://" + metadata_host + "/metadata/endpoints?api-version=2023-11-01";
  KINU_TRY(const net::HttpResponse response, client.Send(request));
  const JsonDocument document = ParseJson(response.body);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid, "decoding json in metadata response: it is no JSON object");
  }
  const JsonNode* suffixes = document.root().Find("suffixes");
  const JsonNode* login = document.root().Find("authentication");
  AzureCloud cloud;
  cloud.storage_suffix = suffixes == nullptr ? std::string() : suffixes->ScalarOf("storage");
  if (cloud.storage_suffix.empty()) {
    return Fail(ErrorCode::kNotFound, "could not find storage endpoint in given metadata host");
  }
  const JsonNode* audiences =
      login != nullptr && login->is_object() ? login->Find("audiences") : nullptr;
  if (audiences == nullptr || audiences->elements().empty()) {
    return Fail(ErrorCode::kNotFound, "could not find token audience in given metadata host");
  }
  cloud.manager_audience = audiences->elements()[0].text();
  cloud.login = login->ScalarOf("loginEndpoint");
  cloud.login += cloud.login.ends_with('/') ? "" : "/";
  cloud.resource_manager = document.root().ScalarOf("resourceManager");
  while (cloud.resource_manager.ends_with('/')) {
    cloud.resource_manager.pop_back();
  }
  return cloud;
}

Result<std::string> AzureIdentity::Token() {
  constexpr std::chrono::minutes kMargin{5};
  const std::lock_guard lock(mutex_);
  if (!token_ || token_->expires - kMargin < Clock::now()) {
    KINU_TRY(token_, Find());
  }
  return token_->value;
}

Result<AzureIdentity::Issued> AzureIdentity::Find() const {
  switch (options_.method) {
    case AzureMethod::kClientSecret:
      return AskLogin("client_secret", options_.client_secret);
    case AzureMethod::kManaged:
      return AskMachine();
    case AzureMethod::kCommandLine:
      return AskCommandLine();
    case AzureMethod::kDevOps:
    case AzureMethod::kAssertion:
    case AzureMethod::kCertificate:
    case AzureMethod::kWorkload:
      break;
  }
  return ByAssertion();
}

Result<AzureIdentity::Issued> AzureIdentity::ByAssertion() const {
  KINU_TRY(const std::string assertion, Assertion());
  return AskLogin("client_assertion", assertion);
}

Result<std::string> AzureIdentity::SignedAssertion() const {
  constexpr std::chrono::minutes kValid{10};
  const int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::string header;
  JsonWriter head(header);
  head.BeginObject();
  head.Member("alg", "PS256");
  head.Member("typ", "JWT");
  head.Member(
      "x5t#S256",
      std::string_view(EncodeBase64(Digest(HashKind::kSha256, options_.certificate.certificate))));
  head.EndObject();
  std::string claims;
  JsonWriter body(claims);
  body.BeginObject();
  body.Member("aud", std::string_view(TokenUrl()));
  body.Member("exp", now + std::chrono::seconds(kValid).count());
  body.Member("iss", std::string_view(options_.client_id));
  body.Member("jti", std::string_view(RandomUuid()));
  body.Member("nbf", now);
  body.Member("sub", std::string_view(options_.client_id));
  body.EndObject();
  const std::string text = EncodeBase64Url(header) + '.' + EncodeBase64Url(claims);
  KINU_TRY(const std::string signature, crypto::SignPs256(options_.certificate.private_key, text));
  return text + '.' + EncodeBase64Url(signature);
}

Result<std::string> AzureIdentity::Assertion() const {
  if (options_.method == AzureMethod::kCertificate) {
    return SignedAssertion();
  }
  if (!options_.assertion.empty()) {
    return options_.assertion;
  }
  if (!options_.assertion_file.empty()) {
    KINU_TRY(std::string text, ReadFile(options_.assertion_file));
    return TrimmedText(std::move(text));
  }
  net::HttpRequest request;
  KINU_TRY(net::Url url, net::Url::Parse(options_.request_url));
  const bool is_devops = options_.method == AzureMethod::kDevOps;
  if (is_devops) {
    url.SetArgument("api-version", "7.1");
    url.SetArgument("serviceConnectionId", options_.service_connection);
    request.method = "POST";
  } else if (!url.HasArgument("audience")) {
    url.SetArgument("audience", AssertionAudience(cloud_));
  }
  request.url = url.ToText();
  request.headers.Set("Authorization", "Bearer " + options_.request_token);
  request.headers.Set("Accept", "application/json; api-version=2.0");
  request.headers.Set("Content-Type", "application/json");
  KINU_TRY(const net::HttpResponse response, client_.Send(request));
  const JsonDocument document = ParseJson(response.body);
  std::string token =
      document.ok() ? document.root().ScalarOf(is_devops ? "oidcToken" : "value") : "";
  if (!response.ok() || token.empty()) {
    return Fail(ErrorCode::kUnavailable, "the token of the pipeline: " + response.StatusText());
  }
  return token;
}

Result<AzureIdentity::Issued> AzureIdentity::AskLogin(std::string_view proof_name,
                                                      const std::string& proof) const {
  net::QueryArguments arguments = {{"client_id", options_.client_id},
                                   {"grant_type", "client_credentials"},
                                   {"scope", resource_ + "/.default"},
                                   {std::string(proof_name), proof}};
  if (proof_name == "client_assertion") {
    arguments.emplace_back("client_assertion_type",
                           "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  }
  net::HttpRequest request;
  request.method = "POST";
  request.url = TokenUrl();
  request.headers.Set("Content-Type", "application/x-www-form-urlencoded");
  request.body = net::EncodeQuery(std::move(arguments));
  request.max_redirects = 0;
  request.retry.retries = 3;
  KINU_TRY(const net::HttpResponse response, client_.Send(request));
  const JsonDocument document = ParseJson(response.body);
  const JsonNode& root = document.root();
  const std::string token = document.ok() ? root.ScalarOf("access_token") : std::string();
  if (!response.ok() || token.empty()) {
    const std::string why = document.ok() ? root.ScalarOf("error_description") : std::string();
    return Fail(ErrorCode::kUnavailable, "the token of the client " + options_.client_id + ": " +
                                             response.StatusText() +
                                             (why.empty() ? "" : ": " + why));
  }
  constexpr int64_t kHour = 3600;
  return Issued{token,
                Clock::now() + std::chrono::seconds(SecondsOf(root.ScalarOf("expires_in"), kHour))};
}

Result<AzureIdentity::Issued> AzureIdentity::AskMachine() const {
  std::string endpoint(Environment("MSI_ENDPOINT"));
  if (endpoint.empty()) {
    endpoint = options_.machine_endpoint;
  }
  net::HttpRequest request;
  net::QueryArguments arguments = {{"resource", resource_}};
  const std::string_view app_service = Environment("IDENTITY_ENDPOINT");
  if (!app_service.empty()) {
    endpoint = app_service;
    arguments.emplace_back("api-version", "2019-08-01");
    request.headers.Set("X-IDENTITY-HEADER", Environment("IDENTITY_HEADER"));
  } else {
    arguments.emplace_back("api-version", "2018-02-01");
    request.headers.Set("Metadata", "true");
  }
  if (endpoint.empty()) {
    endpoint = "http://169.254.169.254/metadata/identity/oauth2/token";
  }
  if (!options_.client_id.empty()) {
    arguments.emplace_back("client_id", options_.client_id);
  }
  request.url = endpoint + '?' + net::EncodeQuery(std::move(arguments));
  request.use_proxy = false;
  request.max_redirects = 0;
  constexpr std::chrono::seconds kPatience{10};
  request.timeout = kPatience;
  request.retry.retries = 3;
  KINU_TRY(const net::HttpResponse response, client_.Send(request));
  const JsonDocument document = ParseJson(response.body);
  const std::string token =
      document.ok() ? document.root().ScalarOf("access_token") : std::string();
  if (!response.ok() || token.empty()) {
    return Fail(ErrorCode::kUnavailable, "the token of the machine: " + response.StatusText());
  }
  const int64_t until = SecondsOf(document.root().ScalarOf("expires_on"), 0);
  return Issued{token, Clock::from_time_t(until)};
}

Result<AzureIdentity::Issued> AzureIdentity::AskCommandLine() const {
  CaptureRequest request;
  request.arguments = {"az", "account", "get-access-token", "-o", "json", "--resource", resource_};
  if (!options_.tenant.empty()) {
    request.arguments.insert(request.arguments.end(), {"--tenant", options_.tenant});
  }
  if (!options_.subscription.empty()) {
    request.arguments.insert(request.arguments.end(), {"--subscription", options_.subscription});
  }
  request.stop = options_.stop;
  KINU_TRY(const Captured captured, CaptureCommand(request));
  const JsonDocument document = ParseJson(captured.output);
  const std::string token = document.ok() ? document.root().ScalarOf("accessToken") : std::string();
  if (captured.exit_code != 0 || token.empty()) {
    return Fail(ErrorCode::kUnavailable, "\"az account get-access-token\" ended with status " +
                                             std::to_string(captured.exit_code));
  }
  const int64_t until = SecondsOf(document.root().ScalarOf("expires_on"), 0);
  return Issued{token,
                until == 0 ? Clock::now() + std::chrono::minutes(30) : Clock::from_time_t(until)};
}

}  // namespace kinu::cloud
