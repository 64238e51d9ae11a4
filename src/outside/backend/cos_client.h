// The requests of the backend cos: one state and its lock as objects of a bucket of Tencent COS,
// and the tag that guards the making of a lock.
// Ref: opentofu internal/backend/remote-state/cos/client.go; cos-go-sdk-v5 auth.go.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/lock_wait.h"
#include "backend/remote_client.h"
#include "backend/tencent_service.h"

namespace kinu::backend {

/// What all states of one backend have in common.
struct CosOptions {
  std::string bucket;
  std::string host;  ///< of the bucket
  TencentKeys keys;
  std::string acl;
  bool encrypt = true;
  /// Waits between attempts; false ends them.
  std::function<bool(std::chrono::milliseconds)> wait = SleepFor;
};

/// The objects of a bucket. Each carries its MD5 digest.
class CosBucket {
 public:
  /// `client` must outlive the object.
  CosBucket(const net::HttpClient& client, CosOptions options)
      : client_(client), options_(std::move(options)) {}

  /// The names of the objects with this prefix.
  Result<std::vector<std::string>> List(const std::string& prefix) const;
  /// Nothing if there is no such object. Fails if its content does not fit its digest.
  Result<std::optional<std::string>> Get(const std::string& name) const;
  /// Stores an object. kExists: with `only_new`, there is one of this name.
  Result<void> Put(const std::string& name, std::string_view bytes, bool only_new) const;
  /// Deletes an object. False: there is none.
  Result<bool> Delete(const std::string& name) const;

  const std::string& name() const { return options_.bucket; }
  bool Wait(std::chrono::milliseconds time) const { return options_.wait(time); }

 private:
  Result<net::HttpResponse> Send(net::HttpRequest request, const std::string& name,
                                 const std::string& query) const;

  const net::HttpClient& client_;
  CosOptions options_;
};

/// Adds the headers Authorization and, for temporary keys, x-cos-security-token. `path` and `query`
/// are those of the request; names and values of `query` are escaped and sorted.
void SignCos(net::HttpRequest& request, const TencentKeys& keys, const std::string& host,
             const std::string& path, const std::string& query,
             std::chrono::system_clock::time_point time);

/// The state of one workspace. The id of a lock is the MD5 digest of its object.
class CosClient final : public RemoteClient {
 public:
  /// `bucket` and `tags` must outlive the object. `name`: of the object.
  CosClient(const CosBucket& bucket, const TencentService& tags, std::string name)
      : bucket_(bucket), tags_(tags), state_(std::move(name)), lock_(state_ + ".tflock") {}

  Result<std::optional<std::string>> Get() override { return bucket_.Get(state_); }
  Result<void> Put(std::string_view bytes) override { return bucket_.Put(state_, bytes, false); }
  Result<void> Delete() override;
  Result<std::string> Lock(const state::LockInfo& info) override;
  Result<void> Unlock(std::string_view id) override;

 private:
  /// The lock's info with its id. kNotFound: there is no lock.
  Result<state::LockInfo> Holder() const;
  std::string TagValue() const;
  std::string TagBody() const;
  /// Makes the tag. kExists: another process has it, and `holder` is who holds the lock, if anyone.
  Result<void> TakeTag() const;
  Result<bool> HasTag() const;
  Result<void> ReleaseTag() const;
  Result<void> StoreLock(const std::string& text) const;

  const CosBucket& bucket_;
  const TencentService& tags_;
  std::string state_;
  std::string lock_;
  std::string own_id_;  ///< of the lock that this object has taken and whose tag it has deleted
};

}  // namespace kinu::backend
