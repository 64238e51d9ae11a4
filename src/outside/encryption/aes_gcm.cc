// AES in Galois/Counter Mode. Ref: opentofu internal/encryption/method/aesgcm.
#include "crypto/cipher.h"
#include "encryption/key_provider.h"
#include "encryption/method.h"

namespace kinu::encryption {
namespace {

bool IsKeyLength(size_t length) {
  return length == 16 || length == 24 || length == 32;
}

class AesGcm final : public Method {
 public:
  AesGcm(Keys keys, std::string authenticated)
      : keys_(std::move(keys)), authenticated_(std::move(authenticated)) {}

  Result<std::string> Encrypt(std::string_view bytes) const override {
    return crypto::EncryptAesGcm(keys_.encryption, authenticated_, bytes);
  }
  Result<std::string> Decrypt(std::string_view bytes) const override {
    if (keys_.decryption.empty()) {
      return Fail(ErrorCode::kInvalid, "no decryption key available");
    }
    if (bytes.empty()) {
      return Fail(ErrorCode::kInvalid, "decryption failed: cannot decrypt empty data");
    }
    if (bytes.size() < 12) {
      return Fail(ErrorCode::kInvalid,
                  "decryption failed: cannot decrypt data because it is too small (likely data "
                  "corruption)");
    }
    Result<std::string> out = crypto::DecryptAesGcm(keys_.decryption, authenticated_, bytes);
    return out ? std::move(out)
               : Fail(ErrorCode::kInvalid, "decryption failed: " + out.error().message);
  }

 private:
  Keys keys_;
  std::string authenticated_;
};

Result<std::unique_ptr<Method>> MakeAesGcm(const config::PartValues& values) {
  Keys keys;
  if (const auto found = values.arguments.find("keys"); found != values.arguments.end()) {
    keys = KeysOf(found->second);
  }
  auto wrong = [](size_t length, std::string_view which) {
    return Fail(ErrorCode::kInvalid,
                "invalid method configuration: AES-GCM requires the key length to be one of: 16, "
                "24, 32, received " +
                    std::to_string(length) + " bytes in the " + std::string(which) + " key");
  };
  if (!IsKeyLength(keys.encryption.size())) {
    return wrong(keys.encryption.size(), "encryption");
  }
  if (!keys.decryption.empty() && !IsKeyLength(keys.decryption.size())) {
    return wrong(keys.decryption.size(), "decryption");
  }
  std::string authenticated;
  if (const auto found = values.arguments.find("aad"); found != values.arguments.end()) {
    authenticated = BytesIn(found->second);
  }
  return std::make_unique<AesGcm>(std::move(keys), std::move(authenticated));
}

}  // namespace

constexpr MethodSpec kAesGcm{.type = "aes_gcm", .make = MakeAesGcm};

}  // namespace kinu::encryption
