// The interface between the program and its module kinu-crypto.so, which holds OpenSSL.
//
// The tables of libcrypto have ninety pages of addresses, which a program at a random address fills
// in when it starts. The program has this library's functions from the module (loaded.cc) and loads
// it for the first of them; libraries, providers and tests are linked with OpenSSL itself.
// Decision: docs/decisions/0065-cryptography-module.md.
#pragma once

#include "crypto/certificate.h"
#include "crypto/cipher.h"
#include "crypto/rsa.h"
#include "crypto/tls_client.h"

namespace kinu::crypto {

/// Increase this with every change of the headers above or of this one: the loader refuses a module
/// with another number.
inline constexpr int kCryptoVersion = 1;
inline constexpr const char* kCryptoSymbol = "kinu_crypto_runtime";

/// The functions of the library. Thread-safe.
class CryptoRuntime {
 public:
  virtual Result<std::string> Encrypt(std::string_view key, std::string_view authenticated,
                                      std::string_view bytes) = 0;
  virtual Result<std::string> Decrypt(std::string_view key, std::string_view authenticated,
                                      std::string_view bytes) = 0;
  virtual Result<std::string> Derive(KeyDigest digest, std::string_view password,
                                     std::string_view salt, int64_t iterations, size_t length) = 0;
  virtual Result<std::string> Rs256(std::string_view private_key, std::string_view bytes) = 0;
  virtual Result<std::string> Ps256(std::string_view private_key, std::string_view bytes) = 0;
  virtual Result<std::string> RsaDecrypt(std::string_view private_key, std::string_view bytes) = 0;
  virtual Result<KeyedCertificate> Pkcs12(std::string_view bytes, const std::string& password) = 0;
  virtual Result<Identity> NewIdentity() = 0;
  virtual Result<std::unique_ptr<TlsClient>> NewTlsClient(const Identity& own,
                                                          std::string_view server) = 0;

 protected:
  ~CryptoRuntime() = default;
};

}  // namespace kinu::crypto
