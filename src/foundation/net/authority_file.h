// The file with the certificate authorities of the system. Ref: Go crypto/x509 root_linux.go.
#pragma once

#include <string>

#include <unistd.h>

#include "base/environment.h"

namespace kinu::net {

/// SSL_CERT_FILE, or the first bundle of authorities that exists; empty: there is none.
inline std::string SystemAuthorityFile() {
  if (const std::string_view chosen = Environment("SSL_CERT_FILE"); !chosen.empty()) {
    return std::string(chosen);
  }
  for (const char* file : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (::access(file, R_OK) == 0) {
      return file;
    }
  }
  return {};
}

}  // namespace kinu::net
