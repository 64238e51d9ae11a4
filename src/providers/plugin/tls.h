// Owners of OpenSSL's objects.
#pragma once

#include <memory>

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace kinu::plugin {

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freed<X509, X509_free>>;
using BioPtr = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freed<BIGNUM, BN_free>>;
using SslPtr = std::unique_ptr<SSL, Freed<SSL, SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, Freed<SSL_CTX, SSL_CTX_free>>;

}  // namespace kinu::plugin
