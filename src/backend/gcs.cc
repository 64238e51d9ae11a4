// The backend "gcs": states as objects of a bucket of Google Cloud Storage.
// Ref: opentofu internal/backend/remote-state/gcs.
#include "backend/gcs.h"

#include <algorithm>

#include "addrs/compatible_version.h"
#include "backend/gcs_client.h"
#include "backend/google_login.h"
#include "backend/new_workspace.h"
#include "backend/remote_store.h"
#include "backend/settings.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "base/files.h"
#include "codec/base64.h"
#include "codec/json_reader.h"
#include "net/curl_transport.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kStateSuffix = ".tfstate";

/// What one configuration needs to reach its bucket.
struct GcsService {
  GcsService(net::Transport& transport, GcsOptions options, net::GoogleIdentityOptions who)
      : client(transport, {.user_agent = "OpenTofu/" + std::string(kCompatibleVersion),
                           .stop = nullptr,
                           .wait = {}}),
        identity(client, "https://www.googleapis.com/auth/devstorage.read_write", std::move(who)),
        bucket(client, identity, std::move(options)) {}
  GcsService(const GcsService&) = delete;
  GcsService& operator=(const GcsService&) = delete;

  net::HttpClient client;
  net::GoogleIdentity identity;
  GcsBucket bucket;
};

/// A client that keeps what it refers to.
class GcsStateClient final : public RemoteClient {
 public:
  GcsStateClient(std::shared_ptr<GcsService> service, const std::string& path)
      : service_(std::move(service)), client_(service_->bucket, path) {}

  Result<std::optional<std::string>> Get() override { return client_.Get(); }
  Result<void> Put(std::string_view bytes) override { return client_.Put(bytes); }
  Result<void> Delete() override { return client_.Delete(); }
  Result<std::string> Lock(const state::LockInfo& info) override { return client_.Lock(info); }
  Result<void> Unlock(std::string_view id) override { return client_.Unlock(id); }

 private:
  std::shared_ptr<GcsService> service_;
  GcsClient client_;
};

/// The address of the JSON interface. STORAGE_EMULATOR_HOST names a server for tests.
std::string EndpointOf(const Value& settings) {
  std::string endpoint = SettingText(settings, "storage_custom_endpoint");
  const std::string emulator(Environment("STORAGE_EMULATOR_HOST"));
  if (endpoint.empty() && !emulator.empty()) {
    endpoint = (emulator.find("://") == emulator.npos ? "http://" : "") + emulator + "/storage/v1/";
  } else if (endpoint.empty()) {
    const std::string domain = SettingText(settings, "universe_domain");
    endpoint = "https://storage." + (domain.empty() ? "googleapis.com" : domain) + "/storage/v1/";
  }
  return endpoint.ends_with('/') ? endpoint : endpoint + '/';
}

GcsOptions OptionsOf(const Value& settings, provider::Problems& problems) {
  GcsOptions options;
  options.bucket = SettingText(settings, "bucket");
  options.endpoint = EndpointOf(settings);
  options.anonymous = !Environment("STORAGE_EMULATOR_HOST").empty();
  options.kms_key = SettingText(settings, "kms_encryption_key");
  if (const std::string key = SettingText(settings, "encryption_key"); !key.empty()) {
    auto bytes = DecodeBase64(ContentOrText(key));
    if (!bytes) {
      AddFailure(problems, "Error decoding encryption key: " + bytes.error().message);
    } else {
      options.encryption_key = *std::move(bytes);
    }
  }
  return options;
}

class GcsBackend final : public Backend {
 public:
  explicit GcsBackend(net::Transport& transport) : transport_(transport) {}

  void Check(const Value& settings, provider::Problems& problems) const override {
    constexpr const char* kKeys[] = {"encryption_key", "kms_encryption_key"};
    if (!SettingText(settings, kKeys[0]).empty() && !SettingText(settings, kKeys[1]).empty()) {
      for (const int i : {0, 1}) {
        AddFailure(problems, std::string("\"") + kKeys[i] + "\": conflicts with " + kKeys[1 - i]);
      }
    }
  }

  void Configure(const Value& settings, provider::Problems& problems) override {
    prefix_ = SettingText(settings, "prefix");
    prefix_.erase(0, prefix_.find_first_not_of('/'));
    if (!prefix_.empty() && !prefix_.ends_with('/')) {
      prefix_ += '/';
    }
    net::GoogleIdentityOptions who = ReadGoogleLogin(settings, problems);
    GcsOptions options = OptionsOf(settings, problems);
    if (!provider::HasErrors(problems)) {
      service_ = std::make_shared<GcsService>(transport_, std::move(options), std::move(who));
    }
  }

  Result<std::vector<std::string>> Workspaces() override {
    auto objects = service_->bucket.List(prefix_);
    if (!objects) {
      return Fail(objects.error().code,
                  "querying Cloud Storage failed: " + std::move(objects).error().message);
    }
    std::vector<std::string> names;
    for (const std::string& object : *objects) {
      std::string name = object.substr(object.rfind('/') + 1);
      if (name.ends_with(kStateSuffix)) {
        name.resize(name.size() - kStateSuffix.size());
        if (name != kDefaultWorkspace) {
          names.push_back(std::move(name));
        }
      }
    }
    std::ranges::sort(names);
    names.insert(names.begin(), std::string(kDefaultWorkspace));
    return names;
  }

  Result<void> DeleteWorkspace(std::string_view name) override {
    if (name == kDefaultWorkspace) {
      return Fail(ErrorCode::kInvalid, "cowardly refusing to delete the \"default\" state");
    }
    return GcsStateClient(service_, prefix_ + std::string(name)).Delete();
  }

  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                             std::shared_ptr<Program> program,
                                             Opening opening) override {
    auto client = std::make_unique<GcsStateClient>(service_, prefix_ + std::string(workspace));
    KINU_TRY(const std::optional<std::string> present, client->Get());
    auto store = std::make_unique<RemoteStore>(std::move(client), StoringOf(workspace));
    if (!present && opening == Opening::kMake) {
      if (auto made = StartWorkspace(*store, std::move(program), "gcs"); !made) {
        return std::unexpected(std::move(made).error());
      }
    }
    return store;
  }

 private:
  net::Transport& transport_;
  std::string prefix_;
  std::shared_ptr<GcsService> service_;
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
  return std::make_unique<GcsBackend>(transport);
}

constexpr BackendSpec kGcs{
    .type = "gcs", .docs = "Google Cloud Storage.", .settings = kGcsSettings, .make = MakeGcs};

}  // namespace kinu::backend
