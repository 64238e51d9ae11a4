#include "remote/socket_guard.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace kinu::remote {

void SocketGuard::SetLimits(const Limits& limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
}

void SocketGuard::Add(int socket) {
  const std::lock_guard lock(mutex_);
  if (const int copy = ::fcntl(socket, F_DUPFD_CLOEXEC, 3); copy >= 0) {
    sockets_.push_back(copy);
  }
  if (!thread_.joinable()) {
    ended_ = false;
    thread_ = std::thread([this] { Watch(); });
  }
}

void SocketGuard::Clear() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
  for (const int socket : sockets_) {
    ::close(socket);
  }
  sockets_.clear();
}

void SocketGuard::Watch() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (limits_.stopped() || limits_.expired()) {
      for (const int socket : sockets_) {
        ::shutdown(socket, SHUT_RDWR);
      }
    }
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
}

}  // namespace kinu::remote
