// The TableStore table of the backend oss: locks, and the digests of the stored states.
// Ref: aliyun-tablestore-go-sdk api.go, plain_buffer.go, otsprotocol/table_store.proto.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backend/alibaba_login.h"
#include "backend/lock_table.h"
#include "net/http.h"

namespace kinu::backend {

/// A row as TableStore encodes it: the text key "LockID" and at most one other text column.
struct TablestoreRow {
  std::string key;
  std::string column = {};  ///< empty: the row has the key only
  std::string text = {};

  /// `deletes`: the row stands for its deletion.
  std::string Encode(bool deletes = false) const;
  /// The text of a column in an encoded row; nothing if there is no such column.
  static Result<std::optional<std::string>> Find(std::string_view encoded, std::string_view column);
};

class TablestoreTable final : public LockTable {
 public:
  /// `client` must outlive the object. `endpoint`: a URL without a slash at its end, whose host
  /// begins with the name of the instance.
  TablestoreTable(const net::HttpClient& client, AlibabaKeys keys, std::string endpoint,
                  std::string table);

  /// Fails if there is no such table.
  Result<void> Describe() const;
  Result<void> Put(std::string_view key, std::string_view column, std::string_view text,
                   bool only_new) const override;
  Result<std::optional<std::string>> Get(std::string_view key,
                                         std::string_view column) const override;
  /// Deletes the row whatever `info` is.
  Result<void> Delete(std::string_view key, const std::string* info) const override;
  const std::string& table() const override { return table_; }

 private:
  Result<std::string> Call(const std::string& operation, std::string body) const;

  const net::HttpClient& client_;
  AlibabaKeys keys_;
  std::string endpoint_;
  std::string instance_;
  std::string table_;
};

}  // namespace kinu::backend
