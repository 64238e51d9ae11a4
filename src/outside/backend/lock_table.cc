#include "backend/lock_table.h"

#include "codec/base64.h"
#include "codec/hash.h"
#include "log/log.h"

namespace kinu::backend {

void StateRows::Warn(std::string_view action, const Error& error) const {
  log::Write(log::Level::kWarn, std::string(names_.backend) + ": " + std::string(action) +
                                    " the digest: " + error.message);
}

std::string StateRows::StoredDigest() const {
  if (table_ == nullptr) {
    return {};
  }
  auto row = table_->Get(DigestKey(), "Digest");
  if (!row) {
    Warn("reading", row.error());
    return {};
  }
  constexpr size_t kSize = 16;
  auto digest = DecodeHex(row->value_or(""));
  return digest && digest->size() == kSize ? *std::move(digest) : std::string();
}

Result<StateRows::Bytes> StateRows::Read(
    const std::function<Result<Bytes>()>& read,
    const std::function<bool(std::chrono::milliseconds)>& wait) const {
  constexpr std::chrono::seconds kLimit{10};
  constexpr std::chrono::seconds kStep{2};
  for (std::chrono::seconds waited{0};; waited += kStep) {
    KINU_TRY(Bytes bytes, read());
    if (bytes && bytes->empty()) {
      bytes.reset();
    }
    const std::string expected = StoredDigest();
    if (expected.empty()) {
      return bytes;
    }
    const std::string digest = bytes ? Digest(HashKind::kMd5, *bytes) : std::string();
    if (expected == digest) {
      return bytes;
    }
    if (waited >= kLimit || !wait(kStep)) {
      const std::string store(names_.store);
      return Fail(ErrorCode::kUnavailable,
                  "state data in " + store +
                      " does not have the expected content.\n\n"
                      "The MD5 digest of the stored state differs from the one in the " +
                      std::string(names_.table) + " table. " + store +
                      " may still be storing the last update: try again in a minute or two. If "
                      "the digests keep differing, and neither service has an outage, check the "
                      "stored state and set Digest in the table to the following value: " +
                      EncodeHex(digest) + "\n");
    }
  }
}

void StateRows::StoreDigest(std::string_view bytes) const {
  if (table_ == nullptr) {
    return;
  }
  if (auto stored = table_->Put(DigestKey(), "Digest", HexDigest(HashKind::kMd5, bytes), false);
      !stored) {
    Warn("storing", stored.error());
  }
}

void StateRows::DeleteDigest() const {
  if (table_ == nullptr) {
    return;
  }
  if (auto deleted = table_->Delete(DigestKey(), nullptr); !deleted) {
    Warn("deleting", deleted.error());
  }
}

Result<state::LockInfo> StateRows::Holder() const {
  KINU_TRY(const std::optional<std::string> text, table_->Get(path_, "Info"));
  if (!text) {
    return Fail(ErrorCode::kNotFound, "no lock info found for: \"" + path_ + "\" within the " +
                                          std::string(names_.table) + " table: " + table_->table());
  }
  return state::LockInfo::FromJson(*text);
}

Result<void> StateRows::Lock(const state::LockInfo& info) const {
  if (table_ == nullptr) {
    return {};
  }
  return RequestLock([&] { return table_->Put(path_, "Info", info.ToJson(), true); },
                     [&] { return Holder(); }, info.id);
}

Result<void> StateRows::Unlock(std::string_view id) const {
  if (table_ == nullptr) {
    return {};
  }
  auto holder = Holder();
  if (!holder) {
    return Fail(holder.error().code, "failed to retrieve lock info: " + holder.error().message);
  }
  if (holder->id != id) {
    return Fail(ErrorCode::kInvalid, "lock id \"" + std::string(id) +
                                         "\" does not match existing lock\n" + holder->ToText());
  }
  const std::string info = holder->ToJson();
  return table_->Delete(path_, &info);
}

Result<void> RequestLock(const std::function<Result<void>()>& request,
                         const std::function<Result<state::LockInfo>()>& find_holder,
                         std::string_view id) {
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    const Result<void> taken = request();
    if (taken) {
      return {};
    }
    const Result<state::LockInfo> holder = find_holder();
    if (holder && holder->id == id) {
      return {};  // the request was sent again after its first response was lost
    }
    if (holder) {
      return Fail(ErrorCode::kExists, taken.error().message + '\n' + holder->ToText());
    }
    if (holder.error().code != ErrorCode::kNotFound || taken.error().code != ErrorCode::kExists ||
        attempt == kAttempts) {
      return Fail(ErrorCode::kUnavailable, taken.error().message + '\n' + holder.error().message);
    }
  }
}

}  // namespace kinu::backend
