// Certificates with their private keys (OpenSSL).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::crypto {

struct KeyedCertificate {
  std::string certificate;  ///< DER
  std::string private_key;  ///< PEM
};

/// Reads a certificate and its key from a file in the form PKCS #12 (".pfx"). Fails if the password
/// is wrong.
Result<KeyedCertificate> ReadPkcs12(std::string_view bytes, const std::string& password);

/// One side of a connection: a certificate and its key, as PEM.
struct Identity {
  std::string certificate;
  std::string key;
};

/// Makes a new key and a certificate for "localhost" that is signed by itself.
Result<Identity> MakeIdentity();

}  // namespace kinu::crypto
