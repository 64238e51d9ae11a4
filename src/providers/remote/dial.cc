#include "remote/dial.h"

#include <algorithm>
#include <array>
#include <optional>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/files.h"
#include "codec/base64.h"

namespace kinu::remote {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kProxyPatience{15'000};

/// Waits until a socket is ready. Nothing if it is, otherwise why not.
std::optional<Error> WaitFor(int socket, short events, Clock::time_point end,
                             const Limits& limits) {
  while (true) {
    if (limits.stopped()) {
      return Error{ErrorCode::kCancelled, "operation was canceled"};
    }
    if (Clock::now() >= end || limits.expired()) {
      return Error{ErrorCode::kUnavailable, "i/o timeout"};
    }
    pollfd waiting{socket, events, 0};
    if (::poll(&waiting, 1, 50) > 0) {
      return std::nullopt;
    }
  }
}

std::string AddressText(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &four->sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(four->sin_port));
  }
  const auto* six = reinterpret_cast<const sockaddr_in6*>(address);
  inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
  return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(six->sin6_port));
}

Result<int> DialAddress(const addrinfo& address, Clock::time_point end, const Limits& limits) {
  const std::string before = "dial tcp " + AddressText(address.ai_addr) + ": ";
  const int socket = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) {
    return Fail(ErrorCode::kUnavailable, before + "socket: " + SystemMessage(errno));
  }
  const auto fail = [&](ErrorCode code, const std::string& why) {
    ::close(socket);
    return Fail(code, before + why);
  };
  if (::connect(socket, address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) {
      return fail(ErrorCode::kUnavailable, "connect: " + SystemMessage(errno));
    }
    if (const std::optional<Error> error = WaitFor(socket, POLLOUT, end, limits)) {
      return fail(error->code, error->message);
    }
    int failure = 0;
    socklen_t size = sizeof(failure);
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &size);
    if (failure != 0) {
      return fail(ErrorCode::kUnavailable, "connect: " + SystemMessage(failure));
    }
  }
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) & ~O_NONBLOCK);
  return socket;
}

/// A conversation with a proxy. Bytes are read one by one: those of the server follow them.
class ProxyTalk {
 public:
  ProxyTalk(int socket, const Limits& limits)
      : socket_(socket), limits_(limits), end_(Clock::now() + kProxyPatience) {}

  Result<void> Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return Fail(ErrorCode::kUnavailable, "write: " + SystemMessage(errno));
      }
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return {};
  }

  Result<std::string> Receive(size_t size) {
    std::string out;
    while (out.size() < size) {
      if (const std::optional<Error> error = WaitFor(socket_, POLLIN, end_, limits_)) {
        return Fail(error->code, error->message);
      }
      char byte = 0;
      if (::recv(socket_, &byte, 1, 0) <= 0) {
        return Fail(ErrorCode::kUnavailable, "unexpected EOF");
      }
      out += byte;
    }
    return out;
  }

 private:
  int socket_;
  const Limits& limits_;
  Clock::time_point end_;
};

Result<void> AskHttpProxy(ProxyTalk& talk, const ProxySettings& proxy, const std::string& address) {
  constexpr size_t kMostBytes = 64 << 10;
  if (Result<void> sent = talk.Send(ConnectRequest(proxy, address)); !sent) {
    return sent;
  }
  std::string head;
  while (!head.ends_with("\r\n\r\n") && !head.ends_with("\n\n")) {
    KINU_TRY(const std::string byte, talk.Receive(1));
    head += byte;
    if (head.size() > kMostBytes) {
      return Fail(ErrorCode::kUnavailable, "malformed HTTP response");
    }
  }
  const size_t space = head.find(' ');
  if (!head.starts_with("HTTP/") || space == std::string::npos) {
    return Fail(ErrorCode::kUnavailable, "malformed HTTP response");
  }
  const int status = std::atoi(head.c_str() + space);
  if (status != 200) {
    return Fail(ErrorCode::kUnavailable, "Connection Error: StatusCode: " + std::to_string(status));
  }
  return {};
}

std::string_view SocksReply(int code) {
  constexpr std::array<std::string_view, 9> kReplies = {"succeeded",
                                                        "general SOCKS server failure",
                                                        "connection not allowed by ruleset",
                                                        "network unreachable",
                                                        "host unreachable",
                                                        "connection refused",
                                                        "TTL expired",
                                                        "command not supported",
                                                        "address type not supported"};
  const auto index = static_cast<size_t>(code);
  return index < kReplies.size() ? kReplies[index] : "unknown code";
}

