#include "crypto/tls_client.h"

#include <array>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "crypto/tls_openssl.h"

namespace kinu::crypto {
namespace {

/// Takes the oldest error of OpenSSL's queue and empties it.
std::string OpenSslError(const char* otherwise) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? otherwise : reason;
}

/// Reads base64 of DER, with or without padding. Null if it is no certificate.
CertificatePtr ReadDer(std::string_view base64) {
  std::string padded(base64);
  padded.append((4 - padded.size() % 4) % 4, '=');
  std::string der(padded.size(), '\0');
  const int size =
      EVP_DecodeBlock(Bytes(der.data()), Bytes(padded), static_cast<int>(padded.size()));
  const unsigned char* at = Bytes(der);
  return CertificatePtr(size <= 0 ? nullptr : d2i_X509(nullptr, &at, size));
}

/// Gives the context this side's certificate and the only one to trust.
bool SetCertificates(SSL_CTX* context, const Identity& own, std::string_view server) {
  const CertificatePtr certificate(
      PEM_read_bio_X509(ReadFrom(own.certificate).get(), nullptr, nullptr, nullptr));
  const KeyPtr key(PEM_read_bio_PrivateKey(ReadFrom(own.key).get(), nullptr, nullptr, nullptr));
  const CertificatePtr trusted = ReadDer(server);
  return certificate != nullptr && key != nullptr && trusted != nullptr &&
         SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
         SSL_CTX_use_PrivateKey(context, key.get()) == 1 &&
         X509_STORE_add_cert(SSL_CTX_get_cert_store(context), trusted.get()) == 1;
}

/// A context that accepts exactly one server. Null if OpenSSL fails.
SslContextPtr MakeContext(const Identity& own, std::string_view server) {
  constexpr std::array<unsigned char, 3> kProtocols = {2, 'h', '2'};
  SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_alpn_protos(context.get(), kProtocols.data(), kProtocols.size()) != 0 ||
      !SetCertificates(context.get(), own, server)) {
    return nullptr;
  }
  X509_VERIFY_PARAM* parameters = SSL_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set1_host(parameters, "localhost", 0);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

class OpenSslClient final : public TlsClient {
 public:
  explicit OpenSslClient(SslPtr ssl) : ssl_(std::move(ssl)) {}

  Step Shake() override {
    const int done = SSL_connect(ssl_.get());
    return done == 1 ? Step::kDone : Wait(done, "handshake failed");
  }

  void Receive(std::string_view encrypted) override {
    BIO_write(SSL_get_rbio(ssl_.get()), encrypted.data(), static_cast<int>(encrypted.size()));
  }

  Step Read(std::span<char> buffer, size_t& size) override {
    const int done = SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &size);
    return done == 1 ? Step::kDone : Wait(done, "EOF");
  }

  Step Write(std::string_view bytes) override {
    size_t written = 0;  // all of them: what is written to memory is never cut
    const int done = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
    return done == 1 ? Step::kDone : Wait(done, "cannot encrypt");
  }

  bool has_output() const override { return BIO_pending(SSL_get_wbio(ssl_.get())) > 0; }

  std::string TakeOutput() override {
    BIO* out = SSL_get_wbio(ssl_.get());
    std::string taken(static_cast<size_t>(BIO_pending(out)), '\0');
    if (!taken.empty()) {
      BIO_read(out, taken.data(), static_cast<int>(taken.size()));
    }
    return taken;
  }

  const std::string& failure() const override { return failure_; }

 private:
  /// What a call that is not done needs.
  Step Wait(int result, const char* otherwise) {
    if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) {
      return Step::kNeedsInput;
    }
    failure_ = OpenSslError(otherwise);
    return Step::kFailed;
  }

  SslPtr ssl_;
  std::string failure_;
};

}  // namespace

Result<std::unique_ptr<TlsClient>> MakeTlsClient(const Identity& own, std::string_view server) {
  const SslContextPtr context = MakeContext(own, server);
  SslPtr ssl(context == nullptr ? nullptr : SSL_new(context.get()));
  if (ssl == nullptr) {
    return Fail(ErrorCode::kInvalid, OpenSslError("the certificates are malformed"));
  }
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  BIO_set_mem_eof_return(SSL_get_rbio(ssl.get()), -1);
  SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>("localhost"));
  return std::make_unique<OpenSslClient>(std::move(ssl));
}

}  // namespace kinu::crypto
