// The DynamoDB table of the backend s3: locks, and the digests of the stored states.
// Ref: opentofu internal/backend/remote-state/s3/client.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backend/lock_table.h"
#include "cloud/aws_service.h"

namespace kinu::backend {

class AwsLockTable final : public LockTable {
 public:
  /// `service` must outlive the object.
  AwsLockTable(const cloud::AwsService& service, std::string table)
      : service_(service), table_(std::move(table)) {}

  Result<void> Put(std::string_view key, std::string_view column, std::string_view text,
                   bool only_new) const override;
  Result<std::optional<std::string>> Get(std::string_view key,
                                         std::string_view column) const override;
  Result<void> Delete(std::string_view key, const std::string* info) const override;
  const std::string& table() const override { return table_; }

 private:
  Result<std::string> Call(std::string_view operation, std::string body) const;

  const cloud::AwsService& service_;
  std::string table_;
};

}  // namespace kinu::backend
