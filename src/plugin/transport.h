// The boundary between the program and its gRPC module: bytes in, bytes out.
//
// gRPC brings some fifty shared libraries, which would cost every command milliseconds at start, so
// it lives in a module that is loaded when the first provider process is. Nothing but the types
// here crosses the boundary: the module knows no values and no messages.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::plugin {

/// Changes whenever this header does; loader and module must agree.
inline constexpr int kTransportVersion = 1;
inline constexpr const char* kTransportSymbol = "kinu_plugin_runtime";

/// gRPC status codes that callers tell apart.
enum StatusCode : int {
  kStatusOk = 0,
  kStatusCancelled = 1,
  kStatusUnimplemented = 12,
  kStatusUnavailable = 14,
};

struct CallStatus {
  int code = kStatusOk;
  std::string message;
  bool ok() const { return code == kStatusOk; }
};

/// A certificate of our own for one connection, as PEM texts.
struct ClientIdentity {
  std::string certificate;
  std::string key;
};

/// Where a provider listens.
struct Endpoint {
  std::string target;  ///< "unix:/path" or "host:port"
  bool tls = false;
  std::string server_certificate;  ///< base64 of DER, as the handshake gives it
  ClientIdentity identity;
};

/// A connection. All calls may be made from several threads at once.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Calls a method ("/tfplugin6.Provider/PlanResourceChange") and waits for the answer.
  virtual CallStatus Call(const char* method, std::string_view request, std::string* response) = 0;
  /// Calls a method that streams messages; returns when the stream has ended.
  virtual CallStatus Stream(const char* method, std::string_view request,
                            const std::function<void(std::string_view)>& receive) = 0;
  /// Ends running calls; none may follow.
  virtual void Cancel() = 0;
};

class PluginRuntime {
 public:
  /// A fresh key and a self-signed certificate.
  virtual Result<ClientIdentity> MakeIdentity() = 0;
  virtual Result<std::unique_ptr<Channel>> Connect(const Endpoint& endpoint) = 0;

 protected:
  ~PluginRuntime() = default;
};

using PluginRuntimeFunction = PluginRuntime* (*)(int transport_version);

}  // namespace kinu::plugin
