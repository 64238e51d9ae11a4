#include "crypto/certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include "crypto/openssl.h"

namespace kinu::crypto {
namespace {

using FilePtr = std::unique_ptr<PKCS12, Freed<PKCS12, PKCS12_free>>;

std::unexpected<Error> NoPkcs12(const char* why) {
  ERR_clear_error();
  return Fail(ErrorCode::kInvalid, why);
}

bool AddExtension(X509* certificate, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value);
  if (extension == nullptr) {
    return false;
  }
  bool added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

/// Fills in a self-signed certificate for localhost. False if OpenSSL fails.
bool FillCertificate(X509* certificate, EVP_PKEY* key) {
  constexpr int kSerialBits = 127;
  constexpr long kClockSkew = 30;
  constexpr long kLifetime = 30L * 365 * 24 * 3600;
  const NumberPtr serial(BN_new());
  if (serial == nullptr || BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, 0) != 1 ||
      BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) == nullptr) {
    return false;
  }
  X509_NAME* name = X509_get_subject_name(certificate);
  auto add = [&](const char* field, const char* value) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_ASC, Bytes(std::string_view(value)), -1,
                                      -1, 0) == 1;
  };
  return X509_set_version(certificate, 2) == 1 && add("O", "HashiCorp") && add("CN", "localhost") &&
         X509_set_issuer_name(certificate, name) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kClockSkew) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kLifetime) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         AddExtension(certificate, NID_key_usage,
                      "critical,digitalSignature,keyEncipherment,keyAgreement,keyCertSign") &&
         AddExtension(certificate, NID_ext_key_usage, "clientAuth,serverAuth") &&
         AddExtension(certificate, NID_subject_alt_name, "DNS:localhost") &&
         X509_sign(certificate, key, EVP_sha256()) != 0;
}

}  // namespace

Result<KeyedCertificate> ReadPkcs12(std::string_view bytes, const std::string& password) {
  const FilePtr file(d2i_PKCS12_bio(ReadFrom(bytes).get(), nullptr));
  if (file == nullptr) {
    return NoPkcs12("it is no file in the form PKCS #12");
  }
  EVP_PKEY* parsed_key = nullptr;
  X509* parsed_certificate = nullptr;
  const int parsed =
      PKCS12_parse(file.get(), password.c_str(), &parsed_key, &parsed_certificate, nullptr);
  const KeyPtr key(parsed_key);
  const CertificatePtr certificate(parsed_certificate);
  if (parsed != 1) {
    return NoPkcs12("its password is wrong, or it is encrypted in an outdated way");
  }
  if (key == nullptr || certificate == nullptr) {
    return NoPkcs12("it has no certificate with a private key");
  }
  const BioPtr pem = WriteToMemory();
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
  out.private_key = TextOf(pem.get());
  return out;
}

Result<Identity> MakeIdentity() {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate(X509_new());
  if (key == nullptr || certificate == nullptr || !FillCertificate(certificate.get(), key.get())) {
    return Fail(ErrorCode::kIo, "cannot make a TLS certificate for the provider connection");
  }
  const BioPtr certificate_text = WriteToMemory();
  const BioPtr key_text = WriteToMemory();
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return Fail(ErrorCode::kIo, "cannot write a TLS certificate for the provider connection");
  }
  return Identity{TextOf(certificate_text.get()), TextOf(key_text.get())};
}

}  // namespace kinu::crypto
