#include "cloud/google_tokens.h"

#include <algorithm>
#include <charconv>

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

/// Reads {"access_token": …, "expires_in": …}.
Result<GoogleToken> ReadToken(const std::string& what, const net::HttpResponse& response) {
  const JsonDocument document = ParseJson(response.body);
  const bool is_object = document.ok() && document.root().is_object();
  if (response.status != 200) {
    const std::string why = is_object ? document.root().TextOf("error_description") : std::string();
    return Fail(ErrorCode::kUnavailable,
                what + ": " + response.StatusText() + (why.empty() ? "" : ": " + why));
  }
  GoogleToken token;
  int64_t seconds = 3600;
  if (is_object) {
    token.value = document.root().TextOf("access_token");
    if (const JsonNode* given = document.root().Find("expires_in"); given != nullptr) {
      std::from_chars(given->text().data(), given->text().data() + given->text().size(), seconds);
    }
  }
  if (token.value.empty()) {
    return Fail(ErrorCode::kInvalid, what + ": the response has no token");
  }
  constexpr int64_t kLongest = int64_t{24} * 3600;
  token.expires = Clock::now() + std::chrono::seconds(std::clamp(seconds, int64_t{0}, kLongest));
  return token;
}

Result<GoogleToken> Post(const net::HttpClient& client, const std::string& what,
                         const std::string& url, net::QueryArguments arguments) {
  net::HttpRequest request;
  request.method = "POST";
  request.url = url;
  request.body = net::EncodeQuery(std::move(arguments));
  request.headers.Set("Content-Type", "application/x-www-form-urlencoded");
  request.max_redirects = 0;
  request.retry.retries = 1;
  KINU_TRY(const net::HttpResponse response, client.Send(request));
  return ReadToken(what, response);
}

