// Handles SIGINT and SIGTERM: they stop an operation and end a question that waits for an answer.
// Ref: opentofu cmd/tofu/commands.go (makeShutdownCh), internal/command/ui_input.go.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <signal.h>

namespace kinu::terminal {

/// Set by the first interrupt while an operation runs.
std::atomic<bool>& StopRequested();

/// From now on the first SIGINT or SIGTERM prints what `report` returns, sets StopRequested() and
/// calls `stop`, both on threads of their own; the second one ends the process.
void CatchInterruptsOfOperation(std::function<std::string()> report, std::function<void()> stop);

/// From now on the first SIGINT or SIGTERM sets StopRequested() and calls `first` on a thread of
/// its own; the second one calls `second` there and ends the process with code 1.
void CatchInterrupts(std::function<void()> first, std::function<void()> second);

/// From now on the first SIGINT or SIGTERM sets StopRequested(), and the next one ends the process.
void StopOnInterrupt();

/// While it lives, SIGINT makes a descriptor readable and does not end the process; so does SIGTERM
/// after CatchInterrupts(). The operation is still stopped. Only one may live at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// Becomes readable with the first signal, whose number is one byte. -1 if the process has no
  /// descriptor left.
  int descriptor() const;

 private:
  struct sigaction interrupt_before_{};
  struct sigaction terminate_before_{};
};

}  // namespace kinu::terminal
