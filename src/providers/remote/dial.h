// TCP connections to machines, directly or through a proxy.
// Ref: opentofu internal/communicator/ssh/http_proxy.go, golang.org/x/net/proxy.
#pragma once

#include "remote/communicator.h"
#include "remote/settings.h"

namespace kinu::remote {

/// Connects to "host:port" within `patience` and the limits. Returns the socket, which blocks and
/// has keep-alive on. Errors read like Go's: "dial tcp 127.0.0.1:22: connect: connection refused".
Result<int> Dial(const std::string& host, uint16_t port, std::chrono::milliseconds patience,
                 const Limits& limits);

/// Connects to a proxy and lets it connect to "host:port". Schemes: http and https (both without
/// TLS to the proxy, as the reference does), socks5 and socks5h.
Result<int> DialThroughProxy(const ProxySettings& proxy, const std::string& host, uint16_t port,
                             const Limits& limits);

/// The request that asks an HTTP proxy for a connection.
std::string ConnectRequest(const ProxySettings& proxy, const std::string& address);

}  // namespace kinu::remote
