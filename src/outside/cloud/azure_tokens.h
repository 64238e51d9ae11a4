// Access tokens of Microsoft Entra ID (Azure AD): by a client's secret or certificate, an assertion
// of an identity provider, the machine's managed identity, or the Azure command line. Ref: Azure
// SDK azidentity; opentofu internal/backend/remote-state/azure/auth.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/certificate.h"
#include "net/http.h"

namespace kinu::cloud {

/// The addresses of one Azure cloud.
struct AzureCloud {
  std::string login = "https://login.microsoftonline.com/";  ///< with a slash at its end
  std::string resource_manager = "https://management.azure.com";
  std::string manager_audience = "https://management.azure.com";
  std::string storage_suffix = "core.windows.net";  ///< of the host names of storage accounts
};

/// The cloud of a name such as "public" or "china"; nothing if there is no such cloud.
std::optional<AzureCloud> FindAzureCloud(std::string_view name);
/// The cloud that a metadata service describes.
Result<AzureCloud> ReadAzureCloud(const net::HttpClient& client, const std::string& metadata_host);

/// How an identity proves itself.
enum class AzureMethod : uint8_t {
  kClientSecret,
  kCertificate,  ///< an assertion that a client's certificate signs
  kDevOps,       ///< an assertion of Azure DevOps
  kAssertion,    ///< a token, a file with it, or a request for it
  kManaged,      ///< the machine's identity
  kWorkload,     ///< the identity of a workload in Kubernetes
  kCommandLine,
};

struct AzureIdentityOptions {
  AzureMethod method = AzureMethod::kClientSecret;
  std::string tenant;
  std::string client_id;
  std::string client_secret;
  crypto::KeyedCertificate certificate;  ///< kCertificate
  std::string assertion;
  std::string assertion_file;
  std::string request_url;  ///< asked for an assertion
  std::string request_token;
  std::string service_connection;  ///< kDevOps
  std::string machine_endpoint;    ///< of the machine's identity; empty: as configured
  std::string subscription;
  const std::atomic<bool>* stop = nullptr;  ///< ends running programs
};

/// The tokens of one identity. They are kept in memory and renewed before they expire. Thread-safe.
class AzureIdentity {
 public:
  /// `resource`: what the tokens are for, a URL. Nothing is sent before Token().
  AzureIdentity(const net::HttpClient& client, AzureCloud cloud, AzureIdentityOptions options,
                std::string resource)
      : client_(client),
        cloud_(std::move(cloud)),
        options_(std::move(options)),
        resource_(std::move(resource)) {}

  Result<std::string> Token();

 private:
  struct Issued {
    std::string value;
    std::chrono::system_clock::time_point expires;
  };
  Result<Issued> Find() const;
  Result<Issued> ByAssertion() const;
  Result<Issued> AskLogin(std::string_view proof_name, const std::string& proof) const;
  Result<Issued> AskMachine() const;
  Result<Issued> AskCommandLine() const;
  Result<std::string> Assertion() const;
  Result<std::string> SignedAssertion() const;
  std::string TokenUrl() const { return cloud_.login + options_.tenant + "/oauth2/v2.0/token"; }

  const net::HttpClient& client_;
  AzureCloud cloud_;
  AzureIdentityOptions options_;
  std::string resource_;
  std::mutex mutex_;
  std::optional<Issued> token_;
};

}  // namespace kinu::cloud
