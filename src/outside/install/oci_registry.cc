#include "install/oci_registry.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <arpa/inet.h>

#include "codec/base64.h"
#include "compatibility/features.h"
#include "json/reader.h"
#include "text/ascii_case.h"

namespace kinu::install {
namespace {

constexpr int64_t kMaxManifest = int64_t{4} << 20;
constexpr uint64_t kMaxTokenBody = uint64_t{1} << 20;
/// What Resolve() accepts; only the OCI types are used.
constexpr std::string_view kManifestTypes =
    "application/vnd.docker.distribution.manifest.v2+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, "
    "application/vnd.oci.artifact.manifest.v1+json";

bool IsTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string_view TakeToken(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && IsTokenCharacter(text[end])) {
    ++end;
  }
  const std::string_view token = text.substr(0, end);
  text.remove_prefix(end);
  return token;
}

void SkipBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// Takes a text in quotes; false if the closing one is missing.
bool TakeQuoted(std::string_view& text, std::string& value) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return true;
    }
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
    }
    value += text[i];
  }
  return false;
}

/// "https://host:443", for comparison.
std::string OriginOf(const net::Url& url) {
  std::string origin = url.scheme + "://" + text::AsciiLower(url.host);
  if (url.HostName().size() == url.host.size()) {
    origin += url.scheme == "http" ? ":80" : ":443";
  }
  return origin;
}

/// Whether an address is one that only this machine or its own network reaches.
bool IsPrivateAddress(std::string host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) {
    return bytes[0] == 127 || bytes[0] == 10 || bytes[0] == 0 ||
           (bytes[0] == 172 && (bytes[1] & 0xf0) == 16) || (bytes[0] == 192 && bytes[1] == 168) ||
           (bytes[0] == 169 && bytes[1] == 254) ||
           (bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0);
  }
  if (inet_pton(AF_INET6, host.c_str(), bytes.data()) != 1) {
    return false;
  }
  const bool zeros =
      std::all_of(bytes.begin(), bytes.end() - 1, [](unsigned char b) { return b == 0; });
  return (zeros && bytes[15] <= 1) || (bytes[0] & 0xfe) == 0xfc ||
         (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80) ||
         (bytes[0] == 0xff && (bytes[1] & 0x0f) == 2);
}

/// The scopes of two lists, sorted, each once.
std::string JoinScopes(const std::string& a, const std::string& b) {
  std::set<std::string> scopes;
  for (const std::string* list : {&a, &b}) {
    for (size_t at = 0; at < list->size();) {
      const size_t end = std::min(list->find(' ', at), list->size());
      if (end > at) {
        scopes.insert(list->substr(at, end - at));
      }
      at = end + 1;
    }
  }
  std::string out;
  for (const std::string& scope : scopes) {
    out += (out.empty() ? "" : " ") + scope;
  }
  return out;
}

std::string ShownRequest(const net::HttpRequest& request) {
  const auto url = net::Url::Parse(request.url);
  return request.method + " \"" + (url ? url->Redacted() : "(invalid URL)") + '"';
}

/// The error that a response describes, and whether it says that the repository is unknown.
std::unexpected<Error> ResponseError(const net::HttpRequest& request,
                                     const net::HttpResponse& response) {
  constexpr size_t kMaxErrorBody = 8192;
  bool unknown = response.status == 404;
  std::string why;
  const std::string body = response.body.substr(0, kMaxErrorBody);
  const JsonDocument document = ParseJson(body);
  const JsonNode* errors =
      document.ok() && document.root().is_object() ? document.root().Find("errors") : nullptr;
  if (errors != nullptr && !errors->elements().empty()) {
    unknown = false;
    for (const JsonNode& node : errors->elements()) {
      const JsonNode* code = node.Find("code");
      const JsonNode* message = node.Find("message");
      const std::string_view name = code == nullptr ? "" : code->text();
      unknown = unknown || name == "NAME_UNKNOWN" || name == "NAME_INVALID";
      std::string said = text::AsciiLower(name);
      std::ranges::replace(said, '_', ' ');
      why += (why.empty() ? "" : "; ") + said;
      if (message != nullptr && !message->text().empty()) {
        why += ": " + std::string(message->text());
      }
    }
  }
  return Fail(unknown ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
              ShownRequest(request) + ": response status code " + std::to_string(response.status) +
                  ": " + (why.empty() ? std::string(net::ReasonPhrase(response.status)) : why));
}

std::string MediaTypeOf(const net::HttpResponse& response) {
  std::string type(response.headers.Get("Content-Type"));
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) {
    type.pop_back();
  }
  std::ranges::transform(type, type.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return type;
}