Result<void> SocksLogin(ProxyTalk& talk, const ProxySettings& proxy) {
  if (proxy.user.empty() || proxy.user.size() > 255 || proxy.password.empty() ||
      proxy.password.size() > 255) {
    return Fail(ErrorCode::kUnavailable, "invalid username/password");
  }
  const std::string request = std::string("\x01") + static_cast<char>(proxy.user.size()) +
                              proxy.user + static_cast<char>(proxy.password.size()) +
                              proxy.password;
  if (Result<void> sent = talk.Send(request); !sent) {
    return sent;
  }
  KINU_TRY(const std::string answer, talk.Receive(2));
  if (answer[1] != 0) {
    return Fail(ErrorCode::kUnavailable, "username/password authentication failed");
  }
  return {};
}

/// RFC 1928 and RFC 1929.
Result<void> AskSocksProxy(ProxyTalk& talk, const ProxySettings& proxy, const std::string& host,
                           uint16_t port) {
  using std::string_literals::operator""s;
  if (Result<void> sent = talk.Send("\x05\x02\x00\x02"s); !sent) {
    return sent;
  }
  KINU_TRY(const std::string method, talk.Receive(2));
  if (method[1] == 2) {
    if (Result<void> done = SocksLogin(talk, proxy); !done) {
      return done;
    }
  } else if (method[1] != 0) {
    return Fail(ErrorCode::kUnavailable, "no acceptable authentication methods");
  }
  std::string request = "\x05\x01\x00"s;
  std::array<char, sizeof(in6_addr)> address{};
  const std::string bare = host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
  if (inet_pton(AF_INET, bare.c_str(), address.data()) == 1) {
    request.append(1, '\x01').append(address.data(), 4);
  } else if (inet_pton(AF_INET6, bare.c_str(), address.data()) == 1) {
    request.append(1, '\x04').append(address.data(), 16);
  } else {
    request.append(1, '\x03').append(1, static_cast<char>(bare.size())).append(bare);
  }
  request.append(1, static_cast<char>(port >> 8)).append(1, static_cast<char>(port & 0xff));
  if (Result<void> sent = talk.Send(request); !sent) {
    return sent;
  }
  KINU_TRY(const std::string answer, talk.Receive(4));
  if (answer[1] != 0) {
    return Fail(ErrorCode::kUnavailable, "unknown error " + std::string(SocksReply(answer[1])));
  }
  size_t rest = answer[3] == 4 ? 16 : 4;
  if (answer[3] == 3) {
    KINU_TRY(const std::string size, talk.Receive(1));
    rest = static_cast<unsigned char>(size[0]);
  }
  auto bound = talk.Receive(rest + 2);  // the address of the connection, which nobody needs
  return bound ? Result<void>() : std::unexpected(std::move(bound).error());
}

}  // namespace

Result<int> Dial(const std::string& host, uint16_t port, milliseconds patience,
                 const Limits& limits) {
  const std::string bare = host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(bare.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) {
    return Fail(ErrorCode::kUnavailable,
                "dial tcp: lookup " + bare + ": " +
                    (failed == EAI_NONAME ? "no such host" : ::gai_strerror(failed)));
  }
  const Clock::time_point end = Clock::now() + patience;
  std::optional<Error> first;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    Result<int> socket = DialAddress(*address, end, limits);
    if (socket) {
      ::freeaddrinfo(found);
      return socket;
    }
    if (!first) {
      first = socket.error();
    }
  }
  ::freeaddrinfo(found);
  return std::unexpected(first.value_or(Error{ErrorCode::kUnavailable, "dial tcp: no address"}));
}

std::string ConnectRequest(const ProxySettings& proxy, const std::string& address) {
  const std::string secret = "Basic " + EncodeBase64(proxy.user + ":" + proxy.password);
  return "CONNECT " + address + " HTTP/1.1\r\nHost: " + address +
         "\r\nUser-Agent: Go-http-client/1.1\r\nAuthorization: " + secret +
         "\r\nProxy-Authorization: " + secret + "\r\n\r\n";
}

Result<int> DialThroughProxy(const ProxySettings& proxy, const std::string& host, uint16_t port,
                             const Limits& limits) {
  const bool socks = proxy.scheme == "socks5" || proxy.scheme == "socks5h";
  if (!socks && proxy.scheme != "http" && proxy.scheme != "https") {
    return Fail(ErrorCode::kUnavailable, "proxy: unknown scheme: " + proxy.scheme);
  }
  const std::string address = host + ":" + std::to_string(port);
  const std::string before =
      socks ? "socks connect tcp " + proxy.address() + "->" + address + ": " : "";
  Result<int> socket = Dial(proxy.host, proxy.port, std::chrono::hours(1), limits);
  if (!socket) {
    return Fail(socket.error().code, before + socket.error().message);
  }
  ProxyTalk talk(*socket, limits);
  const Result<void> asked =
      socks ? AskSocksProxy(talk, proxy, host, port) : AskHttpProxy(talk, proxy, address);
  if (!asked) {
    ::close(*socket);
    return Fail(asked.error().code, before + asked.error().message);
  }
  return *socket;
}

}  // namespace kinu::remote
