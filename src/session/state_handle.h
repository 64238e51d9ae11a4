// StateHandle: the state of one workspace of one backend, with the lock that a command holds on it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/backend_choice.h"
#include "state/store.h"

namespace kinu::session {

class StateHandle {
 public:
  /// The error of the backend, without a summary.
  static Result<StateHandle> Open(const ConfiguredBackend& backend, std::string_view workspace,
                                  std::shared_ptr<Program> program,
                                  backend::Opening opening = backend::Opening::kMake);
  explicit StateHandle(std::unique_ptr<state::Store> store) : store_(std::move(store)) {}
  StateHandle(StateHandle&&) = default;
  StateHandle& operator=(StateHandle&&) = default;
  /// Releases the lock, whether or not that works.
  ~StateHandle();

  state::Store& store() { return *store_; }
  const state::Store& store() const { return *store_; }
  /// Takes the lock. False with an error.
  bool Lock(const state::LockRequest& request, Diagnostics& diags);
  /// Releases the lock, where this holds it. False with an error.
  bool Unlock(Diagnostics& diags);
  bool locked() const { return locked_; }
  /// Warns of what a killed run left, when reading the state has found it.
  void WarnOfInterruptedRun(Diagnostics& diags) const;

 private:
  std::unique_ptr<state::Store> store_;
  bool locked_ = false;
};

}  // namespace kinu::session
