// The start of a provider's process: cookie, socket, handshake line, connections.
#include "sdk/serve.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include "sdk/listener.h"
#include "sdk/provider_service.h"
#include "sdk/server_tls.h"
#include "sdk/stdio_relay.h"

namespace kinu::sdk {
namespace {

constexpr std::string_view kCookie =
    "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/// What a signal that ends the process removes. Set before the handlers.
const Listener* listener_of_process = nullptr;

extern "C" void RemoveAndEnd(int signal) {
  listener_of_process->Remove();
  if (signal == SIGINT) {
    _exit(0);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// A client sends its interrupts to the whole group of processes and ends this one itself, so they
/// are ignored, except by a process that debugs.
void HandleSignals(const Listener& listener, bool debug) {
  listener_of_process = &listener;
  std::signal(SIGINT, debug ? &RemoveAndEnd : SIG_IGN);
  std::signal(SIGTERM, &RemoveAndEnd);
}

/// The process that serves. Never destroyed: calls run until it ends.
class Process {
 public:
  Process(const v1::Provider& provider, const v1::ServeOptions& options, Interceptor intercept)
      : service_(provider), intercept_(std::move(intercept)), listener_(options.tcp) {}

  const Listener& listener() const { return listener_; }
  void RelayOutput() { relay_ = std::make_unique<StdioRelay>(STDOUT_FILENO); }

  Reply Answer(std::string_view method, std::string_view request, const Sender& send) {
    constexpr std::string_view kProvider = "/tfplugin6.Provider/";
    constexpr int kUnimplementedService = 12;
    if (method.starts_with(kProvider)) {
      return AnswerProvider(method.substr(kProvider.size()), request);
    }
    if (method == "/plugin.GRPCController/Shutdown") {
      std::fflush(stdout);
      if (relay_ != nullptr) {
        relay_->Finish();
      }
      return {.message = {}, .error = {}, .after = [this] {
                listener_.Remove();
                _exit(0);
              }};
    }
    if (method == "/plugin.GRPCStdio/StreamStdio" && relay_ != nullptr) {
      return relay_->Stream(send);
    }
    if (method == "/grpc.health.v1.Health/Check") {
      return {.message = "\x08\x01", .status = 0, .error = {}};
    }
    return {.message = {}, .status = kUnimplementedService, .error = "unknown service"};
  }

 private:
  Reply AnswerProvider(std::string_view method, std::string_view request) {
    const Answerer answer = [this](std::string_view name, std::string_view message) {
      return service_.Answer(name, message);
    };
    return intercept_ ? intercept_(method, request, answer) : answer(method, request);
  }

  ProviderService service_;
  Interceptor intercept_;
  Listener listener_;
  std::unique_ptr<StdioRelay> relay_;
};

/// Prints how a client attaches to this process.
void PrintAttachment(const v1::Provider& provider, const Listener& listener) {
  std::printf(
      "Provider started. To attach, set the TF_REATTACH_PROVIDERS environment variable with the "
      "following:\n\n\tTF_REATTACH_PROVIDERS='{\"%s\":{\"Protocol\":\"grpc\",\"ProtocolVersion\":6,"
      "\"Pid\":%d,\"Test\":true,\"Addr\":{\"Network\":\"%s\",\"String\":\"%s\"}}}'\n\n",
      provider.address.c_str(), static_cast<int>(getpid()), listener.network(),
      listener.address().c_str());
  std::fflush(stdout);
}

[[noreturn]] void AcceptAll(Process& process, SSL_CTX* context) {
  const auto handler = std::make_shared<const Handler>(
      [&process](std::string_view method, std::string_view request, const Sender& send) {
        return process.Answer(method, request, send);
      });
  while (true) {
    const int accepted = accept4(process.listener().descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted >= 0) {
      std::thread([=] { ServeConnection(accepted, context, handler); }).detach();
    }
  }
}

int Refuse(const char* why) {
  std::fputs(why, stderr);
  return 1;
}

}  // namespace

int Serve(const v1::Provider& provider, const v1::ServeOptions& options,
          const Interceptor& intercept) {
  if (!options.debug && Environment("TF_PLUGIN_MAGIC_COOKIE") != kCookie) {
    return Refuse(
        "This binary is a plugin. These are not meant to be executed directly.\n"
        "Please execute the program that consumes these plugins, which will\n"
        "load any plugins automatically\n");
  }
  const std::string client = options.debug ? "" : Environment("PLUGIN_CLIENT_CERT");
  std::string certificate;
  crypto::SslContextPtr context;
  if (!client.empty()) {
    context = MakeServerContext(client, certificate);
  }
  // Never destroyed: calls run until the process ends.
  auto& process = *std::make_unique<Process>(provider, options, intercept).release();
  const Listener& listener = process.listener();
  if (listener.descriptor() < 0 || (context == nullptr && !client.empty())) {
    return Refuse("cannot listen for the plugin's client\n");
  }
  HandleSignals(listener, options.debug);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // before the first line, or it has no effect
  if (options.debug) {
    PrintAttachment(provider, listener);
  } else {
    std::printf("1|6|%s|%s|grpc|%s\n", listener.network(), listener.address().c_str(),
                certificate.c_str());
    std::fflush(stdout);
    process.RelayOutput();
  }
  AcceptAll(process, context.get());
}

}  // namespace kinu::sdk

namespace kinu::v1 {

int Serve(const Provider& provider, const ServeOptions& options) {
  return sdk::Serve(provider, options, {});
}

}  // namespace kinu::v1
