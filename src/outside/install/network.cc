#include "install/network.h"

#include <algorithm>
#include <charconv>

#include "addrs/host_name.h"
#include "addrs/provider_source.h"
#include "base/environment.h"
#include "json/reader.h"
#include "net/curl_transport.h"

namespace kinu::install {
namespace {

constexpr uint64_t kMaxDiscovery = uint64_t{1} << 20;

/// A positive number in an environment variable; otherwise `other`.
int PositiveVariable(const char* name, int other) {
  const std::string_view text = Environment(name);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0 ? number : other;
}

/// "providers" and 1 of "providers.v1".
std::pair<std::string_view, std::string_view> SplitServiceId(std::string_view id) {
  const size_t dot = id.rfind(".v");
  return dot == std::string_view::npos ? std::pair(id, std::string_view())
                                       : std::pair(id.substr(0, dot), id.substr(dot + 2));
}

}  // namespace

std::string UserAgent(const std::string& version) {
  std::string agent = "OpenTofu/" + version;
  if (std::string_view more = Environment("TF_APPEND_USER_AGENT"); !more.empty()) {
    agent += ' ';
    agent += more;
  }
  return agent;
}

bool HasMediaType(const net::HttpResponse& response, std::string_view type) {
  std::string_view given = response.headers.Get("Content-Type");
  given = given.substr(0, given.find(';'));
  while (given.ends_with(' ')) {
    given.remove_suffix(1);
  }
  return std::ranges::equal(given, type, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
  });
}

Network::Network(const CliConfig& config, NetworkOptions options)
    : version_(options.version),
      client_(options.transport == nullptr ? net::CurlTransport() : *options.transport,
              {.user_agent = UserAgent(options.version),
               .stop = options.stop,
               .wait = std::move(options.wait)}),
      credentials_(config),
      oci_(client_, config) {
  for (const auto& [name, services] : config.hosts) {
    if (auto host = ParseHostName(name)) {
      overrides_[*host] = services;
    }
  }
  registry_retries_ =
      PositiveVariable("TF_REGISTRY_DISCOVERY_RETRY", config.registry_retries.value_or(1));
  download_retries_ = PositiveVariable("TF_PROVIDER_DOWNLOAD_RETRY", download_retries_);
  timeout_ = std::chrono::seconds(
      PositiveVariable("TF_REGISTRY_CLIENT_TIMEOUT", config.registry_timeout_seconds.value_or(10)));
}

Result<Network::Discovered> Network::RequestDiscovery(const std::string& host) {
  net::HttpRequest request;
  request.url = "https://" + HostNameToAscii(host) + "/.well-known/terraform.json";
  request.timeout = timeout_;
  request.max_body = kMaxDiscovery;
  request.headers.Set("Accept", "application/json");
  if (auto token = credentials_.Token(host); token && !token->empty()) {
    request.headers.Set("Authorization", "Bearer " + *token);
  }
  constexpr const char* kFailed = "failed to request discovery document: ";
  auto response = client_.Send(request);
  if (!response) {
    const bool cancelled = response.error().code == ErrorCode::kCancelled;
    return Fail(cancelled ? ErrorCode::kCancelled : ErrorCode::kUnavailable,
                kFailed + response.error().message);
  }
  KINU_TRY(net::Url base, net::Url::Parse(response->url));
  Discovered out{.services = {}, .base = std::move(base)};
  if (response->status == 404) {
    return out;
  }
  if (response->status != 200) {
    return Fail(ErrorCode::kInvalid, kFailed + response->StatusText());
  }
  if (!HasMediaType(*response, "application/json")) {
    return Fail(ErrorCode::kInvalid, "discovery URL returned an unsupported Content-Type \"" +
                                         std::string(response->headers.Get("Content-Type")) + '"');
  }
  const JsonDocument document = ParseJson(response->body);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kInvalid,
                "failed to decode discovery document as a JSON object: " +
                    (document.ok() ? "it is another value" : document.problems()[0].message));
  }
  for (const JsonMember& member : document.root().members()) {
    out.services[std::string(member.name)] =
        member.value.is_string() ? std::string(member.value.text())
                                 : response->body.substr(member.value.begin(),
                                                         member.value.end() - member.value.begin());
  }
  return out;
}

Result<const Network::Discovered*> Network::Discover(const std::string& host) {
  const std::lock_guard lock(mutex_);
  auto it = discovered_.find(host);
  if (it == discovered_.end()) {
    Result<Discovered> found = Discovered();
    if (const auto configured = overrides_.find(host); configured != overrides_.end()) {
      found->services = configured->second;
      found->base = *net::Url::Parse("https://" + host + "/.well-known/terraform.json");
    } else {
      found = RequestDiscovery(host);
      if (!found) {
        return std::unexpected(found.error());  // errors are not kept
      }
    }
    it = discovered_.emplace(host, std::move(found)).first;
  }
  return &*it->second;
}

Result<HostService> Network::Service(const std::string& host, std::string_view id) {
  KINU_TRY(const Discovered* discovered, Discover(host));
  HostService service;
  const auto it = discovered->services.find(std::string(id));
  if (it == discovered->services.end()) {
    const auto [name, version] = SplitServiceId(id);
    for (const auto& [other, value] : discovered->services) {
      const auto [other_name, other_version] = SplitServiceId(other);
      if (other_name == name && !other_version.empty()) {
        service.status = HostService::Status::kOtherVersion;
      }
    }
    return service;
  }
  auto url = discovered->base.Resolve(it->second);
  if (!url || it->second.empty() || it->second.starts_with('{')) {
    return Fail(ErrorCode::kInvalid,
                "the service " + std::string(id) + " of " + host + " has no URL");
  }
  if (url->scheme != "http" && url->scheme != "https") {
    return Fail(ErrorCode::kInvalid, "unsupported scheme " + url->scheme);
  }
  if (!url->user.empty()) {
    return Fail(ErrorCode::kInvalid, "embedded username/password information is not permitted");
  }
  url->fragment.clear();
  if (id == "modules.v1" && !url->path.ends_with('/')) {
    url->path += '/';
  }
  service.status = HostService::Status::kFound;
  service.url = *std::move(url);
  return service;
}

Result<std::string> Network::ServiceObject(const std::string& host, std::string_view id,
                                           net::Url& base) {
  KINU_TRY(const Discovered* discovered, Discover(host));
  base = discovered->base;
  const auto it = discovered->services.find(std::string(id));
  return it == discovered->services.end() ? std::string() : it->second;
}

net::HttpRequest Network::MetadataRequest(const net::Url& url) const {
  net::HttpRequest request;
  request.url = url.ToText();
  request.timeout = timeout_;
  request.retry.retries = registry_retries_;
  return request;
}

Result<net::HttpRequest> Network::MetadataRequest(const net::Url& url, const std::string& host) {
  net::HttpRequest request = MetadataRequest(url);
  request.headers.Set("X-Terraform-Version", version_);
  auto token = credentials_.Token(host);
  if (!token) {
    return Fail(token.error().code,
                "failed to retrieve credentials for " + host + ": " + token.error().message);
  }
  if (!token->empty()) {
    request.headers.Set("Authorization", "Bearer " + *token);
  }
  return request;
}

net::HttpRequest Network::PackageRequest(const net::Url& url,
                                         std::optional<int> method_retries) const {
  net::HttpRequest request;
  request.url = url.ToText();
  request.retry.retries = method_retries.value_or(download_retries_);
  return request;
}

}  // namespace kinu::install
