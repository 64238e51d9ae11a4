// The requests of the backend azurerm: one state as a blob, locked by a lease. The lock's info is
// in the blob's metadata. Ref: opentofu internal/backend/remote-state/azure/client.go.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/remote_client.h"
#include "cloud/azure_tokens.h"
#include "net/http.h"

namespace kinu::backend {

/// What all states of one backend have in common.
struct AzureOptions {
  std::string account;
  std::string container_url;  ///< without a slash at its end
  std::string access_key;     ///< bytes; empty: none
  std::string sas_token;      ///< a query; empty: none
  bool snapshot = false;      ///< each change is preceded by a snapshot of the blob
  std::chrono::seconds timeout{300};
  std::string customer_key;  ///< 32 bytes; empty: none
  std::string encryption_scope;
};

/// The metadata of a blob, by names in lower case.
using AzureMetadata = std::map<std::string, std::string>;

struct AzureProperties {
  AzureMetadata metadata;
  bool leased = false;
};

/// The blobs of a container.
class AzureContainer {
 public:
  /// `identity`: whose tokens the requests have, unless there is a key or a SAS token; may be null.
  /// References must outlive the object.
  AzureContainer(const net::HttpClient& client, cloud::AzureIdentity* identity,
                 AzureOptions options)
      : client_(client), identity_(identity), options_(std::move(options)) {}

  Result<std::vector<std::string>> List(const std::string& prefix) const;
  /// Nothing if there is no such blob.
  Result<std::optional<std::string>> Get(const std::string& name) const;
  Result<std::optional<AzureProperties>> Look(const std::string& name,
                                              const std::string& lease) const;
  Result<void> Put(const std::string& name, std::string_view bytes, const AzureMetadata& metadata,
                   const std::string& lease) const;
  Result<void> Snapshot(const std::string& name, const std::string& lease) const;
  /// A blob that does not exist is deleted.
  Result<void> Delete(const std::string& name, const std::string& lease) const;
  Result<void> SetMetadata(const std::string& name, const AzureMetadata& metadata,
                           const std::string& lease) const;
  Result<void> Acquire(const std::string& name, const std::string& lease) const;
  Result<void> Release(const std::string& name, const std::string& lease) const;

  std::string UrlOf(const std::string& name) const;
  const AzureOptions& options() const { return options_; }

 private:
  net::HttpRequest Request(std::string method, const std::string& url, std::string query) const;
  void AddKeys(net::HttpRequest& request) const;
  Result<net::HttpResponse> Send(net::HttpRequest request) const;
  Result<void> Do(net::HttpRequest request) const;

  const net::HttpClient& client_;
  cloud::AzureIdentity* identity_;
  AzureOptions options_;
};

/// Signs a request with the key of a storage account.
Result<void> SignAzure(net::HttpRequest& request, const std::string& account,
                       const std::string& key);

/// The state of one workspace. The id of a lock is that of its lease.
class AzureClient final : public RemoteClient {
 public:
  /// `container` must outlive the object.
  AzureClient(const AzureContainer& container, std::string name)
      : container_(container), name_(std::move(name)) {}

  Result<std::optional<std::string>> Get() override;
  Result<void> Put(std::string_view bytes) override;
  Result<void> Delete() override;
  Result<std::string> Lock(const state::LockInfo& info) override;
  Result<void> Unlock(std::string_view id) override;

 private:
  Result<state::LockInfo> Holder() const;
  /// How to end a lease that has no lock info.
  std::string LeaseAdvice() const;
  /// The failure of a request for the lock, with its holder if it is known; kNotFound if it is held
  /// by nobody who is known.
  std::unexpected<Error> LockFailure(const Error& cause) const;
  /// Writes the lock's info into the metadata, or removes it (null).
  Result<void> WriteInfo(const state::LockInfo* info) const;

  const AzureContainer& container_;
  std::string name_;
  std::string lease_;  ///< empty: the blob is not locked by this object
};

}  // namespace kinu::backend
