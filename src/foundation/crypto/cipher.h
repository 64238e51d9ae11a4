// Authenticated encryption and keys from passwords (OpenSSL).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::crypto {

/// Encrypts with AES-GCM. `key` has 16, 24 or 32 bytes; `authenticated` is protected and not
/// stored. Returns a random nonce of 12 bytes, the encrypted bytes and a tag of 16 bytes.
Result<std::string> EncryptAesGcm(std::string_view key, std::string_view authenticated,
                                  std::string_view bytes);
/// Decrypts what EncryptAesGcm() returned. Fails if the key, `authenticated` or a byte differs.
Result<std::string> DecryptAesGcm(std::string_view key, std::string_view authenticated,
                                  std::string_view bytes);

/// The digests that keys are derived with.
enum class KeyDigest : uint8_t { kSha256, kSha512 };

/// Derives a key of `length` bytes from a password (PBKDF2, RFC 8018).
Result<std::string> DeriveKey(KeyDigest digest, std::string_view password, std::string_view salt,
                              int64_t iterations, size_t length);

}  // namespace kinu::crypto
