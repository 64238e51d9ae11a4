// The backend "azurerm": states as blobs of a container of Azure Storage.
// Ref: opentofu internal/backend/remote-state/azure.
#include "backend/azurerm.h"

#include <algorithm>

#include "backend/azure_client.h"
#include "backend/lock_wait.h"
#include "backend/object_backend.h"
#include "backend/specs.h"
#include "cloud/azure_login.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "net/curl_transport.h"

namespace kinu::backend {
namespace {

/// A client that waits for the name of a lock's holder.
class AzureStateClient final : public RemoteClient {
 public:
  AzureStateClient(const AzureContainer& container, std::string name)
      : client_(container, std::move(name)) {}

  Result<std::optional<std::string>> Get() override { return client_.Get(); }
  Result<void> Put(std::string_view bytes) override { return client_.Put(bytes); }
  Result<void> Delete() override { return client_.Delete(); }
  Result<std::string> Lock(const state::LockInfo& info) override {
    return WaitForHolder([&] { return client_.Lock(info); });
  }
  Result<void> Unlock(std::string_view id) override { return client_.Unlock(id); }

 private:
  AzureClient client_;
};

bool IsLowerOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/// Names become a part of URLs: reports those that Azure does not allow.
void CheckNames(const std::string& account, const std::string& container,
                provider::Problems& problems) {
  if (account.size() < 3 || account.size() > 24 || !std::ranges::all_of(account, IsLowerOrDigit)) {
    cloud::AddFailure(problems,
                      "invalid storage account name: it must be 3-24 lowercase letters and digits");
    return;
  }
  const bool fits =
      container.size() >= 3 && container.size() <= 63 && IsLowerOrDigit(container.front()) &&
      IsLowerOrDigit(container.back()) &&
      std::ranges::all_of(container, [](char c) { return IsLowerOrDigit(c) || c == '-'; });
  if (!fits) {
    cloud::AddFailure(
        problems,
        "invalid storage container name: it must be 3-63 lowercase letters, digits and "
        "hyphens, without a hyphen at its ends");
  } else if (container.find("--") != std::string::npos) {
    cloud::AddFailure(problems, "invalid storage container name: hyphens must be nonconsecutive");
  }
}

constexpr std::pair<const char*, const char*> kExclusive[] = {
    {"customer_provided_key", "encryption_scope"}, {"environment", "metadata_host"}};

class AzureService final : public ObjectService {
 public:
  explicit AzureService(net::Transport& transport) : client_(transport, ServiceClientOptions()) {}
  AzureService(const AzureService&) = delete;
  AzureService& operator=(const AzureService&) = delete;

  Traits traits() const override { return {.name = "azure", .reads_to_find = true}; }

  void Check(const Value& settings, provider::Problems& problems) const override {
    for (const auto& [a, b] : kExclusive) {
      if (!cloud::SettingText(settings, a).empty() && !cloud::SettingText(settings, b).empty()) {
        cloud::AddFailure(problems, std::string("\"") + a + "\": conflicts with " + b);
        cloud::AddFailure(problems, std::string("\"") + b + "\": conflicts with " + a);
      }
    }
    if (cloud::SettingNumber(settings, "timeout_seconds", 0) < 0) {
      cloud::AddFailure(problems, "timeout_seconds expected to be a non-negative integer");
    }
    constexpr size_t kKeySize = 32;
    if (const std::string key = cloud::SettingText(settings, "customer_provided_key");
        !key.empty()) {
      if (const auto bytes = DecodeBase64(key); !bytes || bytes->size() != kKeySize) {
        cloud::AddFailure(problems, "customer_provided_key must be 32 bytes in base64");
      }
    }
  }

