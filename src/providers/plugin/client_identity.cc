// The certificate that this program presents to a provider.
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "plugin/tls.h"
#include "plugin/transport.h"

namespace kinu::plugin {
namespace {

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<size_t>(size)};
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
  NumberPtr serial(BN_new());
  if (serial == nullptr || BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, 0) != 1 ||
      BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) == nullptr) {
    return false;
  }
  X509_NAME* name = X509_get_subject_name(certificate);
  auto add = [&](const char* field, const char* value) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_ASC,
                                      reinterpret_cast<const unsigned char*>(value), -1, -1,
                                      0) == 1;
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

Result<ClientIdentity> MakeClientIdentity() {
  KeyPtr key(EVP_EC_gen("P-256"));
  CertificatePtr certificate(X509_new());
  if (key == nullptr || certificate == nullptr || !FillCertificate(certificate.get(), key.get())) {
    return Fail(ErrorCode::kIo, "cannot make a TLS certificate for the provider connection");
  }
  BioPtr certificate_text(BIO_new(BIO_s_mem()));
  BioPtr key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return Fail(ErrorCode::kIo, "cannot write a TLS certificate for the provider connection");
  }
  return ClientIdentity{TextOf(certificate_text.get()), TextOf(key_text.get())};
}

}  // namespace kinu::plugin
