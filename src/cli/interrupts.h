// Interrupts: what SIGINT and SIGTERM do to an operation, and to a question that waits for an
// answer. Ref: opentofu cmd/tofu/commands.go (makeShutdownCh), internal/command/ui_input.go.
#pragma once

#include <atomic>

#include <signal.h>

#include "engine/plan.h"

namespace kinu::cli {

/// Set by the first interrupt while an operation runs.
std::atomic<bool>& StopRequested();

/// From here on SIGINT and SIGTERM ask the operation to stop; the second one ends the process.
void CatchInterrupts(engine::ProviderPool* pool);

/// While it lives, SIGINT makes a descriptor readable and does not end the process; so does SIGTERM
/// where an operation catches it. The operation is still asked to stop. Only one may live at a
/// time.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// Becomes readable with the first signal, whose number is one byte; -1 when the process has no
  /// descriptor left.
  int descriptor() const;

 private:
  struct sigaction interrupt_before_{};
  struct sigaction terminate_before_{};
};

}  // namespace kinu::cli