/// The next page of a list; empty at the end.
Result<std::string> NextPage(const net::HttpResponse& response) {
  const std::string_view link = response.headers.Get("Link");
  if (link.empty()) {
    return std::string();
  }
  const size_t end = link.find('>');
  if (link[0] != '<' || end == std::string_view::npos) {
    return Fail(ErrorCode::kInvalid, "invalid next link \"" + std::string(link) + '"');
  }
  KINU_TRY(const net::Url base, net::Url::Parse(response.url));
  KINU_TRY(const net::Url url, base.Resolve(link.substr(1, end - 1)));
  return url.ToText();
}

}  // namespace

OciChallenge ParseOciChallenge(std::string_view header) {
  OciChallenge out;
  const std::string scheme = text::AsciiLower(TakeToken(header));
  if (scheme != "basic" && scheme != "bearer") {
    return out;
  }
  out.scheme = scheme;
  for (;;) {
    SkipBlanks(header);
    const std::string key(TakeToken(header));
    SkipBlanks(header);
    if (key.empty() || !header.starts_with('=')) {
      return out;
    }
    header.remove_prefix(1);
    SkipBlanks(header);
    std::string value;
    if (header.starts_with('"')) {
      if (!TakeQuoted(header, value)) {
        return out;
      }
    } else {
      value = TakeToken(header);
    }
    if (key == "realm") {
      out.realm = value;
    } else if (key == "service") {
      out.service = value;
    } else if (key == "scope") {
      out.scope = value;
    }
    SkipBlanks(header);
    if (!header.starts_with(',')) {
      return out;
    }
    header.remove_prefix(1);
  }
}

Result<void> CheckOciRealm(const std::string& realm, const std::string& domain) {
  const auto url = net::Url::Parse(realm);
  if (!url || url->host.empty()) {
    return Fail(ErrorCode::kInvalid, "the bearer realm \"" + realm + "\" is no URL");
  }
  if (url->scheme != "https") {
    return Fail(ErrorCode::kInvalid, "the bearer realm \"" + realm + "\" is not at an https: URL");
  }
  const net::Url registry{.host = domain};
  if (IsPrivateAddress(url->HostName()) && url->HostName() != registry.HostName()) {
    return Fail(ErrorCode::kInvalid, "the bearer realm \"" + realm + "\" is at a private address");
  }
  return {};
}

OciStore::OciStore(const net::HttpClient& client, OciRepository repository,
                   OciCredential credential)
    : client_(client), repository_(std::move(repository)), credential_(std::move(credential)) {
}

std::string OciStore::Base() const {
  return "https://" +
         (repository_.domain == "docker.io" ? "registry-1.docker.io" : repository_.domain) + "/v2/";
}

Result<std::string> OciStore::FetchToken(const OciChallenge& challenge, const std::string& scope) {
  if (!credential_.access_token.empty()) {
    return credential_.access_token;
  }
  if (auto checked = CheckOciRealm(challenge.realm, repository_.domain); !checked) {
    return std::unexpected(checked.error());
  }
  net::HttpRequest request;
  request.max_body = kMaxTokenBody;
  request.same_origin_credentials = true;
  KINU_TRY(net::Url url, net::Url::Parse(challenge.realm));
  net::QueryArguments arguments;
  if (!challenge.service.empty() || !credential_.refresh_token.empty()) {
    arguments.emplace_back("service", challenge.service);
  }
  if (credential_.refresh_token.empty()) {
    for (size_t at = 0; at < scope.size();) {
      const size_t end = std::min(scope.find(' ', at), scope.size());
      arguments.emplace_back("scope", scope.substr(at, end - at));
      at = end + 1;
    }
    if (!credential_.username.empty() || !credential_.password.empty()) {
      request.headers.Set("Authorization", "Basic " + EncodeBase64(credential_.username + ':' +
                                                                   credential_.password));
    }
    for (auto& argument : net::ParseQuery(url.query)) {
      arguments.push_back(std::move(argument));
    }
    url.query = net::EncodeQuery(std::move(arguments));
    url.has_query = !url.query.empty();
  } else {
    request.method = "POST";
    request.headers.Set("Content-Type", "application/x-www-form-urlencoded");
    arguments.insert(arguments.end(), {{"grant_type", "refresh_token"},
                                       {"refresh_token", credential_.refresh_token},
                                       {"client_id", "kinu"}});
    if (!scope.empty()) {
      arguments.emplace_back("scope", scope);
    }
    request.body = net::EncodeQuery(std::move(arguments));
  }
  request.url = url.ToText();
  KINU_TRY(const net::HttpResponse response, client_.Send(request));
  if (response.status != 200) {
    return ResponseError(request, response);
  }
  const JsonDocument document = ParseJson(response.body);
  for (const char* name : {"access_token", "token"}) {
    const JsonNode* token =
        document.ok() && document.root().is_object() ? document.root().Find(name) : nullptr;
    if (token != nullptr && token->is_string() && !token->text().empty()) {
      return std::string(token->text());
    }
  }
  return Fail(ErrorCode::kInvalid, ShownRequest(request) + ": the response has no token");
}