  ObjectLayout Configure(const Value& settings, provider::Problems& problems) override {
    const Result<cloud::AzureCloud> cloud = cloud::FindAzureCloud(client_, settings);
    if (!cloud) {
      cloud::AddFailure(problems, cloud.error().message);
      return {};
    }
    AzureOptions options;
    options.account = cloud::SettingText(settings, "storage_account_name");
    const std::string container = cloud::SettingText(settings, "container_name");
    CheckNames(options.account, container, problems);
    options.container_url =
        "https://" + options.account + ".blob." + cloud->storage_suffix + '/' + container;
    options.snapshot = cloud::SettingFlag(settings, "snapshot");
    constexpr int64_t kPatience = 300;
    options.timeout =
        std::chrono::seconds(cloud::SettingNumber(settings, "timeout_seconds", kPatience));
    options.customer_key =
        DecodeBase64(cloud::SettingText(settings, "customer_provided_key")).value_or("");
    options.encryption_scope = cloud::SettingText(settings, "encryption_scope");
    if (!provider::HasErrors(problems)) {
      LogIn(settings, *cloud, options, problems);
    }
    container_.emplace(client_, identity_ ? &*identity_ : nullptr, std::move(options));
    const std::string key = cloud::SettingText(settings, "key");
    const std::string prefix = key + "env:";
    return {.default_key = key, .prefix = prefix, .suffix = {}, .listed = prefix};
  }

  Result<std::vector<std::string>> List(const std::string& prefix) const override {
    auto blobs = container_->List(prefix);
    return blobs ? std::move(blobs)
                 : Fail(blobs.error().code, "error listing blobs: " + blobs.error().message);
  }

  Result<std::unique_ptr<RemoteClient>> Client(const std::string& key) const override {
    return std::make_unique<AzureStateClient>(*container_, key);
  }

 private:
  /// Finds how requests are signed: a key, a SAS token, or an identity, directly or for the key.
  void LogIn(const Value& settings, const cloud::AzureCloud& cloud, AzureOptions& options,
             provider::Problems& problems) {
    if (const std::string key = cloud::SettingText(settings, "access_key"); !key.empty()) {
      auto bytes = DecodeBase64(key);
      if (!bytes) {
        cloud::AddFailure(
            problems, "error creating credential from shared access key: " + bytes.error().message);
      }
      options.access_key = bytes.value_or("");
      return;
    }
    options.sas_token = cloud::SettingText(settings, "sas_token");
    if (options.sas_token.starts_with('?')) {
      options.sas_token.erase(0, 1);
    }
    if (!options.sas_token.empty()) {
      return;
    }
    std::optional<cloud::AzureIdentityOptions> login = cloud::FindAzureLogin(settings, problems);
    if (!login) {
      return;
    }
    const std::string subscription = login->subscription;
    const bool by_token = cloud::SettingFlag(settings, "use_azuread_auth");
    identity_.emplace(client_, cloud, *std::move(login),
                      by_token ? "https://storage.azure.com" : cloud.manager_audience);
    if (!by_token) {
      TakeKey(settings, cloud, subscription, options, problems);
    }
  }

  /// Asks for the key of the storage account.
  void TakeKey(const Value& settings, const cloud::AzureCloud& cloud,
               const std::string& subscription, AzureOptions& options,
               provider::Problems& problems) {
    const std::pair<std::string, const char*> needed[] = {
        {cloud::SettingText(settings, "resource_group_name"), "Resource Group is empty"},
        {subscription, "Subscription ID is empty"}};
    for (const auto& [value, summary] : needed) {
      if (value.empty()) {
        problems.push_back({.summary = summary,
                            .detail = "The key of the storage account is asked for by its resource "
                                      "group and subscription.",
                            .attribute = std::nullopt,
                            .sourceless = true});
      }
    }
    if (provider::HasErrors(problems)) {
      return;
    }
    auto key = cloud::AskAzureKey(client_, *identity_, cloud, settings, subscription);
    if (!key) {
      cloud::AddFailure(problems, "error getting container client: " + key.error().message);
      return;
    }
    options.access_key = *std::move(key);
  }

