#include "install/oauth.h"

#include <algorithm>
#include <charconv>

#include "base/files.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "json/reader.h"
#include "text/quote.h"

namespace kinu::install {
namespace {

constexpr uint64_t kMaxToken = uint64_t{1} << 20;  // bytes of the answer of a token endpoint

std::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalid, std::move(message));
}

std::unexpected<Error> Missing(std::string_view property) {
  return Invalid("service login.v1 definition is missing required property \"" +
                 std::string(property) + '"');
}

/// A port that a browser may be redirected to; 0 if it is none.
int PortOf(const JsonNode& node) {
  int port = 0;
  const std::string_view text = node.text();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = node.is_number() && error == std::errc() && end == text.data() + text.size();
  return whole && port >= 1024 && port <= 65535 ? port : 0;
}

Result<void> ReadPorts(const JsonNode& ports, OAuthClient& client) {
  const std::string prefix = "invalid \"ports\" definition for service login.v1: ";
  if (ports.elements().size() != 2) {
    return Invalid(prefix + "must be a two-element array");
  }
  client.first_port = PortOf(ports.elements()[0]);
  client.last_port = PortOf(ports.elements()[1]);
  if (client.first_port == 0 || client.last_port == 0) {
    return Invalid(prefix + "both ports must be whole numbers between 1024 and 65535");
  }
  if (client.last_port < client.first_port) {
    return Invalid(prefix + "minimum port cannot be greater than maximum port");
  }
  return {};
}

/// The URL of a property; empty if it is missing and not required.
Result<std::string> ReadUrl(const JsonNode& service, std::string_view property,
                            std::string_view what, bool required, const net::Url& base) {
  const JsonNode* given = service.Find(property);
  if (given == nullptr || !given->is_string()) {
    return required ? Result<std::string>(Missing(property)) : std::string();
  }
  auto url = base.Resolve(given->text());
  const std::string failed = "failed to parse " + std::string(what) + " URL: ";
  if (!url) {
    return Invalid(failed + url.error().message);
  }
  if (url->scheme != "http" && url->scheme != "https") {
    return Invalid(failed + "unsupported scheme " + url->scheme);
  }
  if (!url->user.empty()) {
    return Invalid(failed + "embedded username/password information is not permitted");
  }
  url->fragment.clear();
  return url->ToText();
}

/// The strings of an array. Other elements are left out.
std::vector<std::string> StringsOf(const JsonNode& array) {
  std::vector<std::string> out;
  for (const JsonNode& element : array.elements()) {
    if (element.is_string()) {
      out.emplace_back(element.text());
    }
  }
  return out;
}

