// The requests of the backend oss: one state as an object of a bucket of Alibaba Cloud OSS, its
// lock and its digest as rows of a TableStore table.
// Ref: opentofu internal/backend/remote-state/oss/client.go; aliyun-oss-go-sdk oss/auth.go.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/alibaba_login.h"
#include "backend/lock_table.h"
#include "backend/lock_wait.h"
#include "backend/remote_client.h"

namespace kinu::backend {

/// What all states of one backend have in common.
struct OssOptions {
  std::string bucket;
  std::string endpoint;  ///< a URL without a slash at its end
  AlibabaKeys keys;
  std::string acl;
  bool encrypt = false;
  /// Waits between attempts; false ends them.
  std::function<bool(std::chrono::milliseconds)> wait = SleepFor;
};

/// The objects of a bucket.
class OssBucket {
 public:
  /// `client` must outlive the object.
  OssBucket(const net::HttpClient& client, OssOptions options);

  /// The names of the objects with this prefix.
  Result<std::vector<std::string>> List(const std::string& prefix) const;
  /// Nothing if there is no such object.
  Result<std::optional<std::string>> Get(const std::string& name) const;
  Result<void> Put(const std::string& name, std::string_view bytes) const;
  Result<void> Delete(const std::string& name) const;

  const std::string& name() const { return options_.bucket; }
  bool Wait(std::chrono::milliseconds time) const { return options_.wait(time); }

 private:
  /// `sub_resource`: a query that is signed. `query`: one that is not.
  Result<net::HttpResponse> Send(net::HttpRequest request, const std::string& name,
                                 std::string_view sub_resource, std::string_view query) const;

  const net::HttpClient& client_;
  OssOptions options_;
  std::string base_;  ///< URL of the bucket with a slash at its end
};

/// The state of one workspace.
class OssClient final : public RemoteClient {
 public:
  /// `bucket` and `table` must outlive the object. `table`: null if states are not locked.
  OssClient(const OssBucket& bucket, const LockTable* table, std::string name)
      : bucket_(bucket),
        name_(std::move(name)),
        rows_(table, bucket_.name() + '/' + name_,
              {.backend = "oss", .store = "OSS", .table = "TableStore"}) {}

  Result<std::optional<std::string>> Get() override;
  Result<void> Put(std::string_view bytes) override;
  Result<void> Delete() override;
  Result<std::string> Lock(const state::LockInfo& info) override;
  Result<void> Unlock(std::string_view id) override;
  bool can_lock() const override { return rows_.has_table(); }

 private:
  const OssBucket& bucket_;
  std::string name_;
  StateRows rows_;
};

}  // namespace kinu::backend
