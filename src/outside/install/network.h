// Network: what installation needs to reach registries and mirrors: the HTTP client, credentials,
// service discovery, and the limits that the CLI configuration and the environment set.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "install/cli_config.h"
#include "install/credentials.h"
#include "install/oci_registry.h"
#include "net/http.h"
#include "net/url.h"

namespace kinu::install {

struct NetworkOptions {
  net::Transport* transport = nullptr;  ///< null: libcurl
  std::string version;                  ///< of this program, as registries see it
  const std::atomic<bool>* stop = nullptr;
  std::function<bool(std::chrono::milliseconds)> wait;  ///< see net::HttpClientOptions
};

/// A service of a host.
struct HostService {
  enum class Status : uint8_t {
    kFound,
    kMissing,       ///< the host has no such service
    kOtherVersion,  ///< the host has the service in another version only
  };
  Status status = Status::kMissing;
  net::Url url;      ///< kFound
  std::string json;  ///< the value of a service that is no URL ("login.v1"): an object as JSON
};

/// Nothing is sent before the first request. Thread-safe.
class Network {
 public:
  Network(const CliConfig& config, NetworkOptions options);

  const net::HttpClient& client() const { return client_; }
  Credentials& credentials() { return credentials_; }
  OciStores& oci() { return oci_; }
  const std::string& version() const { return version_; }
  const std::atomic<bool>* stop() const { return client_.stop(); }

  /// A service ("providers.v1") of a host, from the CLI configuration or the discovery document,
  /// which is requested once per host. Errors are the details of messages.
  Result<HostService> Service(const std::string& host, std::string_view id);
  /// The value of a service that is an object ("login.v1"); its URLs are relative to `base`.
  Result<std::string> ServiceObject(const std::string& host, std::string_view id, net::Url& base);

  /// A request for metadata of a registry: limits, retries, the version of this program.
  net::HttpRequest MetadataRequest(const net::Url& url) const;
  /// As MetadataRequest(), with the credentials of a host if there are any. Fails when the
  /// credentials helper fails.
  Result<net::HttpRequest> MetadataRequest(const net::Url& url, const std::string& host);
  /// A request for a package: no time limit, own retries (method's if >= 0), no credentials.
  net::HttpRequest PackageRequest(const net::Url& url, std::optional<int> method_retries) const;
  std::chrono::milliseconds metadata_timeout() const { return timeout_; }

 private:
  struct Discovered {
    std::map<std::string, std::string> services;  ///< id to JSON text of the value
    net::Url base;
    bool plain = false;  ///< values are texts and not JSON (CLI configuration)
  };
  Result<const Discovered*> Discover(const std::string& host);
  Result<Discovered> RequestDiscovery(const std::string& host);

  std::string version_;
  net::HttpClient client_;
  Credentials credentials_;
  OciStores oci_;
  std::map<std::string, std::map<std::string, std::string>> overrides_;
  int registry_retries_ = 1;
  int download_retries_ = 2;
  std::chrono::milliseconds timeout_{10'000};
  std::mutex mutex_;
  std::map<std::string, Result<Discovered>> discovered_;
};

/// "OpenTofu/VERSION", with TF_APPEND_USER_AGENT.
std::string UserAgent(const std::string& version);
/// Whether a response has this media type; parameters do not count.
bool HasMediaType(const net::HttpResponse& response, std::string_view type);

}  // namespace kinu::install
