// The backend "http": one state at an address of a REST service.
// Ref: opentofu internal/backend/remote-state/http.
#include "backend/http.h"

#include <algorithm>
#include <utility>

#include "backend/remote_store.h"
#include "backend/specs.h"
#include "base/program_name.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "compatibility/level.h"
#include "net/curl_transport.h"
#include "net/url.h"
#include "text/unicode.h"

namespace kinu::backend {
namespace {

/// An address with the method that it is asked by; without one: there is no such address.
struct Endpoint {
  std::string method;
  std::string url;
};

/// What is the same in all requests of a backend.
struct HttpService {
  Endpoint state;  ///< with the method that stores
  Endpoint lock;
  Endpoint unlock;
  net::HttpRequest request;  ///< headers, retries, certificates
};

/// Whether a client gives up on this status instead of returning it. Ref: go-retryablehttp.
bool IsGivenUp(int status) {
  return status == 429 || (status >= 500 && status != 501);
}

class HttpStateClient final : public RemoteClient {
 public:
  HttpStateClient(std::shared_ptr<const HttpService> service, net::Transport& transport)
      : service_(std::move(service)),
        client_(transport, {.user_agent = "OpenTofu/" + std::string(compatibility::FullRelease()),
                            .wait = {}}) {}

  Result<std::optional<std::string>> Get() override;
  Result<void> Put(std::string_view bytes) override;
  Result<void> Delete() override;
  Result<std::string> Lock(const state::LockInfo& info) override;
  Result<void> Unlock(std::string_view id) override;
  bool can_lock() const override { return !service_->unlock.url.empty(); }

 private:
  /// `what` is done, in error messages.
  Result<net::HttpResponse> Send(const Endpoint& to, std::string_view body,
                                 std::string_view what) const;

  std::shared_ptr<const HttpService> service_;
  net::HttpClient client_;
  state::LockInfo lock_;  // without an id: not locked
};

Result<net::HttpResponse> HttpStateClient::Send(const Endpoint& to, std::string_view body,
                                                std::string_view what) const {
  net::HttpRequest request = service_->request;
  request.method = to.method;
  request.url = to.url;
  if (!body.empty()) {
    request.body = body;
    request.headers.Set("Content-Type", "application/json");
    request.headers.Set("Content-MD5", EncodeBase64(Digest(HashKind::kMd5, body)));
  }
  Result<net::HttpResponse> response = client_.Send(request);
  const std::string failed = "Failed to " + std::string(what) + ": ";
  const bool failed_once =
      !response && response.error().code == ErrorCode::kUnavailable && request.retry.retries == 0;
  std::string given_up;
  if (failed_once || (response && IsGivenUp(response->status))) {
    KINU_TRY(const net::Url url, net::Url::Parse(to.url));
    given_up = to.method + ' ' + url.Redacted() + " giving up after " +
               std::to_string(request.retry.retries + 1) + " attempt(s)" +
               (failed_once ? ": " : "");
  }
  if (!response) {
    return Fail(response.error().code, failed + given_up + response.error().message);
  }
  if (!given_up.empty()) {
    return Fail(ErrorCode::kUnavailable, failed + given_up);
  }
  return response;
}

/// The error for a status that means no success.
std::unexpected<Error> RefusedByHttp(const net::HttpResponse& response) {
  switch (response.status) {
    case 401:
      return Fail(ErrorCode::kUnavailable, "HTTP remote state endpoint requires auth");
    case 403:
      return Fail(ErrorCode::kUnavailable, "HTTP remote state endpoint invalid auth");
    default:
      return Fail(ErrorCode::kUnavailable,
                  "Unexpected HTTP response code " + std::to_string(response.status));
  }
}

Result<std::optional<std::string>> HttpStateClient::Get() {
  KINU_TRY(net::HttpResponse response, Send({"GET", service_->state.url}, "", "get state"));
  if (response.status == 204 || response.status == 404) {
    return std::nullopt;
  }
  if (response.status != 200) {
    return RefusedByHttp(response);
  }
  if (response.body.empty()) {
    return std::nullopt;
  }
  if (const std::string* digest = response.headers.Find("Content-MD5"); digest != nullptr) {
    if (Result<std::string> bytes = DecodeBase64(*digest); !bytes) {
      return Fail(ErrorCode::kInvalid,
                  "Failed to decode Content-MD5 '" + *digest + "': " + bytes.error().message);
    }
  }
  return std::move(response.body);
}

Result<void> HttpStateClient::Put(std::string_view bytes) {
  Endpoint to = service_->state;
  if (!lock_.id.empty()) {
    KINU_TRY(net::Url url, net::Url::Parse(to.url));
    url.SetArgument("ID", lock_.id);
    to.url = url.ToText();
  }
  KINU_TRY(const net::HttpResponse response, Send(to, bytes, "upload state"));
  if (response.status == 200 || response.status == 201 || response.status == 204) {
    return {};
  }
  return Fail(ErrorCode::kUnavailable, "HTTP error: " + std::to_string(response.status));
}

Result<void> HttpStateClient::Delete() {
  KINU_TRY(const net::HttpResponse response,
           Send({"DELETE", service_->state.url}, "", "delete state"));
  if (response.status == 200) {
    return {};
  }
  return Fail(ErrorCode::kUnavailable, "HTTP error: " + std::to_string(response.status));
}

Result<std::string> HttpStateClient::Lock(const state::LockInfo& info) {
  if (service_->lock.url.empty()) {
    return std::string();
  }
  lock_ = {};
  const auto answer = Send(service_->lock, info.ToJson(), "lock");
  if (!answer) {
    return Fail(answer.error().code, answer.error().message +
                                         Hint("\n\nIf the service has taken the lock nevertheless, "
                                              "release it with:\n  tofu force-unlock ") +
                                         info.id);
  }
  const net::HttpResponse& response = *answer;
  if (response.status == 200) {
    lock_ = info;
    return info.id;
  }
  if (response.status != 409 && response.status != 423) {
    return RefusedByHttp(response);
  }
  constexpr std::string_view kHeld = "HTTP remote state already locked";
  const Result<state::LockInfo> holder = state::LockInfo::FromJson(response.body);
  if (holder && holder->id == info.id) {
    lock_ = info;  // the request was sent again after its first response was lost
    return info.id;
  }
  if (!holder) {
    return Fail(ErrorCode::kExists,
                std::string(kHeld) + ", failed to unmarshal body\n" + info.ToText());
  }
  return Fail(ErrorCode::kExists,
              std::string(kHeld) + ": ID=" + holder->id + '\n' + holder->ToText());
}

Result<void> HttpStateClient::Unlock(std::string_view id) {
  if (service_->unlock.url.empty()) {
    return {};
  }
  state::LockInfo info;
  if (!lock_.id.empty()) {
    info = std::exchange(lock_, {});
  } else {
    info.created = "0001-01-01T00:00:00Z";  // whose lock it is, the service knows
  }
  info.id = id;
  KINU_TRY(const net::HttpResponse response, Send(service_->unlock, info.ToJson(), "unlock"));
  if (response.status == 200) {
    return {};
  }
  return Fail(ErrorCode::kUnavailable,
              "Unexpected HTTP response code " + std::to_string(response.status));
}

class HttpBackend final : public Backend {
 public:
  explicit HttpBackend(net::Transport& transport) : transport_(transport) {}

