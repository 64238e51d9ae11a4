// The module kinu-crypto.so: this library over OpenSSL.
#include "crypto/runtime.h"

namespace kinu::crypto {
namespace {

class ModuleRuntime final : public CryptoRuntime {
 public:
  Result<std::string> Encrypt(std::string_view key, std::string_view authenticated,
                              std::string_view bytes) override {
    return EncryptAesGcm(key, authenticated, bytes);
  }
  Result<std::string> Decrypt(std::string_view key, std::string_view authenticated,
                              std::string_view bytes) override {
    return DecryptAesGcm(key, authenticated, bytes);
  }
  Result<std::string> Derive(KeyDigest digest, std::string_view password, std::string_view salt,
                             int64_t iterations, size_t length) override {
    return DeriveKey(digest, password, salt, iterations, length);
  }
  Result<std::string> Rs256(std::string_view private_key, std::string_view bytes) override {
    return SignRs256(private_key, bytes);
  }
  Result<std::string> Ps256(std::string_view private_key, std::string_view bytes) override {
    return SignPs256(private_key, bytes);
  }
  Result<std::string> RsaDecrypt(std::string_view private_key, std::string_view bytes) override {
    return DecryptRsa(private_key, bytes);
  }
  Result<KeyedCertificate> Pkcs12(std::string_view bytes, const std::string& password) override {
    return ReadPkcs12(bytes, password);
  }
  Result<Identity> NewIdentity() override { return MakeIdentity(); }
  Result<std::unique_ptr<TlsClient>> NewTlsClient(const Identity& own,
                                                  std::string_view server) override {
    return MakeTlsClient(own, server);
  }
};

}  // namespace
}  // namespace kinu::crypto

extern "C" __attribute__((visibility("default"))) kinu::crypto::CryptoRuntime* kinu_crypto_runtime(
    int version) {
  // Lives until the process ends: threads may still use it while static objects are destroyed.
  static auto* runtime = new kinu::crypto::ModuleRuntime();
  return version == kinu::crypto::kCryptoVersion ? runtime : nullptr;
}
