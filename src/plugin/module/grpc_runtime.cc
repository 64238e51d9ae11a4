// The module: gRPC channels and TLS certificates behind the interface of plugin/transport.h.
// Decision: docs/decisions/0001-provider-transport-module.md.
#include <atomic>
#include <mutex>
#include <vector>

#include <grpc/support/log.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "plugin/transport.h"

namespace kinu::plugin {
namespace {

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freed<X509, X509_free>>;
using BioPtr = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freed<BIGNUM, BN_free>>;

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

/// Converts the certificate of the handshake (base64 without padding) to PEM.
std::string CertificatePem(std::string_view base64) {
  std::string pem = "-----BEGIN CERTIFICATE-----\n";
  std::string padded(base64);
  padded.append((4 - padded.size() % 4) % 4, '=');
  constexpr size_t kLine = 64;
  for (size_t at = 0; at < padded.size(); at += kLine) {
    pem.append(padded, at, kLine).push_back('\n');
  }
  return pem + "-----END CERTIFICATE-----\n";
}

grpc::ByteBuffer ToBuffer(std::string_view bytes) {
  grpc::Slice slice(bytes.data(), bytes.size());
  return {&slice, 1};
}

void FromBuffer(const grpc::ByteBuffer& buffer, std::string* out) {
  std::vector<grpc::Slice> slices;
  out->clear();
  if (!buffer.Dump(&slices).ok()) {
    return;
  }
  out->reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    out->append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
}

CallStatus FromStatus(const grpc::Status& status) {
  return {static_cast<int>(status.error_code()), status.error_message()};
}

/// Each call polls its own completion queue, so that the calling thread does the work and no other
/// thread has to wake up. Queues are reused.
class GrpcChannel final : public Channel {
 public:
  explicit GrpcChannel(const std::shared_ptr<grpc::Channel>& channel) : stub_(channel) {}
  ~GrpcChannel() override {
    for (auto& queue : idle_) {
      Discard(*queue);
    }
  }

  CallStatus Call(const char* method, std::string_view request, std::string* response) override {
    grpc::ClientContext context;
    Registration registration(*this, context);
    if (registration.refused()) {
      return {kStatusCancelled, "the connection is closed"};
    }
    auto queue = TakeQueue();
    grpc::ByteBuffer answer;
    grpc::Status status;
    auto reader = stub_.PrepareUnaryCall(&context, method, ToBuffer(request), queue.get());
    reader->StartCall();
    reader->Finish(&answer, &status, this);
    Await(*queue);
    reader.reset();
    ReturnQueue(std::move(queue));
    if (status.ok()) {
      FromBuffer(answer, response);
    }
    return FromStatus(status);
  }

  CallStatus Stream(const char* method, std::string_view request,
                    const std::function<void(std::string_view)>& receive) override {
    grpc::ClientContext context;
    Registration registration(*this, context);
    if (registration.refused()) {
      return {kStatusCancelled, "the connection is closed"};
    }
    auto queue = TakeQueue();
    grpc::Status status;
    auto stream = stub_.PrepareCall(&context, method, queue.get());
    stream->StartCall(this);
    if (Await(*queue)) {
      stream->Write(ToBuffer(request), this);
      if (Await(*queue)) {
        stream->WritesDone(this);
        Await(*queue);
      }
      grpc::ByteBuffer message;
      std::string bytes;
      while (true) {
        stream->Read(&message, this);
        if (!Await(*queue)) {
          break;
        }
        FromBuffer(message, &bytes);
        receive(bytes);
      }
    }
    stream->Finish(&status, this);
    Await(*queue);
    stream.reset();
    ReturnQueue(std::move(queue));
    return FromStatus(status);
  }

  void Cancel() override {
    std::lock_guard lock(mutex_);
    cancelled_ = true;
    for (grpc::ClientContext* context : running_) {
      context->TryCancel();
    }
  }

 private:
  /// Registers a call, so that Cancel() can cancel it, until it ends.
  class Registration {
   public:
    Registration(GrpcChannel& channel, grpc::ClientContext& context)
        : channel_(channel), context_(context) {
      std::lock_guard lock(channel_.mutex_);
      refused_ = channel_.cancelled_;
      channel_.running_.push_back(&context_);
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() {
      std::lock_guard lock(channel_.mutex_);
      std::erase(channel_.running_, &context_);
    }
    bool refused() const { return refused_; }

   private:
    GrpcChannel& channel_;
    grpc::ClientContext& context_;
    bool refused_ = false;
  };

  static bool Await(grpc::CompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  }

  static void Discard(grpc::CompletionQueue& queue) {
    queue.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) {
    }
  }

  std::unique_ptr<grpc::CompletionQueue> TakeQueue() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return std::make_unique<grpc::CompletionQueue>();
    }
    auto queue = std::move(idle_.back());
    idle_.pop_back();
    return queue;
  }
  void ReturnQueue(std::unique_ptr<grpc::CompletionQueue> queue) {
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(queue));
  }

  grpc::GenericStub stub_;
  std::mutex mutex_;
  bool cancelled_ = false;
  std::vector<grpc::ClientContext*> running_;
  std::vector<std::unique_ptr<grpc::CompletionQueue>> idle_;
};

class GrpcRuntime final : public PluginRuntime {
 public:
  GrpcRuntime() {
    // Failures are returned as statuses. gRPC's own log lines would only disturb the output.
    gpr_set_log_function([](gpr_log_func_args*) {});
  }

  Result<ClientIdentity> MakeIdentity() override {
    KeyPtr key(EVP_EC_gen("P-256"));
    CertificatePtr certificate(X509_new());
    if (key == nullptr || certificate == nullptr ||
        !FillCertificate(certificate.get(), key.get())) {
      return Fail(ErrorCode::kIo, "cannot make a TLS certificate for the provider connection");
    }
    BioPtr certificate_text(BIO_new(BIO_s_mem()));
    BioPtr key_text(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
        PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                 nullptr) != 1) {
      return Fail(ErrorCode::kIo, "cannot write a TLS certificate for the provider connection");
    }
    return ClientIdentity{TextOf(certificate_text.get()), TextOf(key_text.get())};
  }

  Result<std::unique_ptr<Channel>> Connect(const Endpoint& endpoint) override {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetMaxSendMessageSize(-1);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    std::shared_ptr<grpc::ChannelCredentials> credentials;
    if (endpoint.tls) {
      arguments.SetSslTargetNameOverride("localhost");
      credentials =
          grpc::SslCredentials({.pem_root_certs = CertificatePem(endpoint.server_certificate),
                                .pem_private_key = endpoint.identity.key,
                                .pem_cert_chain = endpoint.identity.certificate});
    } else {
      credentials = grpc::InsecureChannelCredentials();
    }
    auto channel = grpc::CreateCustomChannel(endpoint.target, credentials, arguments);
    if (channel == nullptr) {
      return Fail(ErrorCode::kUnavailable, "cannot connect to " + endpoint.target);
    }
    return std::make_unique<GrpcChannel>(channel);
  }
};

}  // namespace
}  // namespace kinu::plugin

extern "C" __attribute__((visibility("default"))) kinu::plugin::PluginRuntime* kinu_plugin_runtime(
    int transport_version) {
  if (transport_version != kinu::plugin::kTransportVersion) {
    return nullptr;
  }
  // Never destroyed: other threads may still be in calls when the program exits.
  static auto* runtime = new kinu::plugin::GrpcRuntime();
  return runtime;
}