std::string Unpadded(std::string text) {
  text.erase(std::min(text.find('='), text.size()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

/// The members of a token endpoint's answer that matter here.
struct TokenAnswer {
  std::string token;
  std::string error;
  std::string description;
  std::string uri;
};

TokenAnswer ReadTokenAnswer(const net::HttpResponse& response) {
  TokenAnswer out;
  const std::pair<std::string_view, std::string*> members[] = {
      {"access_token", &out.token},
      {"error", &out.error},
      {"error_description", &out.description},
      {"error_uri", &out.uri}};
  if (HasMediaType(response, "application/x-www-form-urlencoded") ||
      HasMediaType(response, "text/plain")) {
    for (const auto& [name, value] : net::ParseQuery(response.body)) {
      for (const auto& [member, place] : members) {
        if (member == name) {
          *place = value;
        }
      }
    }
    return out;
  }
  const JsonDocument document = ParseJson(response.body);
  for (const auto& [member, place] : members) {
    const JsonNode* node =
        document.ok() && document.root().is_object() ? document.root().Find(member) : nullptr;
    if (node != nullptr && node->is_string()) {
      *place = node->text();
    }
  }
  return out;
}

}  // namespace

bool OAuthClient::Allows(std::string_view grant_type) const {
  return std::ranges::find(grant_types, grant_type) != grant_types.end();
}

Result<OAuthClient> ReadOAuthClient(std::string_view json, const net::Url& base) {
  const JsonDocument document = ParseJson(json);
  if (!document.ok() || !document.root().is_object()) {
    return Invalid(
        "service login.v1 must be declared with an object value in the service discovery document");
  }
  const JsonNode& service = document.root();
  OAuthClient client;
  if (const JsonNode* grants = service.Find("grant_types"); grants == nullptr) {
    client.grant_types = {"authz_code"};
  } else if (grants->is_array()) {
    client.grant_types = StringsOf(*grants);
  } else {
    return Invalid(
        "service login.v1 is defined with invalid grant_types property: must be an array of grant "
        "type strings");
  }
  const JsonNode* id = service.Find("client");
  if (id == nullptr || !id->is_string()) {
    return Missing("client");
  }
  client.id = id->text();
  const bool by_code = client.Allows("authz_code");
  KINU_TRY(client.authorization_url, ReadUrl(service, "authz", "authorization", by_code, base));
  KINU_TRY(client.token_url,
           ReadUrl(service, "token", "token", by_code || client.Allows("password"), base));
  if (const JsonNode* ports = service.Find("ports"); ports != nullptr && ports->is_array()) {
    if (auto read = ReadPorts(*ports, client); !read) {
      return std::unexpected(read.error());
    }
  }
  if (const JsonNode* scopes = service.Find("scopes"); scopes != nullptr && scopes->is_array()) {
    client.scopes = StringsOf(*scopes);
    if (client.scopes.size() != scopes->elements().size()) {
      return Invalid("invalid \"scopes\" for service login.v1: all scopes must be strings");
    }
  }
  return client;
}

ProofKey MakeProofKey() {
  uint32_t random = 0;
  RandomBytes(&random, sizeof random);
  std::string digits = std::to_string(random % 999'999'999);
  digits.insert(0, 9 - digits.size(), '0');
  ProofKey key{.verifier = RandomUuid() + '.' + digits, .challenge = {}};
  key.challenge = Unpadded(EncodeBase64(Digest(HashKind::kSha256, key.verifier)));
  return key;
}

std::string ScopeText(const OAuthClient& client) {
  std::string out;
  for (const std::string& scope : client.scopes) {
    out += (out.empty() ? "" : " ") + scope;
  }
  return out;
}

std::string AuthorizationUrl(const OAuthClient& client, const std::string& redirect,
                             const std::string& state, const ProofKey& key) {
  net::QueryArguments query = {{"client_id", client.id},   {"code_challenge", key.challenge},
                               {"redirect_uri", redirect}, {"code_challenge_method", "S256"},
                               {"response_type", "code"},  {"state", state}};
  if (!client.scopes.empty()) {
    query.emplace_back("scope", ScopeText(client));
  }
  const bool has_query = client.authorization_url.find('?') != std::string::npos;
  return client.authorization_url + (has_query ? '&' : '?') + net::EncodeQuery(std::move(query));
}

Result<std::string> RequestToken(Network& network, const OAuthClient& client,
                                 net::QueryArguments form) {
  form.emplace_back("client_id", client.id);
  net::HttpRequest request;
  request.method = "POST";
  request.url = client.token_url;
  request.headers.Set("Content-Type", "application/x-www-form-urlencoded");
  request.body = net::EncodeQuery(std::move(form));
  request.max_body = kMaxToken;
  KINU_TRY(const net::HttpResponse response, network.client().Send(request));
  const TokenAnswer answer = ReadTokenAnswer(response);
  if (!response.ok() || !answer.error.empty()) {
    if (answer.error.empty()) {
      return Fail(ErrorCode::kUnavailable, "oauth2: cannot fetch token: " + response.StatusText() +
                                               "\nResponse: " + response.body);
    }
    std::string message = "oauth2: " + text::GoQuote(answer.error);
    for (const std::string& more : {answer.description, answer.uri}) {
      message += more.empty() ? "" : " " + text::GoQuote(more);
    }
    return Fail(ErrorCode::kUnavailable, std::move(message));
  }
  if (answer.token.empty()) {
    return Fail(ErrorCode::kInvalid, "oauth2: server response missing access_token");
  }
  return answer.token;
}

}  // namespace kinu::install
