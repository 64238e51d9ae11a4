// The rows of one state in a table of a database beside an object store: its lock, and the digest
// of what is stored. Written once for all such stores.
// Ref: opentofu internal/backend/remote-state/{s3,oss}/client.go.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "state/store.h"

namespace kinu::backend {

/// A table whose rows have the text key "LockID" and one other text column. Every error message
/// begins with the name of the operation.
class LockTable {
 public:
  virtual ~LockTable() = default;
  /// Stores a row. kExists: with `only_new`, there is one with this key.
  virtual Result<void> Put(std::string_view key, std::string_view column, std::string_view text,
                           bool only_new) const = 0;
  /// The column's text: empty if the row has no such column, nothing if there is no such row.
  virtual Result<std::optional<std::string>> Get(std::string_view key,
                                                 std::string_view column) const = 0;
  /// Deletes a row if there is one. `info`: only if this is the text of the column "Info", where
  /// the service can check that; null: in any case.
  virtual Result<void> Delete(std::string_view key, const std::string* info) const = 0;
  virtual const std::string& table() const = 0;
};

/// What messages call the services of a backend.
struct StoreNames {
  std::string_view backend;  ///< "s3"
  std::string_view store;    ///< "S3"
  std::string_view table;    ///< "DynamoDB"
};

/// The rows of one state.
class StateRows {
 public:
  using Bytes = std::optional<std::string>;

  /// `table` must outlive the object; null: there are no rows, and nothing is locked or compared.
  /// `path`: of the state, with its bucket.
  StateRows(const LockTable* table, std::string path, const StoreNames& names)
      : table_(table), path_(std::move(path)), names_(names) {}

  bool has_table() const { return table_ != nullptr; }
  const std::string& path() const { return path_; }

  /// Reads the state until it is the one whose digest is in the table. An empty one is none. Fails
  /// if it is not after ten seconds, or when `wait` returns false.
  Result<Bytes> Read(const std::function<Result<Bytes>()>& read,
                     const std::function<bool(std::chrono::milliseconds)>& wait) const;
  /// Stores the digest of what has been stored. Failures are logged.
  void StoreDigest(std::string_view bytes) const;
  /// Deletes the digest. Failures are logged.
  void DeleteDigest() const;

  Result<void> Lock(const state::LockInfo& info) const;
  /// kInvalid: the lock has another id.
  Result<void> Unlock(std::string_view id) const;

 private:
  std::string DigestKey() const { return path_ + "-md5"; }
  /// The digest in the table as raw bytes; empty if there is none.
  std::string StoredDigest() const;
  Result<state::LockInfo> Holder() const;
  void Warn(std::string_view action, const Error& error) const;

  const LockTable* table_;
  std::string path_;
  StoreNames names_;
};

/// Requests the lock `id`. Where it is held and then released before the holder is known, it is
/// requested again. `find_holder`: kNotFound if nobody holds it. kExists: it is held; the message
/// has the holder's lock info.
Result<void> RequestLock(const std::function<Result<void>()>& request,
                         const std::function<Result<state::LockInfo>()>& find_holder,
                         std::string_view id);

}  // namespace kinu::backend
