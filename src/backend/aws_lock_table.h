// The DynamoDB table of the backend s3: locks, and the digests of the stored states.
// Ref: opentofu internal/backend/remote-state/s3/client.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/cloud/aws_service.h"

namespace kinu::backend {

/// Rows have the text key "LockID" and one other text attribute. Every error message begins with
/// the name of the operation.
class AwsLockTable {
 public:
  /// `service` must outlive the object.
  AwsLockTable(const net::AwsService& service, std::string table)
      : service_(service), table_(std::move(table)) {}

  /// Stores a row. With `only_new`, fails if there is one with this key.
  Result<void> Put(std::string_view key, std::string_view attribute, std::string_view text,
                   bool only_new) const;
  /// The attribute's text, or nothing if there is no such row.
  Result<std::optional<std::string>> Get(std::string_view key, std::string_view attribute) const;
  /// Deletes a row. `info`: only if this is the text of the attribute "Info"; null: in any case.
  Result<void> Delete(std::string_view key, const std::string* info) const;

  const std::string& table() const { return table_; }

 private:
  Result<std::string> Call(std::string_view operation, std::string body) const;

  const net::AwsService& service_;
  std::string table_;
};

}  // namespace kinu::backend
