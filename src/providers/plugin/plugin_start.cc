// How a provider process is started, or one that runs already is attached to.
#include <cerrno>
#include <cstdlib>

#include <signal.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "codec/protowire.h"
#include "plugin/methods.h"
#include "plugin/plugin_provider.h"
#include "plugin/socket_directory.h"
#include "text/quote.h"

extern char** environ;

namespace kinu::plugin {
namespace {

constexpr const char* kCookie =
    "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";
constexpr int kHandshakeTimeoutMs = 60'000;

bool IsSet(const char* name) {
  return !Environment(name).empty();
}

std::vector<std::string> EnvironmentFor(const crypto::Identity* identity,
                                        const SocketDirectory* directory) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string_view text(*entry);
    // These two would change the transport.
    if (!text.starts_with("PLUGIN_CLIENT_CERT=") && !text.starts_with("PLUGIN_MULTIPLEX_GRPC=")) {
      environment.emplace_back(text);
    }
  }
  environment.emplace_back(kCookie);
  environment.emplace_back("PLUGIN_PROTOCOL_VERSIONS=5,6");
  environment.emplace_back("PLUGIN_MIN_PORT=10000");
  environment.emplace_back("PLUGIN_MAX_PORT=25000");
  if (identity != nullptr) {
    environment.push_back("PLUGIN_CLIENT_CERT=" + identity->certificate);
  }
  if (directory != nullptr) {
    environment.push_back("PLUGIN_UNIX_SOCKET_DIR=" + directory->path());
  }
  if (!log::Requested()) {
    // No log is written, and providers spend a tenth of their time on theirs.
    environment.emplace_back("TF_LOG_SDK=off");
  }
  if (!IsSet("GOGC") && !IsSet("GOMEMLIMIT")) {
    environment.emplace_back("GOGC=400");
  }
  return environment;
}

}  // namespace

Result<std::unique_ptr<PluginProvider>> PluginProvider::Start(const Launch& launch) {
  // In the reference, TLS decides which processes may connect. Certificates cost a provider more
  // than the rest of its start, and a socket in a directory that only this user can enter is as
  // safe; TLS remains for providers that put their socket elsewhere.
  if (IsSet("TF_DISABLE_PLUGIN_TLS")) {
    return Start(launch, false, nullptr);
  }
  auto directory = IsSet("KINU_PLUGIN_TLS") ? nullptr : SocketDirectory::Make();
  if (directory == nullptr) {
    return Start(launch, true, nullptr);
  }
  std::string path = directory->path() + '/';
  auto started = Start(launch, false, std::move(directory));
  if (!started || (*started)->socket_path_.starts_with(path)) {
    return started;
  }
  (*started)->process_->Kill();
  started->reset();
  return Start(launch, true, nullptr);
}

Result<std::unique_ptr<PluginProvider>> PluginProvider::Start(
    const Launch& launch, bool tls, std::unique_ptr<SocketDirectory> directory) {
  std::unique_ptr<PluginProvider> plugin(new PluginProvider());
  plugin->name_ = launch.address;
  plugin->log_ = std::make_unique<LogRelay>(BaseName(launch.executable));
  plugin->socket_directory_ = std::move(directory);
  Endpoint endpoint;
  if (tls) {
    KINU_TRY(endpoint.identity, crypto::MakeIdentity());
  }
  Process::Options options;
  options.executable = launch.executable;
  options.environment =
      EnvironmentFor(tls ? &endpoint.identity : nullptr, plugin->socket_directory_.get());
  options.on_line = [log = plugin->log_.get()](Stream stream, std::string_view line) {
    log->Line(line, stream == Stream::kStdout);
  };
  KINU_TRY(plugin->process_, Process::Start(std::move(options)));
  auto line = plugin->process_->AwaitFirstLine(kHandshakeTimeoutMs);
  if (!line) {
    std::string words = plugin->log_->LastWords() + plugin->log_->Panic();
    return Fail(line.error().code,
                line.error().message + (words.empty() ? "" : "\n\nIts last output was:\n" + words));
  }
  KINU_TRY(Handshake handshake, ParseHandshake(*line));
  if (tls && handshake.certificate.empty()) {
    return Fail(ErrorCode::kInvalid,
                "the plugin did not offer a certificate, although TLS was "
                "asked for");
  }
  plugin->protocol_ = handshake.protocol;
  if (handshake.network == "unix") {
    plugin->socket_path_ = handshake.address;
  }
  endpoint.target = handshake.Target();
  endpoint.tls = tls;
  endpoint.server_certificate = handshake.certificate;
  plugin->Connect(std::move(endpoint));
  return plugin;
}

Result<std::unique_ptr<PluginProvider>> PluginProvider::Attach(const std::string& address,
                                                               const Attachment& attachment) {
  std::unique_ptr<PluginProvider> plugin(new PluginProvider());
  plugin->name_ = address;
  plugin->protocol_ = attachment.protocol;
  plugin->owned_ = !attachment.test;
  plugin->log_ = std::make_unique<LogRelay>("unmanaged");
  if (attachment.protocol != 5 && attachment.protocol != 6) {
    return Fail(ErrorCode::kUnsupported,
                "no supported plugins for protocol " + std::to_string(attachment.protocol));
  }
  if (attachment.wire != "grpc") {
    return Fail(
        ErrorCode::kUnsupported,
        "Unsupported plugin protocol " + text::GoQuote(attachment.wire) + ". Supported: [grpc]");
  }
  if (attachment.pid > 0 && kill(static_cast<pid_t>(attachment.pid), 0) != 0 && errno == ESRCH) {
    return Fail(ErrorCode::kNotFound, "Reattachment process not found");
  }
  plugin->Connect({.target = attachment.Target()});
  return plugin;
}

std::unique_ptr<PluginProvider> PluginProvider::Over(std::unique_ptr<Channel> channel,
                                                     int protocol) {
  std::unique_ptr<PluginProvider> plugin(new PluginProvider());
  plugin->channel_ = std::move(channel);
  plugin->protocol_ = protocol;
  plugin->methods_ = &MethodsOf(protocol);
  return plugin;
}

void PluginProvider::Connect(Endpoint endpoint) {
  channel_ = plugin::Connect(std::move(endpoint));
  methods_ = &MethodsOf(protocol_);
  // Receives what the provider prints after the handshake. A provider without that service ends the
  // stream at once.
  channel_->Listen(kStdioMethod, [log = log_.get()](std::string_view message) {
    constexpr uint64_t kStdout = 1;
    uint64_t source = 0;
    std::string_view data;
    ProtoReader reader(message);
    for (ProtoField field; reader.Next(field);) {
      if (field.number == 1) {
        source = field.scalar;
      } else if (field.number == 2) {
        data = field.bytes;
      }
    }
    while (!data.empty()) {
      const size_t newline = data.find('\n');
      log->Line(data.substr(0, newline), source == kStdout);
      data.remove_prefix(newline == data.npos ? data.size() : newline + 1);
    }
  });
}

}  // namespace kinu::plugin
