#include "crypto/cipher.h"

#include <memory>

#include <openssl/rand.h>

#include "crypto/openssl.h"

namespace kinu::crypto {
namespace {

constexpr size_t kNonce = 12;
constexpr size_t kTag = 16;

using ContextPtr = std::unique_ptr<EVP_CIPHER_CTX, Freed<EVP_CIPHER_CTX, EVP_CIPHER_CTX_free>>;

const EVP_CIPHER* CipherOf(std::string_view key) {
  switch (key.size()) {
    case 16:
      return EVP_aes_128_gcm();
    case 24:
      return EVP_aes_192_gcm();
    case 32:
      return EVP_aes_256_gcm();
    default:
      return nullptr;
  }
}

}  // namespace

Result<std::string> EncryptAesGcm(std::string_view key, std::string_view authenticated,
                                  std::string_view bytes) {
  const EVP_CIPHER* cipher = CipherOf(key);
  if (cipher == nullptr) {
    return Fail(ErrorCode::kInvalid, "invalid key size " + std::to_string(key.size()));
  }
  std::string out(kNonce + bytes.size() + kTag, '\0');
  const ContextPtr context(EVP_CIPHER_CTX_new());
  int written = 0;
  int ended = 0;
  const bool good =
      RAND_bytes(Bytes(out.data()), kNonce) == 1 &&
      EVP_EncryptInit_ex(context.get(), cipher, nullptr, Bytes(key), Bytes(out.data())) == 1 &&
      EVP_EncryptUpdate(context.get(), nullptr, &written, Bytes(authenticated),
                        static_cast<int>(authenticated.size())) == 1 &&
      EVP_EncryptUpdate(context.get(), Bytes(out.data() + kNonce), &written, Bytes(bytes),
                        static_cast<int>(bytes.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), Bytes(out.data() + kNonce + written), &ended) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTag,
                          out.data() + kNonce + bytes.size()) == 1;
  return good ? Result<std::string>(std::move(out))
              : Fail(ErrorCode::kUnsupported, "AES-GCM is not available");
}

Result<std::string> DecryptAesGcm(std::string_view key, std::string_view authenticated,
                                  std::string_view bytes) {
  const EVP_CIPHER* cipher = CipherOf(key);
  if (cipher == nullptr) {
    return Fail(ErrorCode::kInvalid, "invalid key size " + std::to_string(key.size()));
  }
  auto refused = [] { return Fail(ErrorCode::kInvalid, "cipher: message authentication failed"); };
  if (bytes.size() < kNonce + kTag) {
    return refused();
  }
  const std::string_view nonce = bytes.substr(0, kNonce);
  std::string tag(bytes.substr(bytes.size() - kTag));
  const std::string_view encrypted = bytes.substr(kNonce, bytes.size() - kNonce - kTag);
  std::string out(encrypted.size(), '\0');
  const ContextPtr context(EVP_CIPHER_CTX_new());
  int written = 0;
  int ended = 0;
  char none = 0;
  char* const to = out.empty() ? &none : out.data();
  const bool good =
      EVP_DecryptInit_ex(context.get(), cipher, nullptr, Bytes(key), Bytes(nonce)) == 1 &&
      EVP_DecryptUpdate(context.get(), nullptr, &written, Bytes(authenticated),
                        static_cast<int>(authenticated.size())) == 1 &&
      EVP_DecryptUpdate(context.get(), Bytes(to), &written, Bytes(encrypted),
                        static_cast<int>(encrypted.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(context.get(), Bytes(to + written), &ended) == 1;
  return good ? Result<std::string>(std::move(out)) : refused();
}

Result<std::string> DeriveKey(KeyDigest digest, std::string_view password, std::string_view salt,
                              int64_t iterations, size_t length) {
  std::string out(length, '\0');
  const EVP_MD* algorithm = digest == KeyDigest::kSha256 ? EVP_sha256() : EVP_sha512();
  const int good =
      PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), Bytes(salt),
                        static_cast<int>(salt.size()), static_cast<int>(iterations), algorithm,
                        static_cast<int>(length), Bytes(out.data()));
  return good == 1 ? Result<std::string>(std::move(out))
                   : Fail(ErrorCode::kUnsupported, "PBKDF2 is not available");
}

}  // namespace kinu::crypto
