// Reads private keys in PEM.
#pragma once

#include <string_view>

#include "crypto/openssl.h"

namespace kinu::crypto {

/// Reads a key without pass phrase: PKCS #1 or PKCS #8. Null if the text is not such a key.
KeyPtr ReadPemKey(std::string_view pem);

/// Reads what ReadPemKey() reads, and RSA keys in OpenSSH's format.
KeyPtr ReadPrivateKey(std::string_view pem);

}  // namespace kinu::crypto
