// The TLS of a provider's process: both sides show a certificate made for this connection.
#pragma once

#include <string>

#include "crypto/tls_openssl.h"

namespace kinu::sdk {

/// TLS that accepts the client's certificate (PEM) only. Sets `certificate` to this server's, as
/// base64 of DER without padding. Null if OpenSSL fails.
crypto::SslContextPtr MakeServerContext(const std::string& client, std::string& certificate);

}  // namespace kinu::sdk
