// The interface between the program and its gRPC module: calls with bytes as requests and
// responses.
//
// gRPC needs about fifty shared libraries, which would cost every command milliseconds at start. It
// is therefore in a module that is loaded for the first provider process. Only the types in this
// header cross the boundary: the module knows neither values nor messages. Decision:
// docs/decisions/0001-provider-transport-module.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::plugin {

/// Increase this with every change of this header: the loader refuses a module with another number.
inline constexpr int kTransportVersion = 1;
inline constexpr const char* kTransportSymbol = "kinu_plugin_runtime";

/// The gRPC status codes that callers handle.
enum StatusCode : int {
  kStatusOk = 0,
  kStatusCancelled = 1,
  kStatusUnimplemented = 12,
  kStatusUnavailable = 14,
};

/// The status of a call: a code and the server's message.
struct CallStatus {
  int code = kStatusOk;
  std::string message;
  bool ok() const { return code == kStatusOk; }
};

/// A certificate and key for one connection, as PEM.
struct ClientIdentity {
  std::string certificate;
  std::string key;
};

/// The address of a provider.
struct Endpoint {
  std::string target;  ///< "unix:/path" or "host:port"
  bool tls = false;
  std::string server_certificate;  ///< base64 of DER, as in the handshake
  ClientIdentity identity;
};

/// A connection to a provider. Thread-safe.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Calls a method ("/tfplugin6.Provider/PlanResourceChange") and waits for the response.
  virtual CallStatus Call(const char* method, std::string_view request, std::string* response) = 0;
  /// Calls a streaming method. Returns when the stream has ended.
  virtual CallStatus Stream(const char* method, std::string_view request,
                            const std::function<void(std::string_view)>& receive) = 0;
  /// Cancels running calls. No call may follow.
  virtual void Cancel() = 0;
};

/// The functions of the module.
class PluginRuntime {
 public:
  /// Creates a key and a self-signed certificate.
  virtual Result<ClientIdentity> MakeIdentity() = 0;
  /// Connects to a provider. Fails if it cannot be reached.
  virtual Result<std::unique_ptr<Channel>> Connect(const Endpoint& endpoint) = 0;

 protected:
  ~PluginRuntime() = default;
};

using PluginRuntimeFunction = PluginRuntime* (*)(int transport_version);

}  // namespace kinu::plugin
