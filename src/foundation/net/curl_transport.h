// The real transport: HTTP over sockets, by libcurl in a module.
#pragma once

#include "net/http.h"

namespace kinu::net {

/// Loads the module for the first exchange. Uses the proxies of HTTPS_PROXY, HTTP_PROXY and
/// NO_PROXY and the certificate authorities of SSL_CERT_FILE and SSL_CERT_DIR, as Go programs do.
Transport& CurlTransport();

}  // namespace kinu::net
