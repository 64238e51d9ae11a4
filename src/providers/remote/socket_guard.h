// Ends blocking operations on sockets when they have to end.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "remote/communicator.h"

namespace kinu::remote {

/// Shuts its sockets down, in both directions, once the limits ask for it: who reads or writes them
/// sees their end. A thread looks every 50 milliseconds while there are sockets.
class SocketGuard {
 public:
  SocketGuard() = default;
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;
  ~SocketGuard() { Clear(); }

  /// Replaces the limits.
  void SetLimits(const Limits& limits);
  /// Guards a socket from now on, by a duplicate: its owner may close it at any time.
  void Add(int socket);
  /// Guards no socket any more.
  void Clear();

 private:
  void Watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  Limits limits_;
  std::vector<int> sockets_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace kinu::remote