Result<std::string> OciStore::Answer(const OciChallenge& challenge, const std::string& scope) {
  if (challenge.scheme == "bearer") {
    KINU_TRY(const std::string token, FetchToken(challenge, scope));
    return "Bearer " + token;
  }
  if (credential_.empty()) {
    return Fail(ErrorCode::kUnavailable,
                "the registry requires credentials, and none are "
                "configured for it");
  }
  if (credential_.username.empty() || credential_.password.empty()) {
    return Fail(ErrorCode::kUnavailable, "missing username or password for basic auth");
  }
  return "Basic " + EncodeBase64(credential_.username + ':' + credential_.password);
}

Result<net::HttpResponse> OciStore::Send(net::HttpRequest request) {
  const bool is_repository = request.url.size() > Base().size();
  const std::string own_scope =
      is_repository ? "repository:" + repository_.name + ":pull" : std::string();
  KINU_TRY(const net::Url url, net::Url::Parse(request.url));
  KINU_TRY(const net::Url base, net::Url::Parse(Base()));
  request.same_origin_credentials = true;
  if (OriginOf(url) != OriginOf(base)) {
    return client_.Send(request);
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = authorizations_.find(own_scope); it != authorizations_.end()) {
      request.headers.Set("Authorization", it->second);
    }
  }
  KINU_TRY(net::HttpResponse response, client_.Send(request));
  const auto final_url = net::Url::Parse(response.url);
  if (response.status != 401 || !final_url || OriginOf(*final_url) != OriginOf(base)) {
    return response;
  }
  const OciChallenge challenge = ParseOciChallenge(response.headers.Get("WWW-Authenticate"));
  if (challenge.scheme.empty()) {
    return response;
  }
  auto answer = Answer(challenge, JoinScopes(own_scope, challenge.scope));
  if (!answer) {
    const bool missing = answer.error().code == ErrorCode::kNotFound;  // the place of tokens
    return Fail(missing ? ErrorCode::kUnavailable : answer.error().code,
                ShownRequest(request) + ": " + answer.error().message);
  }
  request.headers.Set("Authorization", *answer);
  {
    const std::lock_guard lock(mutex_);
    authorizations_[own_scope] = *answer;
    if (challenge.scheme == "basic") {
      authorizations_["repository:" + repository_.name + ":pull"] = *answer;
    }
  }
  return client_.Send(request);
}

Result<void> OciStore::Ping() {
  net::HttpRequest request;
  request.url = Base();
  KINU_TRY(const net::HttpResponse response, Send(request));
  if (response.status == 404) {
    return Fail(ErrorCode::kNotFound, ShownRequest(request) + ": not found");
  }
  // A registry whose tokens are for one repository answers so, whatever the token.
  const bool wants_scope =
      response.status == 401 &&
      ParseOciChallenge(response.headers.Get("WWW-Authenticate")).scheme == "bearer";
  if (response.status != 200 && !wants_scope) {
    return ResponseError(request, response);
  }
  return {};
}

Result<std::vector<std::string>> OciStore::Tags() {
  constexpr int kMaxPages = 10'000;
  std::vector<std::string> tags;
  net::HttpRequest request;
  request.url = Base() + repository_.name + "/tags/list";
  request.max_body = static_cast<uint64_t>(kMaxManifest);
  for (int page = 0; page < kMaxPages; ++page) {
    KINU_TRY(const net::HttpResponse response, Send(request));
    if (response.status != 200) {
      return ResponseError(request, response);
    }
    const JsonDocument document = ParseJson(response.body);
    if (!document.ok() || !document.root().is_object()) {
      return Fail(ErrorCode::kInvalid, ShownRequest(request) + ": the response is no JSON object");
    }
    if (const JsonNode* list = document.root().Find("tags"); list != nullptr) {
      for (const JsonNode& tag : list->elements()) {
        tags.emplace_back(tag.is_string() ? tag.text() : "");
      }
    }
    KINU_TRY(std::string next, NextPage(response));
    if (next.empty()) {
      return tags;
    }
    request.url = std::move(next);
  }
  return Fail(ErrorCode::kInvalid, ShownRequest(request) + ": the list of tags does not end");
}

