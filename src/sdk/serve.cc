// The start of a provider's process: cookie, socket, handshake line, connections.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include <kinu/provider.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "plugin/tls.h"
#include "plugin/transport.h"
#include "sdk/provider_service.h"

namespace kinu::sdk {
namespace {

constexpr std::string_view kCookie =
    "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread runs yet
  return value == nullptr ? "" : value;
}

/// A listening Unix socket in a directory of its own.
class Listener {
 public:
  Listener() {
    std::string parent = Environment("PLUGIN_UNIX_SOCKET_DIR");
    if (parent.empty()) {
      parent = std::filesystem::temp_directory_path().string();
    }
    directory_ = parent + "/pluginXXXXXX";
    if (mkdtemp(directory_.data()) == nullptr) {
      return;
    }
    path_ = directory_ + "/socket";
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof(address.sun_path)) {
      return;
    }
    std::memcpy(address.sun_path, path_.data(), path_.size());
    descriptor_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        listen(descriptor_, SOMAXCONN) != 0) {
      close(descriptor_);
      descriptor_ = -1;
    }
  }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  void Remove() const {
    unlink(path_.c_str());
    rmdir(directory_.c_str());
  }

 private:
  std::string directory_;
  std::string path_;
  int descriptor_ = -1;
};

/// TLS that accepts the client's certificate only. Sets `certificate` to this server's, as base64
/// of DER without padding. Null if OpenSSL fails.
plugin::SslContextPtr MakeServerContext(const std::string& client, std::string& certificate) {
  const auto identity = plugin::MakeClientIdentity();
  if (!identity) {
    return nullptr;
  }
  const auto bio = [](const std::string& text) {
    return plugin::BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  };
  const plugin::CertificatePtr own(
      PEM_read_bio_X509(bio(identity->certificate).get(), nullptr, nullptr, nullptr));
  const plugin::KeyPtr key(
      PEM_read_bio_PrivateKey(bio(identity->key).get(), nullptr, nullptr, nullptr));
  const plugin::CertificatePtr trusted(
      PEM_read_bio_X509(bio(client).get(), nullptr, nullptr, nullptr));
  plugin::SslContextPtr context(SSL_CTX_new(TLS_server_method()));
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

/// Answers the services of the plugin's process, and those of the provider.
Reply Dispatch(const v1::Provider& provider, const Listener& listener, std::string_view method,
               std::string_view request) {
  constexpr std::string_view kProvider = "/tfplugin6.Provider/";
  constexpr int kUnimplementedService = 12;
  if (method.starts_with(kProvider)) {
    return CallProvider(provider, method.substr(kProvider.size()), request);
  }
  if (method == "/plugin.GRPCController/Shutdown") {
    listener.Remove();
    _exit(0);
  }
  if (method == "/grpc.health.v1.Health/Check") {
    return {.message = "\x08\x01", .status = 0, .error = {}};
  }
  return {.message = {}, .status = kUnimplementedService, .error = "unknown service"};
}

}  // namespace
}  // namespace kinu::sdk

namespace kinu::v1 {

int Serve(const Provider& provider) {
  if (sdk::Environment("TF_PLUGIN_MAGIC_COOKIE") != sdk::kCookie) {
    std::fputs(
        "This binary is a plugin. These are not meant to be executed directly.\n"
        "Please execute the program that consumes these plugins, which will\n"
        "load any plugins automatically\n",
        stderr);
    return 1;
  }
  // An interrupt of the terminal is the concern of the client, which ends this process itself.
  std::signal(SIGINT, SIG_IGN);
  const std::string client = sdk::Environment("PLUGIN_CLIENT_CERT");
  std::string certificate;
  plugin::SslContextPtr context;
  if (!client.empty()) {
    context = sdk::MakeServerContext(client, certificate);
  }
  const sdk::Listener listener;
  if (listener.descriptor() < 0 || (context == nullptr && !client.empty())) {
    std::fputs("cannot listen for the plugin's client\n", stderr);
    return 1;
  }
  const sdk::Handler handler = [&](std::string_view method, std::string_view request) {
    return sdk::Dispatch(provider, listener, method, request);
  };
  std::printf("1|6|unix|%s|grpc|%s\n", listener.path().c_str(), certificate.c_str());
  std::fflush(stdout);
  while (true) {
    const int accepted = accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted >= 0) {
      std::thread([&, accepted] {
        sdk::ServeConnection(accepted, context.get(), handler);
      }).detach();
    }
  }
}

}  // namespace kinu::v1
