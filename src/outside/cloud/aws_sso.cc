// Credentials of AWS's single sign-on, by the token that "aws sso login" has stored. A token of a
// session is renewed. Ref: aws-sdk-go-v2 credentials/ssocreds.
#include <charconv>
#include <ctime>

#include "base/environment.h"
#include "base/files.h"
#include "cloud/aws_places.h"
#include "codec/hash.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/url.h"

namespace kinu::cloud {
namespace {

std::string ProfileText(const AwsProfile& profile, std::string_view name) {
  const auto it = profile.find(name);
  return it == profile.end() ? std::string() : it->second;
}

std::string TextMember(const JsonNode& object, std::string_view name) {
  const JsonNode* value = object.is_object() ? object.Find(name) : nullptr;
  return value == nullptr || value->is_null() ? std::string() : std::string(value->text());
}

std::string PortalUrl(const char* variable, std::string_view host, const std::string& region) {
  const std::string_view own = Environment(variable);
  return own.empty() ? "https://" + std::string(host) + '.' + region + ".amazonaws.com"
                     : std::string(own);
}

/// The content of a token file.
struct StoredToken {
  std::string access_token, expires_at, refresh_token, client_id, client_secret;
};

StoredToken ReadStoredToken(const std::string& text) {
  const JsonDocument document = ParseJson(text);
  StoredToken token;
  if (document.ok()) {
    token.access_token = TextMember(document.root(), "accessToken");
    token.expires_at = TextMember(document.root(), "expiresAt");
    token.refresh_token = TextMember(document.root(), "refreshToken");
    token.client_id = TextMember(document.root(), "clientId");
    token.client_secret = TextMember(document.root(), "clientSecret");
  }
  return token;
}

/// The text of a token file with the tokens replaced.
std::string WithNewToken(const std::string& text, const StoredToken& token) {
  const JsonDocument document = ParseJson(text);
  std::string out;
  JsonWriter writer(out);
  writer.BeginObject();
  for (const JsonMember& member : document.root().members()) {
    if (member.name != "accessToken" && member.name != "expiresAt" &&
        member.name != "refreshToken") {
      writer.Key(member.name);
      writer.Raw(std::string_view(text).substr(member.value.begin(),
                                               member.value.end() - member.value.begin()));
    }
  }
  writer.Member("accessToken", std::string_view(token.access_token));
  writer.Member("expiresAt", std::string_view(token.expires_at));
  writer.Member("refreshToken", std::string_view(token.refresh_token));
  writer.EndObject();
  return out;
}

std::string UtcText(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

/// Asks for a new token and stores it beside the old one's data.
Result<StoredToken> RenewToken(const AwsSearch& search, const std::string& region,
                               const std::string& file, const std::string& text,
                               StoredToken token) {
  net::HttpRequest request;
  request.method = "POST";
  request.url = PortalUrl("AWS_ENDPOINT_URL_SSO_OIDC", "oidc", region) + "/token";
  request.headers.Set("Content-Type", "application/json");
  request.max_redirects = 0;
  JsonWriter writer(request.body);
  writer.BeginObject();
  writer.Member("clientId", std::string_view(token.client_id));
  writer.Member("clientSecret", std::string_view(token.client_secret));
  writer.Member("grantType", "refresh_token");
  writer.Member("refreshToken", std::string_view(token.refresh_token));
  writer.EndObject();
  KINU_TRY(const net::HttpResponse response, search.client.Send(request));
  const JsonDocument document = ParseJson(response.body);
  const std::string access =
      document.ok() ? TextMember(document.root(), "accessToken") : std::string();
  if (response.status != 200 || access.empty()) {
    return Fail(ErrorCode::kUnavailable,
                "renewing the token of single sign-on: " + response.StatusText());
  }
  const std::string lifetime = TextMember(document.root(), "expiresIn");
  int64_t seconds = 0;
  std::from_chars(lifetime.data(), lifetime.data() + lifetime.size(), seconds);
  token.access_token = access;
  token.expires_at = UtcText(std::time(nullptr) + seconds);
  if (std::string next = TextMember(document.root(), "refreshToken"); !next.empty()) {
    token.refresh_token = std::move(next);
  }
  // A file that cannot be written is no reason to fail: the token is good.
  (void)ReplaceFile(file, WithNewToken(text, token), 0600);
  return token;
}

}  // namespace

Result<AwsCredentials> AwsSsoCredentials(const AwsSearch& search, const AwsProfile& profile) {
  const std::string session = ProfileText(profile, "sso_session");
  AwsProfile place = profile;
  if (!session.empty()) {
    const auto found = search.profiles.find(std::string(kSsoSessionPrefix) + session);
    if (found == search.profiles.end()) {
      return Fail(ErrorCode::kNotFound, "the section [sso-session " + session + "] does not exist");
    }
    place = found->second;
  }
  const std::string region = ProfileText(place, "sso_region");
  const std::string start = ProfileText(place, "sso_start_url");
  const std::string file = JoinPath(
      Environment("HOME"),
      ".aws/sso/cache/" + HexDigest(HashKind::kSha1, session.empty() ? start : session) + ".json");
  auto text = ReadFile(file);
  if (!text) {
    return Fail(ErrorCode::kNotFound,
                "no token of single sign-on is stored (\"aws sso login\" stores one): " +
                    text.error().message);
  }
  StoredToken token = ReadStoredToken(*text);
  const auto now = std::chrono::system_clock::now();
  const auto expires = ParseAwsTime(token.expires_at);
  if (!expires || *expires <= now) {
    if (session.empty() || token.refresh_token.empty() || token.client_id.empty() ||
        token.client_secret.empty()) {
      return Fail(ErrorCode::kNotFound,
                  "the token of single sign-on has expired (\"aws sso login\" stores a new one)");
    }
    KINU_TRY(token, RenewToken(search, region, file, *text, std::move(token)));
  }
  net::HttpRequest request;
  request.url = PortalUrl("AWS_ENDPOINT_URL_SSO", "portal.sso", region) +
                "/federation/credentials?" +
                net::EncodeQuery({{"account_id", ProfileText(profile, "sso_account_id")},
                                  {"role_name", ProfileText(profile, "sso_role_name")}});
  request.headers.Set("x-amz-sso_bearer_token", token.access_token);
  request.max_redirects = 0;
  KINU_TRY(const net::HttpResponse response, search.client.Send(request));
  const JsonDocument document = ParseJson(response.body);
  const JsonNode* keys = document.ok() && document.root().is_object()
                             ? document.root().Find("roleCredentials")
                             : nullptr;
  if (response.status != 200 || keys == nullptr) {
    return Fail(ErrorCode::kUnavailable,
                "the credentials of single sign-on: " + response.StatusText());
  }
  const std::string expiration = TextMember(*keys, "expiration");
  int64_t milliseconds = 0;
  std::from_chars(expiration.data(), expiration.data() + expiration.size(), milliseconds);
  return AwsCredentials{
      .access_key = TextMember(*keys, "accessKeyId"),
      .secret_key = TextMember(*keys, "secretAccessKey"),
      .session_token = TextMember(*keys, "sessionToken"),
      .expires = std::chrono::system_clock::time_point(std::chrono::milliseconds(milliseconds))};
}

}  // namespace kinu::cloud