  void Configure(const Value& settings, provider::Problems& problems) override;
  Result<std::vector<std::string>> Workspaces() override { return NoWorkspaces(); }
  Result<void> DeleteWorkspace(std::string_view) override { return NoWorkspaces(); }
  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace, std::shared_ptr<Program>,
                                             Opening) override {
    if (workspace != kDefaultWorkspace) {
      return NoWorkspaces();
    }
    return std::make_unique<RemoteStore>(std::make_unique<HttpStateClient>(service_, transport_),
                                         StoringOf(kDefaultWorkspace));
  }

 private:
  net::Transport& transport_;
  std::shared_ptr<const HttpService> service_;
};

/// An address in the settings. `what` is named in errors.
Endpoint EndpointOf(const Value& settings, std::string_view name, std::string_view what,
                    std::string method, provider::Problems& problems) {
  Endpoint out{std::move(method), cloud::SettingText(settings, name)};
  if (out.url.empty() && name != "address") {
    return out;
  }
  const Result<net::Url> url = net::Url::Parse(out.url);
  if (!url) {
    cloud::AddFailure(problems,
                      "failed to parse " + std::string(what) + " URL: " + url.error().message);
  } else if (url->scheme != "http" && url->scheme != "https") {
    cloud::AddFailure(problems, std::string(what) + " must be HTTP or HTTPS");
  }
  return out;
}

/// Checks names and values of headers on their own.
void CheckHeaders(const std::map<std::string, std::string>& headers, provider::Problems& problems) {
  for (const auto& [name, value] : headers) {
    const bool name_fits = !name.empty() && std::ranges::all_of(name, [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '-' || c == '_';
    });
    const bool value_fits = value.find_first_not_of(" \t\r\n\v\f") != value.npos &&
                            std::ranges::all_of(value, [](char c) { return (c & 0x80) == 0; });
    const std::string header = "headers \"" + name + '"';
    if (!name_fits) {
      cloud::AddFailure(problems,
                        header + " name must not be empty and only contain A-Za-z0-9-_ characters");
    }
    if (!value_fits) {
      cloud::AddFailure(problems,
                        header + " value must not be empty and only contain ascii characters");
    }
  }
}

/// The usual spelling of a header's name: "x-team" is "X-Team".
std::string HeaderName(std::string_view name) {
  std::string out = text::ToLower(name);
  for (size_t i = 0; i < out.size(); ++i) {
    if ((i == 0 || out[i - 1] == '-') && out[i] >= 'a' && out[i] <= 'z') {
      out[i] = static_cast<char>(out[i] - 'a' + 'A');
    }
  }
  return out;
}

/// Sets the user's headers and credentials.
void SetHeaders(const Value& settings, net::HttpRequest& request, provider::Problems& problems) {
  const std::string user = cloud::SettingText(settings, "username");
  for (const auto& [name, value] : cloud::SettingMap(settings, "headers")) {
    const std::string lower = text::ToLower(name);
    if (lower == "content-type" || lower == "content-md5") {
      cloud::AddFailure(problems, "headers \"" + name + "\" is reserved");
    } else if (lower == "authorization" && !user.empty()) {
      cloud::AddFailure(problems, "headers \"" + name + "\" cannot be set when providing username");
    }
    request.headers.Set(HeaderName(name), value);
  }
  if (!user.empty()) {
    request.headers.Set(
        "Authorization",
        "Basic " + EncodeBase64(user + ':' + cloud::SettingText(settings, "password")));
  }
}

void SetCertificates(const Value& settings, net::HttpRequest& request,
                     provider::Problems& problems) {
  net::ClientCertificate own{cloud::SettingText(settings, "client_certificate_pem"),
                             cloud::SettingText(settings, "client_private_key_pem")};
  if (own.key.empty() && !own.certificate.empty()) {
    cloud::AddFailure(problems, "client_certificate_pem is set but client_private_key_pem is not");
    return;
  }
  if (own.certificate.empty() && !own.key.empty()) {
    cloud::AddFailure(problems, "client_private_key_pem is set but client_certificate_pem is not");
    return;
  }
  request.verify_certificates = !cloud::SettingFlag(settings, "skip_cert_verification");
  request.extra_authorities = cloud::SettingText(settings, "client_ca_certificate_pem");
  constexpr std::string_view kPem = "-----BEGIN ";
  if (!request.extra_authorities.empty() && !request.extra_authorities.contains(kPem)) {
    cloud::AddFailure(problems, "failed to append certs");
  }
  if (own.certificate.empty() && own.key.empty()) {
    return;
  }
  if (!own.certificate.contains(kPem) || !own.key.contains(kPem)) {
    const std::string which = own.certificate.contains(kPem) ? "key" : "certificate";
    cloud::AddFailure(
        problems,
        "cannot load client certificate: tls: failed to find any PEM data in " + which + " input");
  }
  request.client_certificate = std::move(own);
}

/// A method of HTTP. An empty one is GET, which fits no lock. Ref: Go net/http NewRequest.
std::string MethodOf(const Value& settings, std::string_view name, std::string_view otherwise) {
  std::string method = cloud::SettingOr(settings, name, otherwise);
  return method.empty() ? "GET" : method;
}

void HttpBackend::Configure(const Value& settings, provider::Problems& problems) {
  CheckHeaders(cloud::SettingMap(settings, "headers"), problems);
  if (provider::HasErrors(problems)) {
    return;
  }
  // One error at a time, as in a chain of checks.
  provider::Problems found;
  HttpService service;
  service.state = EndpointOf(settings, "address", "address",
                             cloud::SettingText(settings, "update_method", "POST"), found);
  service.lock = EndpointOf(settings, "lock_address", "lockAddress",
                            MethodOf(settings, "lock_method", "LOCK"), found);
  service.unlock = EndpointOf(settings, "unlock_address", "unlockAddress",
                              MethodOf(settings, "unlock_method", "UNLOCK"), found);
  SetHeaders(settings, service.request, found);
  service.request.retry = {
      .retries = static_cast<int>(cloud::SettingNumber(settings, "retry_max", 2)),
      .first_wait = std::chrono::seconds(cloud::SettingNumber(settings, "retry_wait_min", 1)),
      .max_wait = std::chrono::seconds(cloud::SettingNumber(settings, "retry_wait_max", 30)),
      .keep_last = true};
  service.request.max_body = uint64_t{1} << 32;
  SetCertificates(settings, service.request, found);
  if (!found.empty()) {
    problems.push_back(std::move(found.front()));
  }
  service_ = std::make_shared<const HttpService>(std::move(service));
}

constexpr std::string_view kAddressEnv[] = {"TF_HTTP_ADDRESS"};
constexpr std::string_view kAuthoritiesEnv[] = {"TF_HTTP_CLIENT_CA_CERTIFICATE_PEM"};
constexpr std::string_view kCertificateEnv[] = {"TF_HTTP_CLIENT_CERTIFICATE_PEM"};
constexpr std::string_view kKeyEnv[] = {"TF_HTTP_CLIENT_PRIVATE_KEY_PEM"};
constexpr std::string_view kLockAddressEnv[] = {"TF_HTTP_LOCK_ADDRESS"};
constexpr std::string_view kLockMethodEnv[] = {"TF_HTTP_LOCK_METHOD"};
constexpr std::string_view kPasswordEnv[] = {"TF_HTTP_PASSWORD"};
constexpr std::string_view kRetryMaxEnv[] = {"TF_HTTP_RETRY_MAX"};
constexpr std::string_view kRetryWaitMaxEnv[] = {"TF_HTTP_RETRY_WAIT_MAX"};
constexpr std::string_view kRetryWaitMinEnv[] = {"TF_HTTP_RETRY_WAIT_MIN"};
constexpr std::string_view kUnlockAddressEnv[] = {"TF_HTTP_UNLOCK_ADDRESS"};
constexpr std::string_view kUnlockMethodEnv[] = {"TF_HTTP_UNLOCK_METHOD"};
constexpr std::string_view kUpdateMethodEnv[] = {"TF_HTTP_UPDATE_METHOD"};
constexpr std::string_view kUsernameEnv[] = {"TF_HTTP_USERNAME"};

constexpr Setting kSettings[] = {
    {.name = "address",
     .docs = "The address of the REST endpoint",
     .environment = kAddressEnv,
     .required = true},
    {.name = "client_ca_certificate_pem",
     .docs = "Certificates of authorities to trust, as PEM.",
     .environment = kAuthoritiesEnv},
    {.name = "client_certificate_pem",
     .docs = "The certificate that the service asks of its clients, as PEM.",
     .environment = kCertificateEnv},
    {.name = "client_private_key_pem",
     .docs = "The key of the certificate, as PEM.",
     .environment = kKeyEnv},
    {.name = "headers", .docs = "Headers of all requests.", .type = SettingType::kStringMap},
    {.name = "lock_address",
     .docs = "The URL that locks the state; without it nothing is locked.",
     .environment = kLockAddressEnv},
    {.name = "lock_method",
     .docs = "The HTTP method that locks. Default: LOCK.",
     .environment = kLockMethodEnv},
    {.name = "password", .docs = "The password of the user.", .environment = kPasswordEnv},
    {.name = "retry_max",
     .docs = "How often a failed request is repeated. Default: 2.",
     .type = SettingType::kNumber,
     .environment = kRetryMaxEnv},
    {.name = "retry_wait_max",
     .docs = "The longest wait between requests in seconds. Default: 30.",
     .type = SettingType::kNumber,
     .environment = kRetryWaitMaxEnv},
    {.name = "retry_wait_min",
     .docs = "The first wait between requests in seconds. Default: 1.",
     .type = SettingType::kNumber,
     .environment = kRetryWaitMinEnv},
    {.name = "skip_cert_verification",
     .docs = "Accept any certificate of the service.",
     .type = SettingType::kBool},
    {.name = "unlock_address",
     .docs = "The URL that unlocks the state; without it locks stay.",
     .environment = kUnlockAddressEnv},
    {.name = "unlock_method",
     .docs = "The HTTP method that unlocks. Default: UNLOCK.",
     .environment = kUnlockMethodEnv},
    {.name = "update_method",
     .docs = "The HTTP method that stores the state. Default: POST.",
     .environment = kUpdateMethodEnv},
    {.name = "username",
     .docs = "The user of HTTP basic authentication.",
     .environment = kUsernameEnv}};

std::unique_ptr<Backend> MakeHttp(const StateFlags&) {
  return MakeHttpBackend(net::CurlTransport());
}

}  // namespace

std::unique_ptr<Backend> MakeHttpBackend(net::Transport& transport) {
  return std::make_unique<HttpBackend>(transport);
}

constexpr BackendSpec kHttp{.type = "http",
                            .docs = "One state at an address of a REST service.",
                            .settings = kSettings,
                            .make = MakeHttp};

}  // namespace kinu::backend
