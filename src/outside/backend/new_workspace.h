// The first state of a workspace in a remote store.
#pragma once

#include <memory>
#include <string_view>

#include "state/store.h"

namespace kinu::backend {

/// Writes an empty state, so that the workspace is listed, unless another process has written one
/// meanwhile. Holds the lock while it does, whether or not the command locks. `service`: the type
/// of the backend, for messages.
Result<void> StartWorkspace(state::Store& store, const std::shared_ptr<Program>& program,
                            std::string_view service);

}  // namespace kinu::backend
