#include "crypto/rsa.h"

#include <openssl/err.h>
#include <openssl/rsa.h>

#include "crypto/openssl.h"
#include "crypto/private_key.h"

namespace kinu::crypto {
namespace {

/// Sets what a signature needs beyond the key. False if OpenSSL fails.
using Prepare = bool (*)(EVP_PKEY_CTX* settings);

std::unexpected<Error> Refuse(ErrorCode code, const char* why) {
  ERR_clear_error();
  return Fail(code, why);
}

Result<std::string> Sign(std::string_view private_key, std::string_view bytes, Prepare prepare) {
  const KeyPtr key = ReadPemKey(private_key);
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return Refuse(ErrorCode::kInvalid, "the private key is no RSA key in PEM");
  }
  const DigestContextPtr context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* settings = nullptr;  // owned by the context
  size_t size = 0;
  if (EVP_DigestSignInit(context.get(), &settings, EVP_sha256(), nullptr, key.get()) != 1 ||
      !prepare(settings) ||
      EVP_DigestSign(context.get(), nullptr, &size, Bytes(bytes), bytes.size()) != 1) {
    return Refuse(ErrorCode::kInvalid, "the private key cannot sign");
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), Bytes(signature.data()), &size, Bytes(bytes), bytes.size()) !=
      1) {
    return Refuse(ErrorCode::kInvalid, "the private key cannot sign");
  }
  signature.resize(size);
  return signature;
}

}  // namespace

Result<std::string> SignRs256(std::string_view private_key, std::string_view bytes) {
  return Sign(private_key, bytes, [](EVP_PKEY_CTX*) { return true; });
}

Result<std::string> SignPs256(std::string_view private_key, std::string_view bytes) {
  return Sign(private_key, bytes, [](EVP_PKEY_CTX* settings) {
    return EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1;
  });
}

Result<std::string> DecryptRsa(std::string_view private_key, std::string_view bytes) {
  const KeyPtr key = ReadPrivateKey(private_key);
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return Refuse(ErrorCode::kInvalid, "the private key is no RSA key without a pass phrase");
  }
  const KeyContextPtr context(EVP_PKEY_CTX_new(key.get(), nullptr));
  size_t size = 0;
  const bool ready =
      EVP_PKEY_decrypt_init(context.get()) > 0 &&
      EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) > 0 &&
      EVP_PKEY_decrypt(context.get(), nullptr, &size, Bytes(bytes), bytes.size()) > 0;
  std::string plain(size, '\0');
  if (!ready || EVP_PKEY_decrypt(context.get(), Bytes(plain.data()), &size, Bytes(bytes),
                                 bytes.size()) <= 0) {
    return Refuse(ErrorCode::kDamaged, "the bytes are not encrypted for this key");
  }
  plain.resize(size);
  return plain;
}

}  // namespace kinu::crypto
