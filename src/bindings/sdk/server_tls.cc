#include "sdk/server_tls.h"

#include <openssl/pem.h>

#include "crypto/certificate.h"

namespace kinu::sdk {

crypto::SslContextPtr MakeServerContext(const std::string& client, std::string& certificate) {
  const auto identity = crypto::MakeIdentity();
  if (!identity) {
    return nullptr;
  }
  const crypto::CertificatePtr own(
      PEM_read_bio_X509(crypto::ReadFrom(identity->certificate).get(), nullptr, nullptr, nullptr));
  const crypto::KeyPtr key(
      PEM_read_bio_PrivateKey(crypto::ReadFrom(identity->key).get(), nullptr, nullptr, nullptr));
  const crypto::CertificatePtr trusted(
      PEM_read_bio_X509(crypto::ReadFrom(client).get(), nullptr, nullptr, nullptr));
  crypto::SslContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (own == nullptr || key == nullptr || trusted == nullptr || context == nullptr ||
      SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_use_certificate(context.get(), own.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1 ||
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), trusted.get()) != 1) {
    return nullptr;
  }
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_alpn_select_cb(
      context.get(),
      [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered,
         unsigned int offered_size, void*) {
        static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
        return SSL_select_next_proto(const_cast<unsigned char**>(out), size, kHttp2, sizeof(kHttp2),
                                     offered, offered_size) == OPENSSL_NPN_NEGOTIATED
                   ? SSL_TLSEXT_ERR_OK
                   : SSL_TLSEXT_ERR_ALERT_FATAL;
      },
      nullptr);
  unsigned char* der = nullptr;
  const int size = i2d_X509(own.get(), &der);
  certificate.resize(static_cast<size_t>(size) * 2);
  certificate.resize(static_cast<size_t>(
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(certificate.data()), der, size)));
  OPENSSL_free(der);
  certificate.erase(certificate.find_last_not_of('=') + 1);
  return context;
}

}  // namespace kinu::sdk
