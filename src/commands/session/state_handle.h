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
  /// Opens the store of a workspace. Fails with the error of the backend.
  static Result<StateHandle> Open(const ConfiguredBackend& backend, std::string_view workspace,
                                  std::shared_ptr<Program> program,
                                  backend::Opening opening = backend::Opening::kMake);
  explicit StateHandle(std::unique_ptr<state::Store> store) : store_(std::move(store)) {}
  StateHandle(StateHandle&&) = default;
  StateHandle& operator=(StateHandle&&) = default;
  /// Releases the lock and ignores errors.
  ~StateHandle();

  state::Store& store() { return *store_; }
  const state::Store& store() const { return *store_; }
  /// Takes the lock. Returns false after an error.
  bool Lock(const state::LockRequest& request, Diagnostics& diags);
  /// Releases the lock if this object holds it. Returns false after an error.
  bool Unlock(Diagnostics& diags);
  bool locked() const { return locked_; }
  /// Warns of the results of a killed run that Read() found.
  void WarnOfInterruptedRun(Diagnostics& diags) const;

 private:
  std::unique_ptr<state::Store> store_;
  bool locked_ = false;
};

}  // namespace kinu::session
