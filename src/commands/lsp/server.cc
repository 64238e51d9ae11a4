#include "lsp/server.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/disk_watcher.h"
#include "base/thread.h"
#include "log/log.h"
#include "lsp/framing.h"
#include "lsp/session.h"

namespace kinu::lsp {
namespace {

/// Whether a file of that name can matter to a workspace.
bool MattersToWorkspaces(std::string_view name) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{".tf", ".tofu", ".tfvars",
                                                                     ".json", ".hcl", ".tfstate"},
                             [&](std::string_view suffix) { return name.ends_with(suffix); });
}

/// What the reader of the input hands to the owner of the session.
class Inbox {
 public:
  void Add(std::vector<Event> events) {
    {
      const std::lock_guard lock(mutex_);
      for (Event& event : events) {
        events_.push_back(std::move(event));
      }
    }
    added_.notify_one();
  }
  /// All that was added; waits for something.
  std::vector<Event> Take(const Rest& rest) {
    std::unique_lock lock(mutex_);
    WaitForWork(added_, lock, rest, [this] { return !events_.empty(); });
    return std::exchange(events_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<Event> events_;
};

/// Writes a whole text; what a client that is gone does not take is dropped. A client that waits
/// on the same processor runs before the thread goes on, which may have much left to do.
void WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return;
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  std::this_thread::yield();
}

class Server {
 public:
  Server(int input, int output, const ServerOptions& options)
      : input_(input),
        wake_(eventfd(0, EFD_CLOEXEC)),
        outlet_([output](std::string_view frame) { WriteAll(output, frame); }),
        options_(options) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    close(wake_);
    if (parent_ >= 0) {
      close(parent_);
    }
  }

  int Run() {
    {
      const BigThread owner([this] { Own(); });
      ReadInput();
    }
    return exit_code_;
  }

 private:
  /// The thread of the session.
  void Own() {
    Session session(outlet_,
                    {.version = options_.version,
                     .watch_parent = [this](int32_t process) { WatchParent(process); },
                     .watch = [this](const auto& directories) { disk_.Watch(directories); },
                     .rest = options_.rest});
    while (!session.exit_code()) {
      session.Handle(inbox_.Take(options_.rest));
    }
    exit_code_ = *session.exit_code();
    has_ended_ = true;
    Wake();
  }

  void WatchParent(int32_t process) {
    const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    if (descriptor < 0 && errno == ESRCH) {
      inbox_.Add({{.kind = Event::Kind::kEnd, .text = ""}});
    } else if (descriptor < 0) {
      log::Write(log::Level::kWarn, "lsp cannot watch the process of the client");
    } else {
      parent_ = descriptor;
      Wake();
    }
  }

  void Wake() {
    const uint64_t one = 1;
    WriteAll(wake_, {reinterpret_cast<const char*>(&one), sizeof one});
  }

  void ReadInput() {
    bool has_input = true;
    while (!has_ended_) {
      pollfd polled[] = {{.fd = wake_, .events = POLLIN, .revents = 0},
                         {.fd = disk_.descriptor(), .events = POLLIN, .revents = 0},
                         {.fd = parent_, .events = POLLIN, .revents = 0},
                         {.fd = has_input ? input_ : -1, .events = POLLIN, .revents = 0}};
      if (poll(polled, std::size(polled), -1) < 0 && errno != EINTR) {
        has_input = false;
        AddEnd();
        continue;
      }
      if (polled[0].revents != 0) {
        uint64_t count = 0;
        (void)!read(wake_, &count, sizeof count);
      }
      if (polled[1].revents != 0) {
        AddChanges();
      }
      if (polled[2].revents != 0) {
        close(parent_.exchange(-1));
        AddEnd();
      }
      if (polled[3].revents != 0) {
        has_input = ReadPiece();
      }
    }
  }

  void AddEnd() { inbox_.Add({{.kind = Event::Kind::kEnd, .text = ""}}); }

  void AddChanges() {
    std::vector<Event> events;
    for (std::string& path : disk_.Read()) {
      events.push_back({.kind = Event::Kind::kOnDisk, .text = std::move(path)});
    }
    if (!events.empty()) {
      inbox_.Add(std::move(events));
    }
  }

  /// Returns whether the input goes on.
  bool ReadPiece() {
    constexpr size_t kPiece = size_t{256} << 10;
    piece_.resize(kPiece);
    const ssize_t size = read(input_, piece_.data(), piece_.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) {
      return true;
    }
    if (size <= 0) {
      AddEnd();
      return false;
    }
    frames_.Add(std::string_view(piece_).substr(0, static_cast<size_t>(size)));
    std::vector<Event> events;
    while (auto item = frames_.Next()) {
      const bool is_body = item->problem.empty();
      events.push_back({.kind = is_body ? Event::Kind::kBody : Event::Kind::kNoFrame,
                        .text = std::move(is_body ? item->body : item->problem)});
    }
    if (!events.empty()) {
      inbox_.Add(std::move(events));
    }
    return true;
  }

  const int input_;
  const int wake_;
  std::atomic<int> parent_ = -1;
  Outlet outlet_;
  const ServerOptions options_;
  DiskWatcher disk_{MattersToWorkspaces};
  Inbox inbox_;
  FrameReader frames_;
  std::string piece_;
  int exit_code_ = 1;
  std::atomic<bool> has_ended_ = false;
};

}  // namespace

int Serve(int input, int output, const ServerOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a client may be gone before its answer
  return Server(input, output, options).Run();
}

}  // namespace kinu::lsp
