#include "sdk/listener.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace kinu::sdk {
namespace {

template <typename Address>
bool BindAndListen(int descriptor, const Address& address) {
  return bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
         listen(descriptor, SOMAXCONN) == 0;
}

uint16_t PortOf(const char* variable) {
  const std::string text = Environment(variable);
  uint16_t port = 0;
  std::from_chars(text.data(), text.data() + text.size(), port);
  return port;
}

}  // namespace

std::string Environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread runs yet
  return value == nullptr ? "" : value;
}

Listener::Listener(bool tcp) : tcp_(tcp) {
  if (tcp) {
    OpenTcp();
  } else {
    OpenUnix();
  }
}

void Listener::OpenUnix() {
  std::string parent = Environment("PLUGIN_UNIX_SOCKET_DIR");
  if (parent.empty()) {
    parent = std::filesystem::temp_directory_path().string();
  }
  address_ = parent + "/pluginXXXXXX";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const int file = address_.size() < sizeof(address.sun_path) ? mkstemp(address_.data()) : -1;
  if (file < 0) {
    return;
  }
  close(file);
  unlink(address_.c_str());
  std::memcpy(address.sun_path, address_.data(), address_.size());
  descriptor_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (!BindAndListen(descriptor_, address)) {
    close(descriptor_);
    descriptor_ = -1;
    Remove();
  }
}

void Listener::OpenTcp() {
  const uint16_t first = PortOf("PLUGIN_MIN_PORT");
  const uint16_t last = std::max(first, PortOf("PLUGIN_MAX_PORT"));
  for (uint32_t port = first; port <= last && descriptor_ < 0; ++port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!BindAndListen(descriptor_, address)) {
      close(descriptor_);
      descriptor_ = -1;
      continue;
    }
    socklen_t size = sizeof(address);
    getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
}

void Listener::Remove() const {
  if (!tcp_) {
    unlink(address_.c_str());
  }
}

}  // namespace kinu::sdk
