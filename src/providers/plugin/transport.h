// How providers are called: method names and bytes over one connection. The implementation is a
// small gRPC client (plugin/grpc_channel.h); it knows neither values nor messages. Decision:
// docs/decisions/0001-provider-transport.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "crypto/certificate.h"

namespace kinu::plugin {

/// The gRPC status codes that callers and the transport use.
enum StatusCode : int {
  kStatusOk = 0,
  kStatusCancelled = 1,
  kStatusUnknown = 2,
  kStatusDeadlineExceeded = 4,
  kStatusPermissionDenied = 7,
  kStatusResourceExhausted = 8,
  kStatusUnimplemented = 12,
  kStatusInternal = 13,
  kStatusUnavailable = 14,
  kStatusUnauthenticated = 16,
};

/// The status of a call: a code and a message, which is the server's if it sent one.
struct CallStatus {
  int code = kStatusOk;
  std::string message;
  bool ok() const { return code == kStatusOk; }
};

/// The address of a provider.
struct Endpoint {
  std::string target;  ///< "unix:/path" or "host:port"
  bool tls = false;
  std::string server_certificate;  ///< base64 of DER, as in the handshake
  crypto::Identity identity;
};

/// What a call may take.
struct CallLimits {
  std::chrono::milliseconds time{0};                      ///< until the response; 0: no limit
  size_t response = std::numeric_limits<int32_t>::max();  ///< bytes of a message
};

/// A connection to a provider. Thread-safe. It has no thread of its own: whichever thread waits for
/// a response reads for all.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Calls a method ("/tfplugin6.Provider/PlanResourceChange") and waits for the response.
  /// `response` is unspecified unless the status is OK.
  virtual CallStatus Call(const char* method, std::string_view request, std::string* response,
                          const CallLimits& limits = {}) = 0;
  /// Calls a streaming method with an empty request, and returns at once. `receive` gets the
  /// messages, one at a time, from threads that wait in Call(). It must not use this channel.
  virtual void Listen(const char* method, std::function<void(std::string_view)> receive) = 0;
  /// Cancels running calls. No call may follow.
  virtual void Cancel() = 0;
};

/// Connects to a provider. If it cannot be reached, the calls say so.
std::unique_ptr<Channel> Connect(Endpoint endpoint);

}  // namespace kinu::plugin
