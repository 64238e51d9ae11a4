// HTTP: requests, responses and the client that every part of the program uses to reach the
// network, except provider processes.
//
// HttpClient adds redirects, retries and the log of TF_LOG to a Transport, which performs single
// exchanges. The real transport (net/curl_transport.h) is libcurl in a module that is loaded for
// the first request; tests use net/testing/scripted_transport.h.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu::net {

struct Header {
  std::string name;
  std::string value;
};

/// Header fields in the order in which they were added. Names are compared without case.
class Headers {
 public:
  /// Replaces all fields of that name.
  void Set(std::string_view name, std::string_view value);
  void Add(std::string_view name, std::string_view value);
  void Remove(std::string_view name);
  /// The value of the first field of that name, or null.
  const std::string* Find(std::string_view name) const;
  /// The value of the first field of that name, or an empty text.
  std::string_view Get(std::string_view name) const;
  const std::vector<Header>& list() const { return list_; }

 private:
  std::vector<Header> list_;
};

/// When a failed request is sent again: after transport errors, status 429, and status 5xx except
/// 501. The n-th wait is first_wait * 2^(n-1), at most max_wait, unless the response to status 429
/// or 503 has Retry-After. Ref: hashicorp/go-retryablehttp DefaultRetryPolicy, DefaultBackoff.
struct RetryPolicy {
  int retries = 0;
  std::chrono::milliseconds first_wait{1000};
  std::chrono::milliseconds max_wait{30'000};
  /// The response to the last attempt is returned whatever its status; else it is an error.
  bool keep_last = false;
};

/// A client certificate and its key, as PEM.
struct ClientCertificate {
  std::string certificate;
  std::string key;
};

struct HttpResponse;

/// The proxies of requests, each in place of its variables in the environment where it is set; an
/// empty one is none. Loopback hosts are never reached through one.
struct Proxies {
  std::optional<std::string> http;   ///< of HTTP_PROXY: for URLs with http
  std::optional<std::string> https;  ///< of HTTPS_PROXY
  std::optional<std::string> none;   ///< of NO_PROXY: hosts that are reached without a proxy
};

struct HttpRequest {
  /// The largest response body that is kept in memory unless the caller sets another limit.
  static constexpr uint64_t kDefaultMaxBody = uint64_t{64} << 20;

  std::string method = "GET";
  std::string url;
  Headers headers;
  std::string body;
  /// Streams the request body: fills the buffer and returns the number of bytes, 0 at the end. Such
  /// a request is neither retried nor redirected with its body. Empty: `body` is sent.
  std::function<size_t(char* buffer, size_t size)> source;
  uint64_t source_size = 0;  ///< the number of bytes that `source` gives
  /// Receives the body of a response with status 2xx piece by piece; false aborts the exchange.
  /// Empty: the body is kept in HttpResponse::body. Once it has received bytes, the request is not
  /// retried.
  std::function<bool(std::string_view piece)> sink;
  /// Receives the size of such a body before its first piece, where the server reports it.
  std::function<void(uint64_t size)> announce;
  uint64_t max_body = kDefaultMaxBody;   ///< a longer body kept in memory is an error
  std::chrono::milliseconds timeout{0};  ///< for each exchange with its body; 0: none
  int max_redirects = 10;                ///< 0: responses 3xx are returned
  /// Credentials follow a redirect only to the same scheme, host and port. Otherwise also to hosts
  /// below the host, and to its other ports.
  bool same_origin_credentials = false;
  RetryPolicy retry;
  /// Called after each attempt that failed and is followed by another, with its number from 1 and
  /// the response; null: there was none. May be empty.
  std::function<void(int attempt, const HttpResponse* response)> on_retry;
  std::optional<ClientCertificate> client_certificate;
  /// A login that belongs to the connection, by the schemes Negotiate or NTLM: receives the token
  /// of the server, which is empty at first, and returns the next one; an empty one gives up. It
  /// happens with every exchange. Empty: no such login.
  std::function<std::string(std::string_view token)> negotiate;
  std::string extra_authorities;  ///< PEM of authorities to trust besides those of the system
  bool verify_certificates = true;
  bool use_proxy = true;  ///< false for services of the machine's own network
  Proxies proxies;
};

struct HttpResponse {
  int status = 0;
  std::string reason;  ///< as the server wrote it; empty with HTTP/2
  Headers headers;
  std::string body;
  std::string url;  ///< of the last request, after redirects

  bool ok() const { return status >= 200 && status < 300; }
  /// "404 Not Found". Uses the usual phrase where the server sent none.
  std::string StatusText() const;
};

/// Performs single exchanges. Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Sends the request and receives the response; neither redirects nor retries. Errors:
  /// kUnavailable may pass with another attempt, kInvalid (address, certificate, too long a body)
  /// will not, kCancelled after `stop` became true. Messages contain no URL.
  virtual Result<HttpResponse> Exchange(const HttpRequest& request,
                                        const std::atomic<bool>* stop) = 0;
};

struct HttpClientOptions {
  std::string user_agent;  ///< sent unless a request has its own
  /// Ends running and waiting requests once it is true. Null: never.
  const std::atomic<bool>* stop = nullptr;
  /// Waits between attempts; false if the wait was cancelled. Empty: sleeps.
  std::function<bool(std::chrono::milliseconds)> wait;
};

/// Sends requests over a transport. Thread-safe.
class HttpClient {
 public:
  explicit HttpClient(Transport& transport, HttpClientOptions options = {})
      : transport_(transport), options_(std::move(options)) {}

  /// Sends a request, follows redirects and retries. A response of any status is a success, unless
  /// the last attempt failed with a status that the policy retries. Error messages begin with the
  /// method and the URL (without user information and query values).
  Result<HttpResponse> Send(const HttpRequest& request) const;

  const std::atomic<bool>* stop() const { return options_.stop; }

 private:
  Result<HttpResponse> Follow(const HttpRequest& request, bool& received) const;
  Result<HttpResponse> Attempt(const HttpRequest& request) const;
  bool Wait(std::chrono::milliseconds time) const;

  Transport& transport_;
  HttpClientOptions options_;
};

/// The usual phrase of a status: "Not Found". Empty for unknown codes.
std::string_view ReasonPhrase(int status);

}  // namespace kinu::net
