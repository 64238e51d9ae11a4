#include "plugin/byte_stream.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace kinu::plugin {
namespace {

std::unexpected<Error> DialFailure(const std::string& target, const std::string& why) {
  return Fail(
      ErrorCode::kUnavailable,
      "connection error: desc = \"transport: Error while dialing " + target + ": " + why + "\"");
}

/// Opens and connects a socket. Returns -1 and sets errno if that fails.
int ConnectTo(const sockaddr* address, socklen_t size) {
  const int descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    return -1;
  }
  int connected = 0;
  do {
    connected = connect(descriptor, address, size);
  } while (connected != 0 && errno == EINTR);
  if (connected != 0) {
    const int error = errno;
    close(descriptor);
    errno = error;
    return -1;
  }
  return descriptor;
}

int ConnectToPath(std::string_view path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return -1;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  socklen_t size = sizeof(address);
  if (path.starts_with('@')) {  // the abstract names of Linux, which end with the address
    address.sun_path[0] = '\0';
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  }
  return ConnectTo(reinterpret_cast<const sockaddr*>(&address), size);
}

/// Connects to "host:port", where the host may be an address in brackets.
int ConnectToHost(std::string_view target, std::string& why) {
  const size_t colon = target.rfind(':');
  if (colon == target.npos) {
    why = "missing port in address";
    return -1;
  }
  std::string host(target.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  const std::string port(target.substr(colon + 1));
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    why = gai_strerror(error);
    return -1;
  }
  int descriptor = -1;
  for (const addrinfo* at = found; at != nullptr && descriptor < 0; at = at->ai_next) {
    descriptor = ConnectTo(at->ai_addr, at->ai_addrlen);
  }
  freeaddrinfo(found);
  if (descriptor >= 0) {
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  return descriptor;
}

std::string ErrorText(int error) {
  return std::strerror(error);  // NOLINT(concurrency-mt-unsafe): glibc's texts are constants
}

}  // namespace

Result<std::unique_ptr<ByteStream>> ByteStream::OpenSocket(const std::string& target) {
  constexpr std::string_view kUnix = "unix:";
  std::string why;
  const int descriptor = target.starts_with(kUnix)
                             ? ConnectToPath(std::string_view(target).substr(kUnix.size()))
                             : ConnectToHost(target, why);
  if (descriptor < 0) {
    return DialFailure(target, why.empty() ? ErrorText(errno) : why);
  }
  std::unique_ptr<ByteStream> stream(new ByteStream(descriptor));
  if (fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) != 0) {
    return DialFailure(target, ErrorText(errno));
  }
  return stream;
}

Result<std::unique_ptr<ByteStream>> ByteStream::Open(const Endpoint& endpoint) {
  auto socket = OpenSocket(endpoint.target);
  if (!socket || !endpoint.tls) {
    return socket;
  }
  return OpenTls(*std::move(socket), endpoint);
}

ByteStream::~ByteStream() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

ssize_t ByteStream::Lose(std::string why) {
  failure_ = std::move(why);
  return -1;
}

ssize_t ByteStream::Read(std::span<char> buffer) {
  while (true) {
    const ssize_t size = recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (size > 0) {
      return size;
    }
    if (size == 0) {
      return Lose("EOF");
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return 0;
    }
    if (errno != EINTR) {
      return Lose(ErrorText(errno));
    }
  }
}

ssize_t ByteStream::Write(std::string_view bytes) {
  while (true) {
    const ssize_t size = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size >= 0) {
      return size;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return 0;
    }
    if (errno != EINTR) {
      return Lose(ErrorText(errno));
    }
  }
}

}  // namespace kinu::plugin