Result<GoogleToken> ServiceAccountToken(const net::HttpClient& client, const JsonNode& file,
                                        const std::string& scope) {
  std::string url = file.TextOf("token_uri");
  if (url.empty()) {
    url = "https://oauth2.googleapis.com/token";
  }
  const int64_t now = Clock::to_time_t(Clock::now());
  const std::string account = file.TextOf("client_email");
  std::string claims;
  JsonWriter writer(claims);
  writer.BeginObject();
  writer.Member("iss", std::string_view(account));
  writer.Member("scope", std::string_view(scope));
  writer.Member("aud", std::string_view(url));
  writer.Member("iat", now);
  writer.Member("exp", now + 3600);
  writer.EndObject();
  KINU_TRY(const std::string assertion,
           SignGoogleAssertion(claims, file.TextOf("private_key"), file.TextOf("private_key_id")));
  return Post(
      client, "the token of " + account, url,
      {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", assertion}});
}

Result<GoogleToken> UserToken(const net::HttpClient& client, const JsonNode& file) {
  const std::string url = file.TextOf("token_uri");
  return Post(client, "the token of the user",
              url.empty() ? "https://oauth2.googleapis.com/token" : url,
              {{"grant_type", "refresh_token"},
               {"client_id", file.TextOf("client_id")},
               {"client_secret", file.TextOf("client_secret")},
               {"refresh_token", file.TextOf("refresh_token")}});
}

Result<GoogleToken> MachineToken(const net::HttpClient& client, const std::string& scope) {
  const std::string_view host = Environment("GCE_METADATA_HOST");
  net::HttpRequest request;
  request.url = "http://" + (host.empty() ? "169.254.169.254" : std::string(host)) +
                "/computeMetadata/v1/instance/service-accounts/default/token?scopes=" +
                net::QueryEscape(scope);
  request.headers.Set("Metadata-Flavor", "Google");
  request.use_proxy = false;
  request.max_redirects = 0;
  constexpr std::chrono::seconds kPatience{3};
  request.timeout = kPatience;
  const auto response = client.Send(request);
  if (!response) {
    return Fail(response.error().code,
                "no Google credentials were found, and the machine has "
                "none: " +
                    response.error().message);
  }
  return ReadToken("the token of the machine", *response);
}

/// The text of the file with credentials; empty if there is none.
Result<std::string> DefaultFile() {
  if (const std::string path(Environment("GOOGLE_APPLICATION_CREDENTIALS")); !path.empty()) {
    return ReadFile(path);
  }
  auto text = ReadFile(
      JoinPath(Environment("HOME"), ".config/gcloud/application_default_credentials.json"));
  return text || text.error().code != ErrorCode::kNotFound ? text : std::string();
}

}  // namespace

Result<std::string> SignGoogleAssertion(std::string_view claims, std::string_view key,
                                        std::string_view key_id) {
  std::string header;
  JsonWriter writer(header);
  writer.BeginObject();
  writer.Member("alg", "RS256");
  writer.Member("typ", "JWT");
  if (!key_id.empty()) {
    writer.Member("kid", key_id);
  }
  writer.EndObject();
  const std::string text = EncodeBase64Url(header) + '.' + EncodeBase64Url(claims);
  KINU_TRY(const std::string signature, crypto::SignRs256(key, text));
  return text + '.' + EncodeBase64Url(signature);
}

Result<GoogleToken> GoogleIdentity::Impersonate() const {
  KINU_TRY(const GoogleToken own, Find("https://www.googleapis.com/auth/cloud-platform"));
  const std::string domain = options_.universe.empty() ? "googleapis.com" : options_.universe;
  net::HttpRequest request;
  request.method = "POST";
  request.url = "https://iamcredentials." + domain + "/v1/projects/-/serviceAccounts/" +
                options_.impersonate + ":generateAccessToken";
  request.headers.Set("Authorization", "Bearer " + own.value);
  request.headers.Set("Content-Type", "application/json");
  request.max_redirects = 0;
  request.retry.retries = 2;
  JsonWriter writer(request.body);
  writer.BeginObject();
  writer.Key("delegates");
  writer.BeginArray();
  for (const std::string& account : options_.delegates) {
    writer.String("projects/-/serviceAccounts/" + account);
  }
  writer.EndArray();
  writer.Member("lifetime", "3600s");
  writer.Key("scope");
  writer.BeginArray();
  writer.String(scope_);
  writer.EndArray();
  writer.EndObject();
  KINU_TRY(const net::HttpResponse response, client_.Send(request));
  const JsonDocument document = ParseJson(response.body);
  GoogleToken token;
  token.value = document.ok() && document.root().is_object() ? document.root().TextOf("accessToken")
                                                             : std::string();
  if (response.status != 200 || token.value.empty()) {
    return Fail(ErrorCode::kUnavailable, "the token of " + options_.impersonate +
                                             ", which is impersonated: " + response.StatusText());
  }
  token.expires = Clock::now() + std::chrono::hours(1);
  return token;
}

Result<GoogleToken> GoogleIdentity::Find(const std::string& scope) const {
  if (!options_.token.empty()) {
    return GoogleToken{.value = options_.token, .expires = Clock::time_point::max()};
  }
  std::string text = options_.credentials;
  if (text.empty()) {
    KINU_TRY(text, DefaultFile());
  }
  if (text.empty()) {
    return MachineToken(client_, scope);
  }
  const JsonDocument document = ParseJson(text);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid, "the file with Google credentials is no JSON object");
  }
  const std::string type = document.root().TextOf("type");
  if (type == "service_account") {
    return ServiceAccountToken(client_, document.root(), scope);
  }
  if (type == "authorized_user") {
    return UserToken(client_, document.root());
  }
  return Fail(ErrorCode::kUnsupported,
              "Google credentials of the type \"" + type + "\" are not supported");
}

Result<std::string> GoogleIdentity::Token() {
  constexpr std::chrono::minutes kMargin{4};
  const std::lock_guard lock(mutex_);
  if (!token_ || token_->expires - kMargin < Clock::now()) {
    if (options_.impersonate.empty()) {
      KINU_TRY(token_, Find(scope_));
    } else {
      KINU_TRY(token_, Impersonate());
    }
  }
  return token_->value;
}

}  // namespace kinu::cloud
