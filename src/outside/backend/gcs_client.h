// The requests of the backend gcs: one state and its lock as objects of a bucket of Google Cloud
// Storage. Ref: opentofu internal/backend/remote-state/gcs/client.go; cloud.google.com/go/storage.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/remote_client.h"
#include "cloud/google_tokens.h"
#include "net/http.h"

namespace kinu::backend {

/// What all states of one backend have in common.
struct GcsOptions {
  std::string bucket;
  std::string endpoint;        ///< of the JSON interface, with a slash at its end
  bool anonymous = false;      ///< requests have no token
  std::string encryption_key;  ///< 32 bytes; empty: none
  std::string kms_key;
};

/// Whether an object must have a state for a request to change it.
struct GcsCondition {
  /// 0: there is no such object; otherwise the generation that it has. Nothing: any.
  std::optional<std::string> generation = {};
};

/// The objects of a bucket. Error messages begin with the reason that the service gives.
class GcsBucket {
 public:
  struct Object {
    std::string bytes;
    std::string generation;
  };

  /// `client` and `identity` must outlive the object.
  GcsBucket(const net::HttpClient& client, cloud::GoogleIdentity& identity, GcsOptions options);

  /// The names of the objects with this prefix that have no slash after it.
  Result<std::vector<std::string>> List(std::string_view prefix) const;
  /// Nothing if there is no such object. `with_key`: it is encrypted with the customer's key.
  Result<std::optional<Object>> Get(const std::string& name, bool with_key) const;
  /// Stores an object and returns its generation. `is_state`: encrypted with the configured keys.
  Result<std::string> Put(const std::string& name, std::string_view bytes, bool is_state,
                          const GcsCondition& condition) const;
  Result<void> Delete(const std::string& name, const GcsCondition& condition) const;

  /// "gs://BUCKET/NAME"
  std::string UrlOf(std::string_view name) const;

 private:
  Result<net::HttpResponse> Send(net::HttpRequest request) const;
  void AddKey(net::HttpRequest& request) const;

  const net::HttpClient& client_;
  cloud::GoogleIdentity& identity_;
  GcsOptions options_;
  std::string host_;  ///< scheme and host of the endpoint
};

/// The state of one workspace. The id of a lock is the generation of its object.
class GcsClient final : public RemoteClient {
 public:
  /// `path`: of the state without its suffix. `bucket` must outlive the object.
  GcsClient(const GcsBucket& bucket, const std::string& path)
      : bucket_(bucket), state_(path + ".tfstate"), lock_(path + ".tflock") {}

  Result<std::optional<std::string>> Get() override;
  Result<void> Put(std::string_view bytes) override;
  Result<void> Delete() override;
  Result<std::string> Lock(const state::LockInfo& info) override;
  Result<void> Unlock(std::string_view id) override;

 private:
  /// The failure of a request about the lock, with its holder if it is known. kNotFound: there is
  /// no lock any more.
  Error LockError(const std::string& cause) const;

  const GcsBucket& bucket_;
  std::string state_;
  std::string lock_;
};

}  // namespace kinu::backend
