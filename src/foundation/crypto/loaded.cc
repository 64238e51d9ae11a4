// The functions of this library for the program: each is that of the module.
#include "base/module.h"
#include "crypto/runtime.h"

namespace kinu::crypto {
namespace {

/// Calls a function of the module. Fails with kUnavailable if there is no module.
template <typename Return, typename... Parameters, typename... Arguments>
Return Forward(Return (CryptoRuntime::*function)(Parameters...), Arguments&&... arguments) {
  static const Result<CryptoRuntime*> kRuntime = LoadModuleRuntime<CryptoRuntime>(
      "kinu-crypto.so", kCryptoSymbol, kCryptoVersion, "that encrypts and signs");
  if (!kRuntime) {
    return Fail(ErrorCode::kUnavailable, kRuntime.error().message);
  }
  return ((*kRuntime)->*function)(arguments...);
}

}  // namespace

Result<std::string> EncryptAesGcm(std::string_view key, std::string_view authenticated,
                                  std::string_view bytes) {
  return Forward(&CryptoRuntime::Encrypt, key, authenticated, bytes);
}
Result<std::string> DecryptAesGcm(std::string_view key, std::string_view authenticated,
                                  std::string_view bytes) {
  return Forward(&CryptoRuntime::Decrypt, key, authenticated, bytes);
}
Result<std::string> DeriveKey(KeyDigest digest, std::string_view password, std::string_view salt,
                              int64_t iterations, size_t length) {
  return Forward(&CryptoRuntime::Derive, digest, password, salt, iterations, length);
}
Result<std::string> SignRs256(std::string_view private_key, std::string_view bytes) {
  return Forward(&CryptoRuntime::Rs256, private_key, bytes);
}
Result<std::string> SignPs256(std::string_view private_key, std::string_view bytes) {
  return Forward(&CryptoRuntime::Ps256, private_key, bytes);
}
Result<std::string> DecryptRsa(std::string_view private_key, std::string_view bytes) {
  return Forward(&CryptoRuntime::RsaDecrypt, private_key, bytes);
}
Result<KeyedCertificate> ReadPkcs12(std::string_view bytes, const std::string& password) {
  return Forward(&CryptoRuntime::Pkcs12, bytes, password);
}
Result<Identity> MakeIdentity() {
  return Forward(&CryptoRuntime::NewIdentity);
}
Result<std::unique_ptr<TlsClient>> MakeTlsClient(const Identity& own, std::string_view server) {
  return Forward(&CryptoRuntime::NewTlsClient, own, server);
}

}  // namespace kinu::crypto
