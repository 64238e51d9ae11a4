// RSA with private keys in PEM (OpenSSL).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::crypto {

/// The signature RS256 (RSASSA-PKCS1-v1_5 with SHA-256) of bytes. Fails if the key is none of RSA.
Result<std::string> SignRs256(std::string_view private_key, std::string_view bytes);

/// The signature PS256 (RSASSA-PSS with SHA-256) of bytes. Fails if the key is none of RSA.
Result<std::string> SignPs256(std::string_view private_key, std::string_view bytes);

/// Decrypts bytes (RSAES-PKCS1-v1_5). The key may be in OpenSSH's format too. Fails with kInvalid
/// if the key is none of RSA or has a pass phrase, and with kDamaged if it does not fit the bytes.
Result<std::string> DecryptRsa(std::string_view private_key, std::string_view bytes);

}  // namespace kinu::crypto
