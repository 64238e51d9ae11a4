// Reads private keys in PEM format.
#pragma once

#include <memory>
#include <string_view>

#include <openssl/evp.h>

namespace kinu::functions {

struct FreeOpenSslKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using OpenSslKey = std::unique_ptr<EVP_PKEY, FreeOpenSslKey>;

/// Reads a key without pass phrase: PKCS #1, PKCS #8, or OpenSSH's format (RSA only). Null if the
/// text is not such a key.
OpenSslKey ReadPrivateKey(std::string_view pem);

}  // namespace kinu::functions
