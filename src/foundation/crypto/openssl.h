// Owners of OpenSSL's objects.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

namespace kinu::crypto {

template <typename T, auto Free>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using KeyContextPtr = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX, EVP_PKEY_CTX_free>>;
using DigestContextPtr = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX, EVP_MD_CTX_free>>;
using CertificatePtr = std::unique_ptr<X509, Freed<X509, X509_free>>;
using BioPtr = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freed<BIGNUM, BN_clear_free>>;

/// Reads `text`, which must outlive it.
inline BioPtr ReadFrom(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}
/// Collects what is written.
inline BioPtr WriteToMemory() {
  return BioPtr(BIO_new(BIO_s_mem()));
}
/// What was written to a WriteToMemory().
inline std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
}

inline const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
inline unsigned char* Bytes(char* text) {
  return reinterpret_cast<unsigned char*>(text);
}

}  // namespace kinu::crypto
