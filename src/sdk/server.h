// The server's side of gRPC over one accepted socket, plain or under TLS.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <openssl/ssl.h>

namespace kinu::sdk {

/// The result of a call.
struct Reply {
  std::string message;
  int status = 0;  ///< gRPC's code; 0 is success
  std::string error;
};
/// Answers the call of a method ("/tfplugin6.Provider/ReadResource").
using Handler = std::function<Reply(std::string_view method, std::string_view request)>;

/// Serves one connection until the client closes it, and closes `descriptor`. `context` is null
/// without TLS. Blocks.
void ServeConnection(int descriptor, SSL_CTX* context, const Handler& handler);

}  // namespace kinu::sdk
