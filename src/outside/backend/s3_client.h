// The requests of the backend s3: one state as an object of a bucket, its lock as another object
// or as a row of a DynamoDB table. Ref: opentofu internal/backend/remote-state/s3/client.go.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/lock_table.h"
#include "backend/remote_client.h"
#include "cloud/aws_service.h"

namespace kinu::backend {

/// What all states of one backend have in common.
struct S3Options {
  std::string bucket;
  bool path_style = false;
  bool checksums = true;
  std::string acl;
  bool encrypt = false;
  std::string kms_key;
  std::string customer_key;  ///< 32 bytes; empty: none
  std::map<std::string, std::string> state_tags;
  std::map<std::string, std::string> lock_tags;
  bool lock_file = false;
};

/// The objects of a bucket.
class S3Bucket {
 public:
  /// An object's bytes; nothing if there is no such object.
  using Object = std::optional<std::string>;

  /// `service` must outlive the object.
  S3Bucket(const cloud::AwsService& service, S3Options options);

  /// The keys with this prefix. A bucket that must not be listed has none.
  Result<std::vector<std::string>> List(std::string_view prefix) const;
  /// Whether there is an object of this key.
  Result<bool> Exists(std::string_view key) const;
  Result<Object> Get(std::string_view key) const;
  /// Stores an object. With `only_new`, fails if there is one with this key.
  Result<void> Put(std::string_view key, std::string_view bytes,
                   const std::map<std::string, std::string>& tags, bool only_new) const;
  Result<void> Delete(std::string_view key) const;

  const S3Options& options() const { return options_; }

 private:
  net::HttpRequest Request(std::string method, std::string_view key, std::string_view query) const;
  void AddCustomerKey(net::HttpRequest& request) const;
  Result<net::HttpResponse> Send(std::string_view operation, net::HttpRequest request) const;
  std::unexpected<Error> Refused(std::string_view operation,
                                 const net::HttpResponse& response) const;

  const cloud::AwsService& service_;
  S3Options options_;
  std::string base_;  ///< URL of the bucket, without a slash at its end
};

/// The state of one workspace.
class S3Client final : public RemoteClient {
 public:
  /// `table`: null if locks and digests are not kept in one. `bucket` and `table` must outlive the
  /// object.
  S3Client(const S3Bucket& bucket, const LockTable* table, const cloud::AwsService& service,
           std::string key)
      : bucket_(bucket),
        service_(service),
        key_(std::move(key)),
        rows_(table, bucket.options().bucket + '/' + key_,
              {.backend = "s3", .store = "S3", .table = "DynamoDB"}) {}

  /// Fails if the state is not the one whose digest is in the table, not even after ten seconds.
  Result<std::optional<std::string>> Get() override;
  Result<void> Put(std::string_view bytes) override;
  Result<void> Delete() override;
  Result<std::string> Lock(const state::LockInfo& info) override;
  Result<void> Unlock(std::string_view id) override;
  bool can_lock() const override { return rows_.has_table() || bucket_.options().lock_file; }

 private:
  std::string LockFile() const { return key_ + ".tflock"; }
  Result<std::optional<std::string>> GetOnce() const;
  Result<state::LockInfo> FileHolder() const;
  Result<void> LockByFile(const state::LockInfo& info) const;
  Result<void> UnlockFile(std::string_view id) const;

  const S3Bucket& bucket_;
  const cloud::AwsService& service_;
  std::string key_;
  StateRows rows_;
};

}  // namespace kinu::backend
