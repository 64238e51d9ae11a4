#include "terminal/interrupts.h"

#include <cerrno>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "terminal/streams.h"

namespace kinu::terminal {
namespace {

// Programs compare them. Ref: opentofu internal/command/views/operation.go.
// internal/command/views/operation.go.
constexpr std::string_view kInterrupted =
    "\nInterrupt received.\nPlease wait for OpenTofu to exit or data loss may occur.\n"
    "Gracefully shutting down...\n";
constexpr std::string_view kSecondInterrupt =
    "\nTwo interrupts received. Exiting immediately. Note that data loss may have occurred.\n";

/// The two ends of a pipe into which a signal handler writes.
struct SignalPipe {
  int read_end = -1;
  int write_end = -1;

  bool Open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      return false;
    }
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void Close() {
    if (read_end >= 0) {
      ::close(read_end);
      ::close(write_end);
      read_end = write_end = -1;
    }
  }
  /// Safe in a signal handler.
  void Notify(int number) const {
    const char byte = static_cast<char>(number);
    [[maybe_unused]] ssize_t written = ::write(write_end, &byte, 1);
  }
  /// Blocks until the next notification and returns its number; -1 when the pipe is broken.
  int Await() const {
    char byte = 0;
    ssize_t n = 0;
    do {
      n = ::read(read_end, &byte, 1);
    } while (n < 0 && errno == EINTR);
    return n == 1 ? byte : -1;
  }
};

SignalPipe operation_pipe;
SignalPipe watch_pipe;

/// Written into the operation's pipe instead of a signal's number while a question waits.
constexpr int kWhileAsking = 0;

void StopOperation(int number) {
  const int saved = errno;
  operation_pipe.Notify(number);
  errno = saved;
}

void NotifyWatch(int number) {
  const int saved = errno;
  watch_pipe.Notify(number);
  if (operation_pipe.write_end >= 0) {
    operation_pipe.Notify(kWhileAsking);
  }
  errno = saved;
}

void RequestStop(int) {
  StopRequested().store(true);
}

/// Installs a handler. System calls that a signal interrupts are restarted.
void Catch(int number, void (*handler)(int), struct sigaction* before, int flags = 0) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | flags;
  sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, before);
}

}  // namespace

std::atomic<bool>& StopRequested() {
  static std::atomic<bool> stop{false};
  return stop;
}

namespace {

/// Calls `first` with the number of the first signal and `second` at the next one.
void WatchOperation(std::function<void(int)> first, std::function<void()> second) {
  if (!operation_pipe.Open()) {
    return;
  }
  std::thread([first = std::move(first), second = std::move(second)] {
    const int number = operation_pipe.Await();
    if (number < 0) {
      return;
    }
    first(number);
    if (operation_pipe.Await() >= 0) {
      second();
      std::quick_exit(1);  // removes what providers would leave
    }
  }).detach();
  Catch(SIGINT, StopOperation, nullptr);
  Catch(SIGTERM, StopOperation, nullptr);
}

}  // namespace

void CatchInterruptsOfOperation(std::function<std::string()> report, std::function<void()> stop) {
  WatchOperation(
      [report = std::move(report), stop = std::move(stop)](int number) {
        Print(kInterrupted);
        if (number != kWhileAsking) {
          Print("\nStopping operation...\n");
        }
        Print(report());
        StopRequested().store(true);  // from here on the process may end
        // It may wait for providers, but the second interrupt must be seen.
        std::thread(stop).detach();
      },
      [] { PrintError(kSecondInterrupt); });
}

void CatchInterrupts(std::function<void()> first, std::function<void()> second) {
  WatchOperation(
      [first = std::move(first)](int) {
        StopRequested().store(true);
        first();
      },
      std::move(second));
}

void StopOnInterrupt() {
  (void)StopRequested();  // a handler must not make it
  Catch(SIGINT, RequestStop, nullptr, static_cast<int>(SA_RESETHAND));
  Catch(SIGTERM, RequestStop, nullptr, static_cast<int>(SA_RESETHAND));
}

InterruptWatch::InterruptWatch() {
  if (!watch_pipe.Open()) {
    return;
  }
  Catch(SIGINT, NotifyWatch, &interrupt_before_);
  if (operation_pipe.write_end >= 0) {
    Catch(SIGTERM, NotifyWatch, &terminate_before_);
  }
}

InterruptWatch::~InterruptWatch() {
  if (watch_pipe.read_end < 0) {
    return;
  }
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  if (operation_pipe.write_end >= 0) {
    ::sigaction(SIGTERM, &terminate_before_, nullptr);
  }
  watch_pipe.Close();
}

int InterruptWatch::descriptor() const {
  return watch_pipe.read_end;
}

}  // namespace kinu::terminal
