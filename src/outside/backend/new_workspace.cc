#include "backend/new_workspace.h"

namespace kinu::backend {

Result<void> StartWorkspace(state::Store& store, const std::shared_ptr<Program>& program,
                            std::string_view service) {
  const std::string name(service);
  if (auto held = store.Lock({.operation = "init"}); !held) {
    return Fail(held.error().code, "failed to lock " + name + " state: " + held.error().message);
  }
  state::State empty;
  empty.program = program;
  Result<void> written;
  if (auto present = store.Read(program); !present) {
    written = std::unexpected(std::move(present).error());
  } else if (present->lineage.empty()) {
    written = store.Write(empty);
  }
  if (auto released = store.Unlock(); written && !released) {
    written = Fail(released.error().code,
                   "error unlocking " + name + " state: " + released.error().message +
                       "\n\nYou may have to force-unlock this state in order to use it again.");
  }
  return written;
}

}  // namespace kinu::backend
