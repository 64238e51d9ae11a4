#include "cloud/azure_login.h"

#include "base/capture.h"
#include "base/environment.h"
#include "base/files.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "json/reader.h"

namespace kinu::cloud {
namespace {

using provider::Problems;

void AddLack(Problems& problems, const std::string& way, std::string detail) {
  problems.push_back({.summary = "Invalid " + way + " Auth",
                      .detail = std::move(detail),
                      .attribute = std::nullopt,
                      .sourceless = true});
}

/// A value that is given itself, or in a file, or in both if they agree.
Result<std::string> TextOrFile(const Value& settings, const std::string& name,
                               const std::string& file_name) {
  std::string text = SettingText(settings, name);
  const std::string path = SettingText(settings, file_name);
  if (!path.empty()) {
    KINU_TRY(std::string content, ReadFile(path));
    content.erase(content.find_last_not_of(" \t\r\n") + 1);
    if (!text.empty() && text != content) {
      return Fail(ErrorCode::kInvalid, "the text and the file differ");
    }
    text = std::move(content);
  }
  if (text.empty()) {
    return Fail(ErrorCode::kNotFound, "it is missing");
  }
  return text;
}

/// The tenant and the client, or what they lack.
void ReadClient(const Value& settings, const std::string& way, AzureIdentityOptions& out,
                Problems& problems) {
  out.tenant = SettingText(settings, "tenant_id");
  if (out.tenant.empty()) {
    AddLack(problems, way, "Tenant ID is missing.");
  }
  auto client = TextOrFile(settings, "client_id", "client_id_file_path");
  if (client) {
    out.client_id = *std::move(client);
  } else {
    AddLack(problems, way, "The Client ID is misconfigured: " + client.error().message + '.');
  }
}

/// The file with the certificate, which is given as a text in base64 or by its path.
Result<std::string> CertificateFile(const Value& settings) {
  const std::string text = SettingText(settings, "client_certificate");
  const std::string path = SettingText(settings, "client_certificate_path");
  if (text.empty() && path.empty()) {
    return Fail(ErrorCode::kInvalid, "it is missing");
  }
  std::string bytes;
  if (!text.empty()) {
    KINU_TRY(bytes, DecodeBase64(text));
  }
  if (path.empty()) {
    return bytes;
  }
  KINU_TRY(std::string file, ReadFile(path));
  if (!text.empty() && bytes != file) {
    return Fail(ErrorCode::kInvalid,
                "client_certificate and client_certificate_path are different certificates");
  }
  return file;
}

void TryCertificate(const Value& settings, AzureIdentityOptions& out, Problems& problems) {
  const std::string way = "Azure Client Certificate";
  ReadClient(settings, way, out, problems);
  out.method = AzureMethod::kCertificate;
  auto bytes = CertificateFile(settings);
  if (!bytes) {
    AddLack(problems, way,
            "The Client Certificate is misconfigured: " + bytes.error().message + '.');
    return;
  }
  auto certificate =
      crypto::ReadPkcs12(*bytes, SettingText(settings, "client_certificate_password"));
  if (certificate) {
    out.certificate = *std::move(certificate);
  } else {
    AddLack(problems, way,
            "The Client Certificate is invalid: " + certificate.error().message + '.');
  }
}

void TrySecret(const Value& settings, AzureIdentityOptions& out, Problems& problems) {
  const std::string way = "Azure Client Secret";
  out.method = AzureMethod::kClientSecret;
  ReadClient(settings, way, out, problems);
  auto secret = TextOrFile(settings, "client_secret", "client_secret_file_path");
  if (secret) {
    out.client_secret = *std::move(secret);
  } else {
    AddLack(problems, way, "The Client Secret is misconfigured: " + secret.error().message + '.');
  }
}

void TryDevOps(const Value& settings, AzureIdentityOptions& out, Problems& problems) {
  const std::string way = "Azure DevOps";
  out.method = AzureMethod::kDevOps;
  out.service_connection = SettingText(settings, "ado_service_connection_id");
  if (!SettingFlag(settings, "use_oidc") || out.service_connection.empty()) {
    AddLack(problems, way,
            "Azure DevOps needs use_oidc (or ARM_USE_OIDC) and the ID of the service connection.");
    return;
  }
  out.request_url = Environment("SYSTEM_OIDCREQUESTURI");
  out.request_token = SettingText(settings, "oidc_request_token");
  if (out.request_url.empty()) {
    AddLack(problems, way, "The pipeline's variable SYSTEM_OIDCREQUESTURI is missing.");
  }
  if (out.request_token.empty()) {
    AddLack(problems, way, "The token that an assertion is requested with is missing.");
  }
  ReadClient(settings, way, out, problems);
}

void TryAssertion(const Value& settings, AzureIdentityOptions& out, Problems& problems) {
  const std::string way = "Azure OpenID Connect";
  out.method = AzureMethod::kAssertion;
  if (!SettingFlag(settings, "use_oidc")) {
    AddLack(problems, way, "It needs use_oidc (or ARM_USE_OIDC) set to true.");
    return;
  }
  ReadClient(settings, way, out, problems);
  out.assertion = SettingText(settings, "oidc_token");
  out.assertion_file = SettingText(settings, "oidc_token_file_path");
  out.request_url = SettingText(settings, "oidc_request_url");
  out.request_token = SettingText(settings, "oidc_request_token");
  if (out.assertion.empty() && out.assertion_file.empty() &&
      (out.request_url.empty() || out.request_token.empty())) {
    AddLack(problems, way,
            "A token must be given, or a file with it, or a URL with a token to request it.");
  }
}

void TryMachine(const Value& settings, AzureIdentityOptions& out, Problems& problems) {
  out.method = AzureMethod::kManaged;
  out.client_id = SettingText(settings, "client_id");
  out.machine_endpoint = SettingText(settings, "msi_endpoint");
  if (!SettingFlag(settings, "use_msi")) {
    AddLack(problems, "Azure Managed Service Identity",
            "It needs use_msi (or ARM_USE_MSI) set to true.");
  }
}

void TryWorkload(const Value& settings, AzureIdentityOptions& out, Problems& problems) {
  out.method = AzureMethod::kWorkload;
  out.tenant = Environment("AZURE_TENANT_ID");
  out.client_id = Environment("AZURE_CLIENT_ID");
  out.assertion_file = Environment("AZURE_FEDERATED_TOKEN_FILE");
  if (!SettingFlag(settings, "use_aks_workload_identity")) {
    AddLack(problems, "AKS Workload Identity",
            "It needs use_aks_workload_identity (or ARM_USE_AKS_WORKLOAD_IDENTITY) set to true.");
  }
}

void TryCommandLine(const Value& settings, AzureIdentityOptions& out, Problems& problems) {
  const std::string way = "Azure Command Line";
  out.method = AzureMethod::kCommandLine;
  out.tenant = SettingText(settings, "tenant_id");
  out.subscription = SettingText(settings, "subscription_id");
  if (!SettingFlag(settings, "use_cli", true)) {
    AddLack(problems, way, "It is not used with use_cli set to false.");
    return;
  }
  if (auto subscription = AzureSubscription(); !subscription) {
    AddLack(problems, way, "Error using the az command: " + subscription.error().message + '.');
  } else if (out.subscription.empty()) {
    out.subscription = *std::move(subscription);
  }
}

}  // namespace

Result<std::string> AzureSubscription() {
  CaptureRequest request;
  request.arguments = {"az", "account", "show", "-o", "json"};
  KINU_TRY(const Captured captured, CaptureCommand(request));
  const JsonDocument document = ParseJson(captured.output);
  const JsonNode* id =
      document.ok() && document.root().is_object() ? document.root().Find("id") : nullptr;
  if (captured.exit_code != 0 || id == nullptr) {
    return Fail(ErrorCode::kUnavailable,
                "error getting subscription info: \"az account show\" "
                "ended with status " +
                    std::to_string(captured.exit_code));
  }
  return std::string(id->text());
}

std::optional<AzureIdentityOptions> FindAzureLogin(const Value& settings, Problems& problems) {
  constexpr void (*kWays[])(const Value&, AzureIdentityOptions&, Problems&) = {
      TryCertificate, TrySecret, TryDevOps, TryAssertion, TryMachine, TryWorkload, TryCommandLine};
  Problems lacks;
  for (const auto& way : kWays) {
    Problems own;
    AzureIdentityOptions options;
    options.subscription = SettingText(settings, "subscription_id");
    way(settings, options, own);
    if (own.empty()) {
      return options;
    }
    lacks.insert(lacks.end(), own.begin(), own.end());
  }
  problems.insert(problems.end(), lacks.begin(), lacks.end());
  problems.push_back({.summary = "No valid azure auth methods found",
                      .detail = "The errors above say what each way to log in lacks.",
                      .attribute = std::nullopt,
                      .sourceless = true});
  return std::nullopt;
}

Result<AzureCloud> FindAzureCloud(const net::HttpClient& client, const Value& settings) {
  if (const std::string host = SettingText(settings, "metadata_host"); !host.empty()) {
    return ReadAzureCloud(client, host);
  }
  const std::string name = SettingText(settings, "environment", "public");
  std::optional<AzureCloud> cloud = FindAzureCloud(name);
  if (!cloud) {
    return Fail(ErrorCode::kInvalid, "unknown environment identifier: " + name);
  }
  return *std::move(cloud);
}

Result<std::string> AskAzureKey(const net::HttpClient& client, AzureIdentity& identity,
                                const AzureCloud& cloud, const Value& settings,
                                const std::string& subscription) {
  KINU_TRY(const std::string token, identity.Token());
  net::HttpRequest request;
  request.method = "POST";
  request.url = cloud.resource_manager + "/subscriptions/" + subscription + "/resourceGroups/" +
                SettingText(settings, "resource_group_name") +
                "/providers/Microsoft.Storage/storageAccounts/" +
                SettingText(settings, "storage_account_name") + "/listKeys?api-version=2024-01-01";
  request.headers.Set("Authorization", "Bearer " + token);
  request.headers.Set("Accept", "application/json");
  request.retry.retries = 3;
  KINU_TRY(const net::HttpResponse response, client.Send(request));
  const JsonDocument document = ParseJson(response.body);
  const JsonNode* keys =
      document.ok() && document.root().is_object() ? document.root().Find("keys") : nullptr;
  if (!response.ok() || keys == nullptr || keys->elements().empty()) {
    return Fail(ErrorCode::kUnavailable,
                "error listing access keys on the storage account: " + response.StatusText());
  }
  const JsonNode& first = keys->elements()[0];
  const JsonNode* value = first.is_object() ? first.Find("value") : nullptr;
  if (value == nullptr) {
    return Fail(ErrorCode::kInvalid, "malformed structure returned from the ListKeys function");
  }
  return DecodeBase64(value->text());
}

}  // namespace kinu::cloud
