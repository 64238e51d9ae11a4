#include "net/callback_server.h"

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/files.h"

namespace kinu::net {
namespace {

constexpr size_t kMaxHead = size_t{64} << 10;   // bytes of a request line and its headers
constexpr std::chrono::milliseconds kTick{50};  // how soon an interrupt is seen

/// A TCP socket that listens on the port of 127.0.0.1; -1 if that is not possible.
int ListenOn(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd >= 0 && (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
                  listen(fd, 16) != 0)) {
    close(fd);
    return -1;
  }
  return fd;
}

/// The query of a request head: "GET /login?code=1 HTTP/1.1".
QueryArguments QueryOf(std::string_view head) {
  std::string_view target = head.substr(0, head.find("\r\n"));
  target.remove_prefix(std::min(target.find(' ') + 1, target.size()));
  target = target.substr(0, target.find(' '));
  const size_t mark = target.find('?');
  return mark == std::string_view::npos ? QueryArguments() : ParseQuery(target.substr(mark + 1));
}

/// A browser may open connections ahead and send nothing on them, so all are read side by side.
struct Connection {
  int fd = -1;
  std::string head;
};

class Server final : public CallbackServer {
 public:
  Server(int fd, int port, std::string page, Accept accept)
      : fd_(fd), port_(port), page_(std::move(page)), accept_(std::move(accept)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
  }
  ~Server() override {
    thread_.request_stop();
    thread_.join();
    for (const Connection& connection : connections_) {
      close(connection.fd);
    }
    close(fd_);
  }

  int port() const override { return port_; }
  Result<QueryArguments> Wait(const std::atomic<bool>* stop) override {
    std::unique_lock lock(mutex_);
    while (!accepted_) {
      if (stop != nullptr && stop->load()) {
        return Fail(ErrorCode::kCancelled, "interrupted");
      }
      changed_.wait_for(lock, kTick);
    }
    return *accepted_;
  }

 private:
  void Serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> polled = {{fd_, POLLIN, 0}};
      for (const Connection& connection : connections_) {
        polled.push_back({connection.fd, POLLIN, 0});
      }
      if (poll(polled.data(), polled.size(), static_cast<int>(kTick.count())) <= 0) {
        continue;
      }
      size_t i = 1;
      for (auto it = connections_.begin(); it != connections_.end(); ++i) {
        if (polled[i].revents != 0 && Read(*it)) {
          close(it->fd);
          it = connections_.erase(it);
        } else {
          ++it;
        }
      }
      if (polled[0].revents != 0) {
        if (const int fd = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); fd >= 0) {
          connections_.push_back({fd, {}});
        }
      }
    }
  }

  /// Reads what has arrived and answers a whole head. Returns whether the connection has ended.
  bool Read(Connection& connection) {
    char buffer[4096];
    const ssize_t size = recv(connection.fd, buffer, sizeof buffer, 0);
    if (size <= 0) {
      return size == 0 || (errno != EAGAIN && errno != EINTR);
    }
    connection.head.append(buffer, static_cast<size_t>(size));
    if (connection.head.find("\r\n\r\n") == std::string::npos) {
      return connection.head.size() > kMaxHead;
    }
    Answer(connection);
    return true;
  }

  void Answer(const Connection& connection) {
    QueryArguments query = QueryOf(connection.head);
    bool accepted = false;
    {
      const std::lock_guard lock(mutex_);
      accepted = !accepted_ && accept_(query);
      if (accepted) {
        accepted_ = std::move(query);
      }
    }
    const std::string_view body = accepted ? std::string_view(page_) : std::string_view();
    const std::string answer = std::string(accepted ? "HTTP/1.1 200 OK\r\nContent-Type: text/html"
                                                    : "HTTP/1.1 400 Bad Request") +
                               "\r\nContent-Length: " + std::to_string(body.size()) +
                               "\r\nConnection: close\r\n\r\n" + std::string(body);
    (void)send(connection.fd, answer.data(), answer.size(), MSG_NOSIGNAL);
    changed_.notify_all();
  }

  int fd_;
  int port_;
  std::string page_;
  Accept accept_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<QueryArguments> accepted_;
  std::list<Connection> connections_;  ///< of the thread
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<CallbackServer>> CallbackServer::Listen(int first, int last,
                                                               std::string page, Accept accept) {
  const int count = last - first;
  for (int tries = count + count / 2; tries > 0; --tries) {
    uint32_t random = 0;
    RandomBytes(&random, sizeof random);
    const int port = first + static_cast<int>(random % static_cast<uint32_t>(count));
    if (const int fd = ListenOn(port); fd >= 0) {
      return std::make_unique<Server>(fd, port, std::move(page), std::move(accept));
    }
  }
  return Fail(ErrorCode::kUnavailable, "no port is free");
}

}  // namespace kinu::net
