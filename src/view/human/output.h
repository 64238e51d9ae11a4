// Outputs for people: `output`, and below the tally of an apply. Single values are printed by
// lang::ConsoleText. Ref: opentofu internal/command/views/output.go.
#pragma once

#include <span>
#include <string>

#include "state/state.h"

namespace kinu::view {

/// `name = value` lines of all outputs, with a newline at the end.
std::string RenderOutputs(std::span<const state::OutputValue> outputs, bool show_sensitive);

}  // namespace kinu::view
