#include "session/state_handle.h"

#include <utility>

namespace kinu::session {

Result<StateHandle> StateHandle::Open(const ConfiguredBackend& backend, std::string_view workspace,
                                      std::shared_ptr<Program> program, backend::Opening opening) {
  KINU_TRY(auto store, backend.backend->Open(workspace, std::move(program), opening));
  return StateHandle(std::move(store));
}

StateHandle::~StateHandle() {
  if (store_ != nullptr && locked_) {
    (void)store_->Unlock();
  }
}

bool StateHandle::Lock(const state::LockRequest& request, Diagnostics& diags) {
  if (auto held = store_->Lock(request); !held) {
    diags.Error("Error acquiring the state lock",
                "Error message: " + held.error().message +
                    "\n\nA state is locked so that no two commands change it at once. With "
                    "-lock=false a command goes on without the lock, and may undo what another one "
                    "does.");
    return false;
  }
  locked_ = true;
  return true;
}

bool StateHandle::Unlock(Diagnostics& diags) {
  if (!std::exchange(locked_, false)) {
    return true;
  }
  if (auto released = store_->Unlock(); !released) {
    diags.Error("Error releasing the state lock", released.error().message);
    return false;
  }
  return true;
}

void StateHandle::WarnOfInterruptedRun(Diagnostics& diags) const {
  if (const std::string_view note = store_->recovery_note(); !note.empty()) {
    diags.Warning("An earlier run was interrupted", std::string(note));
  }
}

}  // namespace kinu::session
