// The server's side of gRPC over one accepted socket, plain or under TLS.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

namespace kinu::sdk {

/// The result of a call.
struct Reply {
  /// How the response ends. All but kAnswer are faults, for tests of clients.
  enum class End : uint8_t {
    kAnswer,
    kReset,   ///< the stream is reset
    kGoAway,  ///< the connection accepts no more calls, and this one is not answered
    kDrop,    ///< the connection is closed
  };
  std::string message;
  int status = 0;  ///< gRPC's code; 0 is success
  std::string error;
  End end = End::kAnswer;
  bool streamed = false;  ///< the messages were sent before; there is no other
  /// Called when the response is written, in the thread of the connection.
  std::function<void()> after = {};
};
/// Sends a message of a stream of messages; false if the client is gone.
using Sender = std::function<bool(std::string message)>;
/// Answers the call of a method ("/tfplugin6.Provider/ReadResource"). Thread-safe.
using Handler =
    std::function<Reply(std::string_view method, std::string_view request, const Sender& send)>;

/// Serves one connection until the client closes it, and closes `descriptor`. `context` is null
/// without TLS. Blocks, and blocks SIGPIPE for
/// its thread. Each call has a thread of its own, which may outlive the connection.
void ServeConnection(int descriptor, SSL_CTX* context, std::shared_ptr<const Handler> handler);

/// The text of an error as a header has it: bytes that are not printable ASCII, and '%', as %XX.
std::string PercentEncode(std::string_view text);

}  // namespace kinu::sdk
