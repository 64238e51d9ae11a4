#include "codec/certificate.h"

#include <memory>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

namespace kinu {
namespace {

/// Takes an object of OpenSSL, which `free` ends.
template <typename Object, typename Free>
auto Own(Object* object, Free free) {
  return std::unique_ptr<Object, Free>(object, free);
}

auto MemoryOf(std::string_view text) {
  return Own(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free);
}

std::unexpected<Error> NoPkcs12(const char* why) {
  ERR_clear_error();
  return Fail(ErrorCode::kInvalid, why);
}

}  // namespace

Result<KeyedCertificate> ReadPkcs12(std::string_view bytes, const std::string& password) {
  const auto input = MemoryOf(bytes);
  const auto file = Own(d2i_PKCS12_bio(input.get(), nullptr), &PKCS12_free);
  if (file == nullptr) {
    return NoPkcs12("it is no file in the form PKCS #12");
  }
  EVP_PKEY* parsed_key = nullptr;
  X509* parsed_certificate = nullptr;
  const int parsed =
      PKCS12_parse(file.get(), password.c_str(), &parsed_key, &parsed_certificate, nullptr);
  const auto key = Own(parsed_key, &EVP_PKEY_free);
  const auto certificate = Own(parsed_certificate, &X509_free);
  if (parsed != 1) {
    return NoPkcs12("its password is wrong, or it is encrypted in an outdated way");
  }
  if (key == nullptr || certificate == nullptr) {
    return NoPkcs12("it has no certificate with a private key");
  }
  const auto pem = Own(BIO_new(BIO_s_mem()), &BIO_free);
  unsigned char* der = nullptr;
  const int size = i2d_X509(certificate.get(), &der);
  if (size <= 0 ||
      PEM_write_bio_PrivateKey(pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    OPENSSL_free(der);
    return NoPkcs12("its private key cannot be used");
  }
  KeyedCertificate out;
  out.certificate.assign(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  char* text = nullptr;
  const long length = BIO_get_mem_data(pem.get(), &text);
  out.private_key.assign(text, static_cast<size_t>(length));
  return out;
}

Result<std::string> SignPs256(std::string_view private_key, std::string_view bytes) {
  const auto input = MemoryOf(private_key);
  const auto key =
      Own(PEM_read_bio_PrivateKey(input.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return NoPkcs12("the private key is no RSA key");
  }
  const auto context = Own(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  EVP_PKEY_CTX* settings = nullptr;  // owned by the context
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t size = 0;
  if (EVP_DigestSignInit(context.get(), &settings, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) != 1 ||
      EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, data, bytes.size()) != 1) {
    return NoPkcs12("the private key cannot sign");
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, data,
                     bytes.size()) != 1) {
    return NoPkcs12("the private key cannot sign");
  }
  signature.resize(size);
  return signature;
}

}  // namespace kinu
