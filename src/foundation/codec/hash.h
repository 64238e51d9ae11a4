// Cryptographic digests (OpenSSL).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinu {

enum class HashKind : uint8_t { kMd5, kSha1, kSha256, kSha512 };

/// The digest as raw bytes.
std::string Digest(HashKind kind, std::string_view bytes);
/// The digest as lower-case hexadecimal text.
std::string HexDigest(HashKind kind, std::string_view bytes);

/// The digest MD4 as raw bytes: broken, and part of the protocol NTLM.
std::string Md4(std::string_view bytes);

/// The keyed digest (HMAC) as raw bytes. Ref: RFC 2104.
std::string Hmac(HashKind kind, std::string_view key, std::string_view bytes);

/// A digest of bytes that are added piece by piece.
class Hasher {
 public:
  explicit Hasher(HashKind kind);
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  ~Hasher();
  void Update(std::string_view bytes);
  /// The raw digest. Call it once.
  std::string Finish();

 private:
  void* context_;
};

}  // namespace kinu
