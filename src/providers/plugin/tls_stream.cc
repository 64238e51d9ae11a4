// TLS over a provider's socket, with OpenSSL between two buffers.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include "plugin/byte_stream.h"
#include "plugin/tls.h"

namespace kinu::plugin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kRecord = 16 * 1024;
constexpr std::chrono::seconds kHandshakeTime{20};

/// Takes the oldest error of OpenSSL's queue and empties it.
std::string OpenSslError(const char* otherwise) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? otherwise : reason;
}

/// The certificate of the handshake line: base64 of DER, without padding. Null if it is none.
CertificatePtr ReadCertificate(std::string_view base64) {
  std::string padded(base64);
  padded.append((4 - padded.size() % 4) % 4, '=');
  std::string der(padded.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(der.data()),
                                   reinterpret_cast<const unsigned char*>(padded.data()),
                                   static_cast<int>(padded.size()));
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  return CertificatePtr(size <= 0 ? nullptr : d2i_X509(nullptr, &at, size));
}

/// Gives the context this program's certificate and the only one to trust.
bool SetCertificates(SSL_CTX* context, const Endpoint& endpoint) {
  const auto bio = [](const std::string& text) {
    return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  };
  const CertificatePtr certificate(
      PEM_read_bio_X509(bio(endpoint.identity.certificate).get(), nullptr, nullptr, nullptr));
  const KeyPtr key(
      PEM_read_bio_PrivateKey(bio(endpoint.identity.key).get(), nullptr, nullptr, nullptr));
  const CertificatePtr trusted = ReadCertificate(endpoint.server_certificate);
  return certificate != nullptr && key != nullptr && trusted != nullptr &&
         SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
         SSL_CTX_use_PrivateKey(context, key.get()) == 1 &&
         X509_STORE_add_cert(SSL_CTX_get_cert_store(context), trusted.get()) == 1;
}

/// A context that accepts exactly the server of the endpoint. Null if OpenSSL fails.
SslContextPtr MakeContext(const Endpoint& endpoint) {
  constexpr std::array<unsigned char, 3> kProtocols = {2, 'h', '2'};
  SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_alpn_protos(context.get(), kProtocols.data(), kProtocols.size()) != 0 ||
      !SetCertificates(context.get(), endpoint)) {
    return nullptr;
  }
  X509_VERIFY_PARAM* parameters = SSL_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set1_host(parameters, "localhost", 0);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

class TlsStream final : public ByteStream {
 public:
  TlsStream(std::unique_ptr<ByteStream> socket, SslPtr ssl)
      : ByteStream(-1), socket_(std::move(socket)), ssl_(std::move(ssl)) {}

  /// Makes both sides agree on keys. False if the server is not the expected one.
  bool Shake() {
    const Clock::time_point end = Clock::now() + kHandshakeTime;
    while (true) {
      const int done = SSL_connect(ssl_.get());
      const int why = done == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), done);
      if (SendPending() < 0) {
        return false;
      }
      if (done == 1) {
        return true;
      }
      if (why != SSL_ERROR_WANT_READ) {
        Lose(OpenSslError("handshake failed"));
        return false;
      }
      const ssize_t arrived = ReceiveCiphertext();
      if (arrived < 0 || (arrived == 0 && !WaitUntil(end))) {
        return false;
      }
    }
  }

  int descriptor() const override { return socket_->descriptor(); }

  ssize_t Read(std::span<char> buffer) override {
    size_t size = 0;
    while (size < buffer.size()) {
      size_t read = 0;
      const int done = SSL_read_ex(ssl_.get(), buffer.data() + size, buffer.size() - size, &read);
      if (done == 1) {
        size += read;
        continue;
      }
      const int why = SSL_get_error(ssl_.get(), done);
      const ssize_t arrived = why == SSL_ERROR_WANT_READ ? ReceiveCiphertext() : -1;
      if (arrived < 0) {
        if (size > 0) {
          break;  // the next call returns the failure
        }
        return why == SSL_ERROR_WANT_READ ? -1 : Lose(OpenSslError("EOF"));
      }
      if (arrived == 0) {
        break;
      }
    }
    return static_cast<ssize_t>(size);
  }

  ssize_t Write(std::string_view bytes) override {
    size_t size = 0;
    while (true) {
      const ssize_t sent = SendPending();
      if (sent < 0) {
        return -1;
      }
      if (unsent() || size == bytes.size()) {
        return static_cast<ssize_t>(size);
      }
      size_t written = 0;
      const size_t part = std::min(kRecord, bytes.size() - size);
      if (SSL_write_ex(ssl_.get(), bytes.data() + size, part, &written) != 1) {
        return Lose(OpenSslError("cannot encrypt"));
      }
      size += written;
    }
  }

  bool unsent() const override {
    return sent_ < pending_.size() || BIO_pending(SSL_get_wbio(ssl_.get())) > 0;
  }

 private:
  /// Hands OpenSSL what has arrived. Returns its size, or -1 if the connection is lost.
  ssize_t ReceiveCiphertext() {
    std::array<char, kRecord> buffer;
    const ssize_t size = socket_->Read(buffer);
    if (size < 0) {
      return Lose(socket_->failure());
    }
    BIO_write(SSL_get_rbio(ssl_.get()), buffer.data(), static_cast<int>(size));
    return size;
  }

  /// Sends what OpenSSL has encrypted, as far as the socket takes it.
  ssize_t SendPending() {
    BIO* out = SSL_get_wbio(ssl_.get());
    while (true) {
      if (sent_ == pending_.size()) {
        pending_.resize(static_cast<size_t>(BIO_pending(out)));
        sent_ = 0;
        if (pending_.empty()) {
          return 0;
        }
        BIO_read(out, pending_.data(), static_cast<int>(pending_.size()));
      }
      const ssize_t size = socket_->Write(std::string_view(pending_).substr(sent_));
      if (size < 0) {
        return Lose(socket_->failure());
      }
      if (size == 0) {
        return 0;
      }
      sent_ += static_cast<size_t>(size);
    }
  }

  bool WaitUntil(Clock::time_point end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd waited = {.fd = socket_->descriptor(), .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || (poll(&waited, 1, static_cast<int>(left.count())) == 0)) {
      Lose("handshake timed out");
      return false;
    }
    return true;
  }

  std::unique_ptr<ByteStream> socket_;
  SslPtr ssl_;
  std::string pending_;
  size_t sent_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> OpenTls(std::unique_ptr<ByteStream> socket,
                                            const Endpoint& endpoint) {
  const SslContextPtr context = MakeContext(endpoint);
  SslPtr ssl(context == nullptr ? nullptr : SSL_new(context.get()));
  if (ssl == nullptr) {
    return Fail(ErrorCode::kUnavailable, "connection error: desc = \"transport: " +
                                             OpenSslError("the certificates are malformed") + '"');
  }
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  BIO_set_mem_eof_return(SSL_get_rbio(ssl.get()), -1);
  SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>("localhost"));
  auto stream = std::make_unique<TlsStream>(std::move(socket), std::move(ssl));
  if (!stream->Shake()) {
    return Fail(ErrorCode::kUnavailable,
                "connection error: desc = \"transport: authentication handshake failed: " +
                    stream->failure() + '"');
  }
  return stream;
}

}  // namespace kinu::plugin