  net::HttpClient client_;
  std::optional<cloud::AzureIdentity> identity_;
  std::optional<AzureContainer> container_;
};

std::unique_ptr<Backend> MakeAzurerm(const StateFlags&) {
  return MakeAzureBackend(net::CurlTransport());
}

constexpr std::string_view kAccessKeyVariables[] = {"ARM_ACCESS_KEY"};
constexpr std::string_view kAdoServiceConnectionIdVariables[] = {
    "ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID", "ARM_OIDC_AZURE_SERVICE_CONNECTION_ID",
    "AZURESUBSCRIPTION_SERVICE_CONNECTION_ID"};
constexpr std::string_view kClientCertificateVariables[] = {"ARM_CLIENT_CERTIFICATE"};
constexpr std::string_view kClientCertificatePasswordVariables[] = {
    "ARM_CLIENT_CERTIFICATE_PASSWORD"};
constexpr std::string_view kClientCertificatePathVariables[] = {"ARM_CLIENT_CERTIFICATE_PATH"};
constexpr std::string_view kClientIdVariables[] = {"ARM_CLIENT_ID"};
constexpr std::string_view kClientIdFilePathVariables[] = {"ARM_CLIENT_ID_FILE_PATH"};
constexpr std::string_view kClientSecretVariables[] = {"ARM_CLIENT_SECRET"};
constexpr std::string_view kClientSecretFilePathVariables[] = {"ARM_CLIENT_SECRET_FILE_PATH"};
constexpr std::string_view kCustomerProvidedKeyVariables[] = {"ARM_CUSTOMER_PROVIDED_KEY"};
constexpr std::string_view kEncryptionScopeVariables[] = {"ARM_ENCYRPTION_SCOPE"};
constexpr std::string_view kEnvironmentVariables[] = {"ARM_ENVIRONMENT"};
constexpr std::string_view kMetadataHostVariables[] = {"ARM_METADATA_HOST"};
constexpr std::string_view kMsiEndpointVariables[] = {"ARM_MSI_ENDPOINT"};
constexpr std::string_view kOidcRequestTokenVariables[] = {
    "ARM_OIDC_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "SYSTEM_ACCESSTOKEN"};
constexpr std::string_view kOidcRequestUrlVariables[] = {
    "ARM_OIDC_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_URL", "SYSTEM_OIDCREQUESTURI"};
constexpr std::string_view kOidcTokenVariables[] = {"ARM_OIDC_TOKEN"};
constexpr std::string_view kOidcTokenFilePathVariables[] = {"ARM_OIDC_TOKEN_FILE_PATH",
                                                            "AZURE_FEDERATED_TOKEN_FILE"};
constexpr std::string_view kSasTokenVariables[] = {"ARM_SAS_TOKEN"};
constexpr std::string_view kSnapshotVariables[] = {"ARM_SNAPSHOT"};
constexpr std::string_view kSubscriptionIdVariables[] = {"ARM_SUBSCRIPTION_ID"};
constexpr std::string_view kTenantIdVariables[] = {"ARM_TENANT_ID"};
constexpr std::string_view kTimeoutSecondsVariables[] = {"ARM_TIMEOUT_SECONDS"};
constexpr std::string_view kUseAksWorkloadIdentityVariables[] = {"ARM_USE_AKS_WORKLOAD_IDENTITY"};
constexpr std::string_view kUseAzureadAuthVariables[] = {"ARM_USE_AZUREAD"};
constexpr std::string_view kUseCliVariables[] = {"ARM_USE_CLI"};
constexpr std::string_view kUseMsiVariables[] = {"ARM_USE_MSI"};
constexpr std::string_view kUseOidcVariables[] = {"ARM_USE_OIDC"};

constexpr Setting kAzureSettings[] = {
    {.name = "access_key",
     .docs = "Key of the storage account.",
     .environment = kAccessKeyVariables},
    {.name = "ado_service_connection_id",
     .docs = "Service connection of Azure DevOps.",
     .environment = kAdoServiceConnectionIdVariables},
    {.name = "client_certificate",
     .docs = "Certificate and key of the client (PFX) in base64.",
     .environment = kClientCertificateVariables},
    {.name = "client_certificate_password",
     .docs = "Password of the client's certificate.",
     .environment = kClientCertificatePasswordVariables},
    {.name = "client_certificate_path",
     .docs = "File with the client's certificate (PFX).",
     .environment = kClientCertificatePathVariables},
    {.name = "client_id", .docs = "The client that logs in.", .environment = kClientIdVariables},
    {.name = "client_id_file_path",
     .docs = "File with the client's ID.",
     .environment = kClientIdFilePathVariables},
    {.name = "client_secret",
     .docs = "Secret of the client.",
     .environment = kClientSecretVariables},
    {.name = "client_secret_file_path",
     .docs = "File with the client's secret.",
     .environment = kClientSecretFilePathVariables},
    {.name = "container_name", .docs = "The container.", .required = true},
    {.name = "customer_provided_key",
     .docs = "Key of the customer that encrypts the blobs, in base64.",
     .environment = kCustomerProvidedKeyVariables,
     .sensitive = true},
    {.name = "encryption_scope",
     .docs = "Encryption scope of the blobs.",
     .environment = kEncryptionScopeVariables},
    {.name = "endpoint",
     .docs = "Not used.",
     .deprecated = "This variable is unused and does not affect any execution. Please use "
                   "environment or metadata host instead."},
    {.name = "environment",
     .docs = "The Azure cloud: public, usgovernment, china and others.",
     .environment = kEnvironmentVariables},
    {.name = "key", .docs = "Name of the default workspace's blob.", .required = true},
    {.name = "metadata_host",
     .docs = "Host that describes the Azure cloud.",
     .environment = kMetadataHostVariables},
    {.name = "msi_endpoint",
     .docs = "Address of the machine's identity service.",
     .environment = kMsiEndpointVariables,
     .deprecated = "Use the environment variable MSI_ENDPOINT instead."},
    {.name = "oidc_request_token",
     .docs = "Token for requests for an assertion.",
     .environment = kOidcRequestTokenVariables},
    {.name = "oidc_request_url",
     .docs = "URL of requests for an assertion.",
     .environment = kOidcRequestUrlVariables},
    {.name = "oidc_token",
     .docs = "Assertion of an identity provider.",
     .environment = kOidcTokenVariables},
    {.name = "oidc_token_file_path",
     .docs = "File with an assertion of an identity provider.",
     .environment = kOidcTokenFilePathVariables},
    {.name = "resource_group_name", .docs = "Resource group of the storage account."},
    {.name = "sas_token",
     .docs = "Shared access signature for the container.",
     .environment = kSasTokenVariables},
    {.name = "snapshot",
     .docs = "Whether each change is preceded by a snapshot.",
     .type = SettingType::kBool,
     .environment = kSnapshotVariables},
    {.name = "storage_account_name", .docs = "The storage account.", .required = true},
    {.name = "subscription_id",
     .docs = "Subscription of the storage account.",
     .environment = kSubscriptionIdVariables},
    {.name = "tenant_id", .docs = "Tenant of the client.", .environment = kTenantIdVariables},
    {.name = "timeout_seconds",
     .docs = "Time limit of a request in seconds.",
     .type = SettingType::kNumber,
     .environment = kTimeoutSecondsVariables},
    {.name = "use_aks_workload_identity",
     .docs = "Whether the identity of a workload in Kubernetes logs in.",
     .type = SettingType::kBool,
     .environment = kUseAksWorkloadIdentityVariables},
    {.name = "use_azuread_auth",
     .docs = "Whether the blobs are accessed by tokens and not by the account's key.",
     .type = SettingType::kBool,
     .environment = kUseAzureadAuthVariables},
    {.name = "use_cli",
     .docs = "Whether the Azure command line may log in.",
     .type = SettingType::kBool,
     .environment = kUseCliVariables},
    {.name = "use_msi",
     .docs = "Whether the machine's identity logs in.",
     .type = SettingType::kBool,
     .environment = kUseMsiVariables},
    {.name = "use_oidc",
     .docs = "Whether an assertion of an identity provider logs in.",
     .type = SettingType::kBool,
     .environment = kUseOidcVariables},
};

}  // namespace

std::unique_ptr<Backend> MakeAzureBackend(net::Transport& transport) {
  return MakeObjectBackend(std::make_unique<AzureService>(transport));
}

constexpr BackendSpec kAzurerm{.type = "azurerm",
                               .docs = "Azure Blob Storage.",
                               .settings = kAzureSettings,
                               .make = MakeAzurerm};

}  // namespace kinu::backend
