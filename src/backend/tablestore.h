// The TableStore table of the backend oss: locks, and the digests of the stored states.
// Ref: aliyun-tablestore-go-sdk api.go, plain_buffer.go, otsprotocol/table_store.proto.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backend/alibaba_login.h"
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

/// Every error message begins with the name of the operation.
class TablestoreTable {
 public:
  /// `client` must outlive the object. `endpoint`: a URL without a slash at its end, whose host
  /// begins with the name of the instance.
  TablestoreTable(const net::HttpClient& client, AlibabaKeys keys, std::string endpoint,
                  std::string table);

  /// Fails if there is no such table.
  Result<void> Describe() const;
  /// Stores a row. kExists: with `only_new`, there is one with this key.
  Result<void> Put(const TablestoreRow& row, bool only_new) const;
  /// The column's text: empty if the row has no such column, nothing if there is no such row.
  Result<std::optional<std::string>> Get(const std::string& key, const std::string& column) const;
  /// Deletes a row if there is one.
  Result<void> Delete(const std::string& key) const;

  const std::string& table() const { return table_; }

 private:
  Result<std::string> Call(const std::string& operation, std::string body) const;

  const net::HttpClient& client_;
  AlibabaKeys keys_;
  std::string endpoint_;
  std::string instance_;
  std::string table_;
};

}  // namespace kinu::backend
