// Certificates with their private keys, and signatures by such keys (OpenSSL).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

struct KeyedCertificate {
  std::string certificate;  ///< DER
  std::string private_key;  ///< PEM
};

/// Reads a certificate and its key from a file in the form PKCS #12 (".pfx"). Fails if the password
/// is wrong.
Result<KeyedCertificate> ReadPkcs12(std::string_view bytes, const std::string& password);

/// The signature PS256 (RSASSA-PSS with SHA-256) of bytes, by a private key in PEM.
Result<std::string> SignPs256(std::string_view private_key, std::string_view bytes);

}  // namespace kinu
