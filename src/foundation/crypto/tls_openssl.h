// Owners of OpenSSL's objects for TLS.
#pragma once

#include <openssl/ssl.h>

#include "crypto/openssl.h"

namespace kinu::crypto {

using SslPtr = std::unique_ptr<SSL, Freed<SSL, SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>>;

}  // namespace kinu::crypto
