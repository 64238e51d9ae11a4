// Encryption of journals. Each journal has a random key of its own, which its header holds as the
// state's own encryption seals it. Keys that cost time or requests to make are needed once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "state/sealer.h"

namespace kinu::backend {

class JournalCipher {
 public:
  /// A new key for a journal that continues `snapshot`.
  static Result<JournalCipher> Make(const state::Sealer& sealer, const state::Snapshot& snapshot);
  /// The key that sealed_key() of another object gave. Fails if `sealer` cannot decrypt it.
  static Result<JournalCipher> Open(const state::Sealer& sealer, std::string_view sealed_key);

  /// What the header stores.
  const std::string& sealed_key() const { return sealed_key_; }
  Result<std::string> Encrypt(std::string_view record) const;
  Result<std::string> Decrypt(std::string_view bytes) const;

 private:
  std::string key_;
  std::string sealed_key_;
};

}  // namespace kinu::backend
