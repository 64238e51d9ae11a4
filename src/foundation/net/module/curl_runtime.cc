// The network module: libcurl. Each thread that sends a request borrows an easy handle, which keeps
// its connections for the next request; all handles share DNS answers, TLS sessions and
// authorities.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <curl/curl.h>
#include <openssl/opensslv.h>
#include <unistd.h>

#include "base/environment.h"
#include "codec/base64.h"
#include "net/authority_file.h"
#include "net/module/trust_store.h"
#include "net/runtime.h"

namespace kinu::net {
namespace {

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// One exchange: what the callbacks of libcurl need.
struct ExchangeState {
  const HttpRequest& request;
  const std::atomic<bool>* stop;
  HttpResponse response;
  uint64_t received = 0;
  size_t sent = 0;
  bool too_long = false;
  bool announced = false;
  bool refused = false;  ///< the sink aborted the exchange
};

size_t OnHeader(char* data, size_t size, size_t count, void* user) {
  auto& state = *static_cast<ExchangeState*>(user);
  std::string_view line(data, size * count);
  while (line.ends_with('\n') || line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  if (line.starts_with("HTTP/")) {
    // A new block of headers: that of a proxy or of a status 1xx came before.
    state.response.headers = {};
    const size_t first = line.find(' ');
    const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    state.response.status = first == std::string_view::npos
                                ? 0
                                : std::atoi(std::string(line.substr(first + 1)).c_str());
    state.response.reason =
        second == std::string_view::npos ? std::string() : std::string(line.substr(second + 1));
    return size * count;
  }
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) {
      value.remove_prefix(1);
    }
    state.response.headers.Add(line.substr(0, colon), value);
  }
  return size * count;
}

/// Reports the size of a body before its first piece.
void AnnounceOnce(ExchangeState& state) {
  if (std::exchange(state.announced, true) || !state.request.announce) {
    return;
  }
  const std::string_view length = state.response.headers.Get("Content-Length");
  uint64_t size = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), size);
  if (error == std::errc() && end == length.data() + length.size() && !length.empty()) {
    state.request.announce(size);
  }
}

size_t OnBody(char* data, size_t size, size_t count, void* user) {
  auto& state = *static_cast<ExchangeState*>(user);
  const std::string_view piece(data, size * count);
  if (state.request.sink && state.response.ok()) {
    AnnounceOnce(state);
    if (!state.request.sink(piece)) {
      state.refused = true;
      return CURL_WRITEFUNC_ERROR;
    }
    return piece.size();
  }
  state.received += piece.size();
  if (state.received > state.request.max_body) {
    state.too_long = true;
    return CURL_WRITEFUNC_ERROR;
  }
  state.response.body += piece;
  return piece.size();
}

size_t OnRead(char* buffer, size_t size, size_t count, void* user) {
  auto& state = *static_cast<ExchangeState*>(user);
  if (state.request.source) {
    return state.request.source(buffer, size * count);
  }
  const size_t part = std::min(size * count, state.request.body.size() - state.sent);
  std::copy_n(state.request.body.data() + state.sent, part, buffer);
  state.sent += part;
  return part;
}

int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& state = *static_cast<const ExchangeState*>(user);
  return state.stop != nullptr && state.stop->load() ? 1 : 0;
}

std::string FirstVariable(const char* upper, const char* lower) {
  std::string_view value = Environment(upper);
  return std::string(value.empty() ? Environment(lower) : value);
}

