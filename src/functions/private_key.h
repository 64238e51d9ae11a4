// Private keys in PEM form, as OpenSSL's objects.
#pragma once

#include <memory>
#include <string_view>

#include <openssl/evp.h>

namespace kinu::functions {

struct FreeOpenSslKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using OpenSslKey = std::unique_ptr<EVP_PKEY, FreeOpenSslKey>;

/// Reads a key without a pass phrase: PKCS #1, PKCS #8 or OpenSSH's own form (RSA keys). Null when
/// it is none of these.
OpenSslKey ReadPrivateKey(std::string_view pem);

}  // namespace kinu::functions