Result<OciDescriptor> OciStore::Resolve(const std::string& reference) {
  net::HttpRequest request;
  request.method = "HEAD";
  request.url = Base() + repository_.name + "/manifests/" + reference;
  request.headers.Set("Accept", kManifestTypes);
  KINU_TRY(const net::HttpResponse response, Send(request));
  if (response.status == 404) {
    return Fail(ErrorCode::kNotFound, repository_.ToText() +
                                          (reference.find(':') == std::string::npos ? ':' : '@') +
                                          reference + ": not found");
  }
  if (response.status != 200) {
    return ResponseError(request, response);
  }
  const auto invalid = [&](const std::string& why) {
    return Fail(ErrorCode::kInvalid, ShownRequest(request) + ": " + why);
  };
  OciDescriptor out;
  out.media_type = MediaTypeOf(response);
  if (out.media_type.empty()) {
    return invalid("the response has no Content-Type");
  }
  const std::string_view size = response.headers.Get("Content-Length");
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), out.size);
  if (error != std::errc() || end != size.data() + size.size() || out.size < 0) {
    return invalid("the response has no Content-Length");
  }
  out.digest = response.headers.Get("Docker-Content-Digest");
  const bool is_digest = CheckOciDigest(reference).has_value();
  if (out.digest.empty()) {
    if (!is_digest) {
      return invalid("the response has no header \"Docker-Content-Digest\"");
    }
    out.digest = reference;
  }
  if (auto checked = CheckOciDigest(out.digest); !checked) {
    return invalid("invalid header \"Docker-Content-Digest\": " + checked.error().message);
  }
  if (is_digest && out.digest != reference) {
    return invalid("received the digest \"" + out.digest + "\" when expecting \"" + reference +
                   '"');
  }
  return out;
}

Result<std::string> OciStore::Manifest(const OciDescriptor& descriptor) {
  if (descriptor.size > kMaxManifest) {
    return Fail(ErrorCode::kInvalid, "the manifest is larger than the limit of 4 MiB");
  }
  if (auto checked = CheckOciDigest(descriptor.digest); !checked) {
    return std::unexpected(checked.error());
  }
  net::HttpRequest request;
  request.url = Base() + repository_.name + "/manifests/" + descriptor.digest;
  request.headers.Set("Accept", descriptor.media_type);
  request.max_body = static_cast<uint64_t>(kMaxManifest);
  KINU_TRY(net::HttpResponse response, Send(request));
  if (response.status == 404) {
    return Fail(ErrorCode::kNotFound, descriptor.digest + ": not found");
  }
  if (response.status != 200) {
    return ResponseError(request, response);
  }
  if (const std::string type = MediaTypeOf(response); type != descriptor.media_type) {
    return Fail(ErrorCode::kInvalid, ShownRequest(request) +
                                         ": the response has the Content-Type \"" + type +
                                         "\", expected \"" + descriptor.media_type + '"');
  }
  if (static_cast<int64_t>(response.body.size()) != descriptor.size) {
    return Fail(ErrorCode::kInvalid, ShownRequest(request) + ": the manifest has " +
                                         std::to_string(response.body.size()) +
                                         " bytes, expected " + std::to_string(descriptor.size));
  }
  if (!MatchesOciDigest(response.body, descriptor.digest)) {
    return Fail(ErrorCode::kInvalid, "manifest content does not match digest " + descriptor.digest);
  }
  return std::move(response.body);
}

net::HttpRequest OciStore::BlobRequest(const OciDescriptor& descriptor) const {
  net::HttpRequest request;
  request.url = Base() + repository_.name + "/blobs/" + descriptor.digest;
  return request;
}

Result<OciStore*> OciStores::Open(const OciRepository& repository) {
  const std::lock_guard lock(mutex_);
  if (const auto it = stores_.find(repository.ToText()); it != stores_.end()) {
    return it->second.get();
  }
  KINU_TRY(OciCredential credential, credentials_.For(repository));
  auto store = std::make_unique<OciStore>(client_, repository, std::move(credential));
  if (!compatibility::Has(compatibility::Feature::kNoRegistryPing)) {
    if (auto reached = store->Ping(); !reached) {
      return Fail(reached.error().code, "failed to contact OCI registry at \"" + repository.domain +
                                            "\": " + reached.error().message);
    }
  }
  return stores_.emplace(repository.ToText(), std::move(store)).first->second.get();
}

}  // namespace kinu::install
