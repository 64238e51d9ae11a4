// Keys that Google's key management service encrypts: each is stored as that service has encrypted
// it. Ref: opentofu internal/encryption/keyprovider/gcp_kms.
#include "base/environment.h"
#include "base/files.h"
#include "cloud/google_login.h"
#include "compatibility/level.h"
#include "encryption/key_service.h"
#include "json/writer.h"
#include "net/curl_transport.h"

namespace kinu::encryption {
namespace {

constexpr const char* kScope = "https://www.googleapis.com/auth/cloudkms";

/// The arguments with the variables that stand in for them.
Value GcpLogin(const config::PartValues& values) {
  std::map<std::string, Value, std::less<>> settings = values.arguments;
  constexpr std::pair<const char*, const char*> kVariables[] = {
      {"credentials", "GOOGLE_CREDENTIALS"},
      {"access_token", "GOOGLE_OAUTH_ACCESS_TOKEN"},
      {"impersonate_service_account", "GOOGLE_BACKEND_IMPERSONATE_SERVICE_ACCOUNT"},
      {"impersonate_service_account", "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"}};
  for (const auto& [name, variable] : kVariables) {
    const std::string_view text = Environment(variable);
    if (TextArgument(values, name).value_or("").empty() && !text.empty()) {
      settings.emplace(name, Value::String(std::string(text)));
    }
  }
  return Value::Object({settings.begin(), settings.end()});
}

class GoogleKeys final : public KeyService {
 public:
  GoogleKeys(net::Transport& transport, cloud::GoogleIdentityOptions who, std::string name,
             size_t size, std::string authenticated)
      : client_(transport, {.user_agent = "OpenTofu/" + std::string(compatibility::FullRelease()),
                            .stop = nullptr,
                            .wait = {}}),
        identity_(client_, kScope, std::move(who)),
        name_(std::move(name)),
        size_(size),
        authenticated_(std::move(authenticated)) {}

  size_t key_size() const override { return size_; }

  Result<DataKey> Make() override {
    DataKey out;
    out.key.resize(size_);
    RandomBytes(out.key.data(), out.key.size());
    KINU_TRY(const std::string answer, Ask("encrypt", "plaintext", out.key));
    KINU_TRY(const std::string sealed, Base64Member(answer, "ciphertext"));
    out.metadata = OneBase64Member("ciphertext", sealed);
    return out;
  }

  Result<std::string> Open(const std::string& metadata) override {
    KINU_TRY(const std::string sealed, MetadataMember(metadata, "ciphertext"));
    if (sealed.empty()) {
      return std::string();
    }
    KINU_TRY(const std::string answer, Ask("decrypt", "ciphertext", sealed));
    return Base64Member(answer, "plaintext");
  }

 private:
  /// Sends `bytes` as the member `name` of a request.
  Result<std::string> Ask(std::string_view operation, std::string_view name,
                          std::string_view bytes) {
    std::string body;
    JsonWriter json(body);
    json.BeginObject();
    json.Member(name, std::string_view(EncodeBase64(bytes)));
    if (!authenticated_.empty()) {
      json.Member("additionalAuthenticatedData", std::string_view(EncodeBase64(authenticated_)));
    }
    json.EndObject();
    KINU_TRY(const std::string token, identity_.Token());
    net::HttpRequest request;
    request.max_body = kMostOfAnswer;
    request.method = "POST";
    request.url = "https://cloudkms.googleapis.com/v1/" + name_ + ":" + std::string(operation);
    request.headers.Set("Authorization", "Bearer " + token);
    request.headers.Set("Content-Type", "application/json");
    request.body = std::move(body);
    request.retry.retries = 3;
    KINU_TRY(const net::HttpResponse response, client_.Send(request));
    if (!response.ok()) {
      return Fail(ErrorCode::kUnavailable, response.StatusText() + ErrorMessageIn(response.body));
    }
    return response.body;
  }

  net::HttpClient client_;
  cloud::GoogleIdentity identity_;
  std::string name_;
  size_t size_;
  std::string authenticated_;
};

/// The bytes of `additional_authenticated_data`; empty if it is not given.
Result<std::string> AuthenticatedData(const config::PartValues& values) {
  constexpr size_t kMostBytes = 64 << 10;
  auto bytes = DecodeBase64(TextArgument(values, "additional_authenticated_data").value_or(""));
  if (!bytes) {
    return Fail(
        ErrorCode::kInvalid,
        "additional_authenticated_data must be valid standard base64: " + bytes.error().message);
  }
  if (bytes->size() > kMostBytes) {
    return Fail(ErrorCode::kInvalid,
                "additional_authenticated_data must be less than the GCP limit of 64 KiB");
  }
  return bytes;
}

}  // namespace

Result<Provided> ProvideGcpKms(net::Transport& transport, const config::PartValues& values,
                               const std::string* metadata) {
  provider::Problems problems;
  cloud::GoogleIdentityOptions who = cloud::ReadGoogleLogin(GcpLogin(values), problems);
  if (!problems.empty()) {
    return Fail(ErrorCode::kInvalid, problems[0].summary);
  }
  const std::string name = TextArgument(values, "kms_encryption_key").value_or("");
  const int64_t length = NumberArgument(values, "key_length").value_or(0);
  constexpr int64_t kLongest = 1024;
  if (name.empty()) {
    return Fail(ErrorCode::kInvalid, "kms_key_name must be provided");
  }
  if (length < 1 || length > kLongest) {
    return Fail(ErrorCode::kInvalid, length < 1
                                         ? "key_length must be at least 1"
                                         : "key_length must be less than the GCP limit of 1024");
  }
  KINU_TRY(std::string authenticated, AuthenticatedData(values));
  GoogleKeys keys(transport, std::move(who), name, static_cast<size_t>(length),
                  std::move(authenticated));
  return ProvideFrom(keys, metadata);
}

constexpr KeyProviderSpec kGcpKms{
    .type = "gcp_kms",
    .provide = [](const config::PartValues& values, const std::string* metadata) {
      return ProvideGcpKms(net::CurlTransport(), values, metadata);
    }};

}  // namespace kinu::encryption