bool IsLoopback(std::string_view url) {
  const size_t start = url.find("://");
  std::string_view host = start == std::string_view::npos ? url : url.substr(start + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (const size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  return host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("[::1]");
}

class CurlRuntime final : public NetRuntime {
 public:
  CurlRuntime() {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    share_ = curl_share_init();
    curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    curl_share_setopt(share_, CURLSHOPT_LOCKFUNC, Lock);
    curl_share_setopt(share_, CURLSHOPT_UNLOCKFUNC, Unlock);
    curl_share_setopt(share_, CURLSHOPT_USERDATA, this);
  }

  Result<HttpResponse> Exchange(const HttpRequest& request,
                                const std::atomic<bool>* stop) override {
    Easy handle = Borrow();
    if (handle == nullptr) {
      return Fail(ErrorCode::kUnavailable, "the network library could not be started");
    }
    Result<HttpResponse> response = request.negotiate ? LogInAndPerform(handle.get(), request, stop)
                                                      : Perform(handle.get(), request, stop);
    Return(std::move(handle));
    return response;
  }

 private:
  static void Lock(CURL*, curl_lock_data data, curl_lock_access, void* user) {
    static_cast<CurlRuntime*>(user)->locks_[static_cast<size_t>(data)].lock();
  }
  static void Unlock(CURL*, curl_lock_data data, void* user) {
    static_cast<CurlRuntime*>(user)->locks_[static_cast<size_t>(data)].unlock();
  }

  Result<HttpResponse> Perform(CURL* handle, const HttpRequest& request,
                               const std::atomic<bool>* stop) {
    curl_easy_reset(handle);  // keeps connections
    ExchangeState state{.request = request, .stop = stop};
    std::array<char, CURL_ERROR_SIZE> error{};
    const std::unique_ptr<curl_slist, ListDeleter> headers(MakeHeaders(request));
    SetCallbacks(handle, state, error.data());
    SetRequest(handle, request, headers.get());
    TrustStore* const trust = SetTrust(handle, request);
    SetProxy(handle, request);
    const bool whole = trust == nullptr || trust->complete();
    CURLcode code = curl_easy_perform(handle);
    if (code == CURLE_PEER_FAILED_VERIFICATION && !whole) {
      trust->ReadBundle();
      code = curl_easy_perform(handle);
    }
    if (code != CURLE_OK) {
      return Failure(code, error.data(), state);
    }
    return std::move(state.response);
  }

  /// Logs in and sends the request, both over one connection. Returns the refusal of a server that
  /// does not take part. Ref: RFC 4559, section 4.
  Result<HttpResponse> LogInAndPerform(CURL* handle, const HttpRequest& request,
                                       const std::atomic<bool>* stop) {
    constexpr int kUnauthorized = 401;
    HttpRequest login = request;
    login.body.clear();
    Result<HttpResponse> response;
    for (const std::string scheme : {"Negotiate ", "NTLM "}) {
      response = PerformAs(handle, login, scheme + EncodeBase64(request.negotiate("")), stop);
      if (!response) {
        return response;
      }
      if (response->status != kUnauthorized) {
        return Perform(handle, request, stop);  // it asks for no login
      }
      const Result<std::string> token = DecodeBase64(Offer(*response, scheme));
      const std::string answer =
          token && !token->empty() ? request.negotiate(*token) : std::string();
      if (!answer.empty()) {
        return PerformAs(handle, request, scheme + EncodeBase64(answer), stop);
      }
    }
    return response;
  }

  Result<HttpResponse> PerformAs(CURL* handle, HttpRequest request,
                                 const std::string& authorization, const std::atomic<bool>* stop) {
    request.headers.Set("Authorization", authorization);
    return Perform(handle, request, stop);
  }

  /// What follows the name of a scheme that the server offers.
  static std::string_view Offer(const HttpResponse& response, std::string_view scheme) {
    for (const Header& header : response.headers.list()) {
      if (curl_strequal(header.name.c_str(), "WWW-Authenticate") != 0 &&
          curl_strnequal(header.value.c_str(), scheme.data(), scheme.size()) != 0) {
        return std::string_view(header.value).substr(scheme.size());
      }
    }
    return {};
  }

  Easy Borrow() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return Easy(curl_easy_init());
    }
    Easy handle = std::move(idle_.back());
    idle_.pop_back();
    return handle;
  }
  void Return(Easy handle) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(handle));
  }

  static curl_slist* MakeHeaders(const HttpRequest& request) {
    curl_slist* list = nullptr;
    for (const Header& header : request.headers.list()) {
      const std::string line =
          header.value.empty() ? header.name + ";" : header.name + ": " + header.value;
      list = curl_slist_append(list, line.c_str());
    }
    // Headers that libcurl adds by itself.
    for (const char* name : {"Accept", "Expect"}) {
      if (request.headers.Find(name) == nullptr) {
        list = curl_slist_append(list, (std::string(name) + ":").c_str());
      }
    }
    if (!request.body.empty() && request.headers.Find("Content-Type") == nullptr) {
      list = curl_slist_append(list, "Content-Type:");
    }
    return list;
  }

  void SetCallbacks(CURL* handle, ExchangeState& state, char* error) const {
    curl_easy_setopt(handle, CURLOPT_SHARE, share_);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, OnHeader);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, &state);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, OnBody);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &state);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, OnRead);
    curl_easy_setopt(handle, CURLOPT_READDATA, &state);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, OnProgress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &state);
  }

  /// gRPC needs HTTP/2 from the first byte, also without TLS.
  static bool SpeaksGrpc(const HttpRequest& request) {
    return request.headers.Get("Content-Type") == "application/grpc";
  }

  static long HttpVersion(const HttpRequest& request) {
    if (request.negotiate) {
      return CURL_HTTP_VERSION_1_1;
    }
    return SpeaksGrpc(request) ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS;
  }

  static void SetRequest(CURL* handle, const HttpRequest& request, curl_slist* headers) {
    constexpr long kConnectTimeout = 30'000;
    curl_easy_setopt(handle, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, HttpVersion(request));
    // libcurl fails to begin HTTP/2 again on a connection that it keeps.
    curl_easy_setopt(handle, CURLOPT_FORBID_REUSE, SpeaksGrpc(request) ? 1L : 0L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeout);
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
    if (request.headers.Find("Accept-Encoding") == nullptr && request.method != "HEAD" &&
        request.headers.Find("Range") == nullptr) {
      curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "gzip");
    }
    const uint64_t size = request.source ? request.source_size : request.body.size();
    if (request.method == "HEAD") {
      curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
    } else if (size > 0 || request.method == "POST" || request.method == "PUT") {
      curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
      curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(size));
      curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    } else {
      curl_easy_setopt(handle, CURLOPT_HTTPGET, 1L);
      if (request.method != "GET") {
        curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
      }
    }
  }

  /// The bundle of authorities, and SSL_CERT_DIR, or the usual directories. Ref: crypto/x509
  /// root_linux.go.
  static AuthorityPlaces SystemAuthorities() {
    AuthorityPlaces places{.file = SystemAuthorityFile(),
                           .directories = std::string(Environment("SSL_CERT_DIR"))};
    if (places.directories.empty()) {
      places.directories = "/etc/ssl/certs:/etc/pki/tls/certs";
    }
    return places;
  }

  /// The authorities of the system, read once for all connections.
  TrustStore& SharedAuthorities() {
    AuthorityPlaces places = SystemAuthorities();
    const std::lock_guard lock(mutex_);
    for (const auto& store : trust_stores_) {
      if (store->places() == places) {
        return *store;
      }
    }
    return *trust_stores_.emplace_back(std::make_unique<TrustStore>(std::move(places)));
  }

  /// Whether libcurl does TLS by the OpenSSL that this module is linked with.
  static bool UsesOurOpenSsl() {
    const char* name = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return name != nullptr && std::string_view(name).starts_with(
                                  "OpenSSL/" + std::to_string(OPENSSL_VERSION_MAJOR) + '.');
  }

  static CURLcode OnTls(CURL*, void* context, void* user) {
    return static_cast<TrustStore*>(user)->Attach(static_cast<SSL_CTX*>(context))
               ? CURLE_OK
               : CURLE_OUT_OF_MEMORY;
  }

  /// Returns the shared authorities, null if the request uses others or none.
  TrustStore* SetTrust(CURL* handle, const HttpRequest& request) {
    TrustStore* shared = nullptr;
    curl_easy_setopt(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, request.verify_certificates ? 1L : 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, request.verify_certificates ? 2L : 0L);
    if (!request.extra_authorities.empty()) {
      SetPlaces(handle, SystemAuthorities());
      SetBlob(handle, CURLOPT_CAINFO_BLOB, request.extra_authorities);
    } else if (!uses_our_openssl_) {
      SetPlaces(handle, SystemAuthorities());
    } else if (request.verify_certificates && request.url.starts_with("https:")) {
      shared = &SharedAuthorities();
      curl_easy_setopt(handle, CURLOPT_CAINFO, nullptr);
      curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
      curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, OnTls);
      curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, shared);
    }
    if (request.client_certificate) {
      SetBlob(handle, CURLOPT_SSLCERT_BLOB, request.client_certificate->certificate);
      SetBlob(handle, CURLOPT_SSLKEY_BLOB, request.client_certificate->key);
    }
    return shared;
  }

  /// Lets libcurl read authorities by itself. It takes one directory.
  static void SetPlaces(CURL* handle, const AuthorityPlaces& places) {
    if (!places.file.empty()) {
      curl_easy_setopt(handle, CURLOPT_CAINFO, places.file.c_str());
    }
    if (const std::string directory(Environment("SSL_CERT_DIR")); !directory.empty()) {
      curl_easy_setopt(handle, CURLOPT_CAPATH, directory.c_str());
    }
  }

  static void SetBlob(CURL* handle, CURLoption option, const std::string& text) {
    curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
    curl_easy_setopt(handle, option, &blob);
  }

  /// Ref: golang.org/x/net/http/httpproxy FromEnvironment.
  static void SetProxy(CURL* handle, const HttpRequest& request) {
    const std::string& url = request.url;
    const Proxies& given = request.proxies;
    std::string proxy;
    if (!IsLoopback(url) && request.use_proxy) {
      proxy = url.starts_with("https://")
                  ? given.https.value_or(FirstVariable("HTTPS_PROXY", "https_proxy"))
                  : given.http.value_or(FirstVariable("HTTP_PROXY", "http_proxy"));
    }
    const std::string none = given.none.value_or(FirstVariable("NO_PROXY", "no_proxy"));
    curl_easy_setopt(handle, CURLOPT_PROXY, proxy.c_str());
    curl_easy_setopt(handle, CURLOPT_NOPROXY, none.c_str());
  }

  static std::unexpected<Error> Failure(CURLcode code, const char* detail,
                                        const ExchangeState& state) {
    if (state.too_long) {
      return Fail(ErrorCode::kInvalid, "the response is longer than " +
                                           std::to_string(state.request.max_body) + " bytes");
    }
    if (state.refused) {
      return Fail(ErrorCode::kIo, "the response could not be stored");
    }
    std::string why = detail[0] != 0 ? detail : curl_easy_strerror(code);
    switch (code) {
      case CURLE_ABORTED_BY_CALLBACK:
        return Fail(ErrorCode::kCancelled, "interrupted");
      case CURLE_URL_MALFORMAT:
      case CURLE_UNSUPPORTED_PROTOCOL:
      case CURLE_PEER_FAILED_VERIFICATION:
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_ISSUER_ERROR:
      case CURLE_SSL_CERTPROBLEM:
        return Fail(ErrorCode::kInvalid, std::move(why));
      case CURLE_OPERATION_TIMEDOUT:
        return Fail(ErrorCode::kUnavailable, "no answer within the time limit: " + why);
      default:
        return Fail(ErrorCode::kUnavailable, std::move(why));
    }
  }

  CURLSH* share_;
  std::array<std::mutex, CURL_LOCK_DATA_LAST> locks_;
  std::mutex mutex_;
  std::vector<Easy> idle_;
  std::vector<std::unique_ptr<TrustStore>> trust_stores_;  ///< one, unless the environment changes
  const bool uses_our_openssl_ = UsesOurOpenSsl();
};

}  // namespace
}  // namespace kinu::net

extern "C" __attribute__((visibility("default"))) kinu::net::NetRuntime* kinu_net_runtime(
    int version) {
  // Lives until the process ends: threads may still use it while static objects are destroyed.
  static auto* runtime = new kinu::net::CurlRuntime();
  return version == kinu::net::kNetVersion ? runtime : nullptr;
}
