// The backend "gcs": states as objects of a bucket of Google Cloud Storage.
// Ref: opentofu internal/backend/remote-state/gcs.
#include "backend/gcs.h"

#include "backend/gcs_client.h"
#include "backend/object_backend.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "base/files.h"
#include "cloud/google_login.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "json/reader.h"
#include "net/curl_transport.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kStateSuffix = ".tfstate";

/// What one configuration needs to reach its bucket.
struct GcsServices {
  GcsServices(net::Transport& transport, GcsOptions options, cloud::GoogleIdentityOptions who)
      : client(transport, ServiceClientOptions()),
        identity(client, "https://www.googleapis.com/auth/devstorage.read_write", std::move(who)),
        bucket(client, identity, std::move(options)) {}
  GcsServices(const GcsServices&) = delete;
  GcsServices& operator=(const GcsServices&) = delete;

  net::HttpClient client;
  cloud::GoogleIdentity identity;
  GcsBucket bucket;
};

/// The address of the JSON interface. STORAGE_EMULATOR_HOST names a server for tests.
std::string EndpointOf(const Value& settings) {
  std::string endpoint = cloud::SettingText(settings, "storage_custom_endpoint");
  const std::string emulator(Environment("STORAGE_EMULATOR_HOST"));
  if (endpoint.empty() && !emulator.empty()) {
    endpoint = (emulator.find("://") == emulator.npos ? "http://" : "") + emulator + "/storage/v1/";
  } else if (endpoint.empty()) {
    const std::string domain = cloud::SettingText(settings, "universe_domain");
    endpoint = "https://storage." + (domain.empty() ? "googleapis.com" : domain) + "/storage/v1/";
  }
  return endpoint.ends_with('/') ? endpoint : endpoint + '/';
}

GcsOptions OptionsOf(const Value& settings, provider::Problems& problems) {
  GcsOptions options;
  options.bucket = cloud::SettingText(settings, "bucket");
  options.endpoint = EndpointOf(settings);
  options.anonymous = !Environment("STORAGE_EMULATOR_HOST").empty();
  options.kms_key = cloud::SettingText(settings, "kms_encryption_key");
  if (const std::string key = cloud::SettingText(settings, "encryption_key"); !key.empty()) {
    auto bytes = DecodeBase64(cloud::ContentOrText(key));
    if (!bytes) {
      cloud::AddFailure(problems, "Error decoding encryption key: " + bytes.error().message);
    } else {
      options.encryption_key = *std::move(bytes);
    }
  }
  return options;
}

class GcsService final : public ObjectService {
 public:
  explicit GcsService(net::Transport& transport) : transport_(transport) {}

  Traits traits() const override {
    return {.name = "gcs",
            .refused_default = "cowardly refusing to delete the \"default\" state",
            .reads_to_find = true};
  }

  void Check(const Value& settings, provider::Problems& problems) const override {
    constexpr const char* kKeys[] = {"encryption_key", "kms_encryption_key"};
    if (!cloud::SettingText(settings, kKeys[0]).empty() &&
        !cloud::SettingText(settings, kKeys[1]).empty()) {
      for (const int i : {0, 1}) {
        cloud::AddFailure(problems,
                          std::string("\"") + kKeys[i] + "\": conflicts with " + kKeys[1 - i]);
      }
    }
  }

  ObjectLayout Configure(const Value& settings, provider::Problems& problems) override {
    std::string prefix = cloud::SettingText(settings, "prefix");
    prefix.erase(0, prefix.find_first_not_of('/'));
    if (!prefix.empty() && !prefix.ends_with('/')) {
      prefix += '/';
    }
    cloud::GoogleIdentityOptions who = cloud::ReadGoogleLogin(settings, problems);
    GcsOptions options = OptionsOf(settings, problems);
    if (!provider::HasErrors(problems)) {
      services_ = std::make_unique<GcsServices>(transport_, std::move(options), std::move(who));
    }
    return {.default_key = prefix + std::string(kDefaultWorkspace) + std::string(kStateSuffix),
            .prefix = prefix,
            .suffix = std::string(kStateSuffix),
            .listed = prefix};
  }

  Result<std::vector<std::string>> List(const std::string& prefix) const override {
    auto objects = services_->bucket.List(prefix);
    return objects ? std::move(objects)
                   : Fail(objects.error().code,
                          "querying Cloud Storage failed: " + objects.error().message);
  }

  Result<std::unique_ptr<RemoteClient>> Client(const std::string& key) const override {
    return std::make_unique<GcsClient>(services_->bucket,
                                       key.substr(0, key.size() - kStateSuffix.size()));
  }

 private:
  net::Transport& transport_;
  std::unique_ptr<GcsServices> services_;
};

std::unique_ptr<Backend> MakeGcs(const StateFlags&) {
  return MakeGcsBackend(net::CurlTransport());
}

constexpr std::string_view kTokenVariables[] = {"GOOGLE_OAUTH_ACCESS_TOKEN"};
constexpr std::string_view kCredentialsVariables[] = {"GOOGLE_BACKEND_CREDENTIALS",
                                                      "GOOGLE_CREDENTIALS"};
constexpr std::string_view kImpersonateVariables[] = {"GOOGLE_BACKEND_IMPERSONATE_SERVICE_ACCOUNT",
                                                      "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"};
constexpr std::string_view kKeyVariables[] = {"GOOGLE_ENCRYPTION_KEY"};
constexpr std::string_view kKmsVariables[] = {"GOOGLE_KMS_ENCRYPTION_KEY"};
constexpr std::string_view kEndpointVariables[] = {"GOOGLE_BACKEND_STORAGE_CUSTOM_ENDPOINT",
                                                   "GOOGLE_STORAGE_CUSTOM_ENDPOINT"};
constexpr std::string_view kUniverseVariables[] = {"GOOGLE_BACKEND_UNIVERSE_DOMAIN"};

constexpr Setting kGcsSettings[] = {
    {.name = "access_token",
     .docs = "OAuth 2.0 token, in place of credentials.",
     .environment = kTokenVariables},
    {.name = "bucket", .docs = "The bucket.", .required = true},
    {.name = "credentials",
     .docs = "Credentials as JSON, or a file with them.",
     .environment = kCredentialsVariables},
    {.name = "encryption_key",
     .docs = "Key of the customer that encrypts states, in base64, or a file with it.",
     .environment = kKeyVariables},
    {.name = "impersonate_service_account",
     .docs = "Service account that requests act as.",
     .environment = kImpersonateVariables},
    {.name = "impersonate_service_account_delegates",
     .docs = "Service accounts on the way to the impersonated one.",
     .type = SettingType::kStringList},
    {.name = "kms_encryption_key",
     .docs = "Key of Google's key service that encrypts states.",
     .environment = kKmsVariables},
    {.name = "prefix", .docs = "Directory of the states in the bucket."},
    {.name = "storage_custom_endpoint",
     .docs = "URL of the JSON interface of the service.",
     .environment = kEndpointVariables},
    {.name = "universe_domain",
     .docs = "Domain of Google's services.",
     .environment = kUniverseVariables},
};

}  // namespace

std::unique_ptr<Backend> MakeGcsBackend(net::Transport& transport) {
  return MakeObjectBackend(std::make_unique<GcsService>(transport));
}

constexpr BackendSpec kGcs{
    .type = "gcs", .docs = "Google Cloud Storage.", .settings = kGcsSettings, .make = MakeGcs};

}  // namespace kinu::backend
