// The outputs of a large state, without its resources.
#pragma once

#include <memory>
#include <optional>

#include "state/state.h"

namespace kinu::state {

/// A large state file without its resources, which are passed by in a fraction of the time. Nothing
/// when the file is small or anything is wrong with it: then it is to be read as a whole.
std::optional<State> ReadStateOutputs(std::shared_ptr<Program> program, int fd);

}  // namespace kinu::state
