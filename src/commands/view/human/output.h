// Outputs in human form, for `output` and after apply. Single values are printed by
// lang::ConsoleText. Ref: opentofu internal/command/views/output.go.
#pragma once

#include <span>
#include <string>

#include "state/state.h"

namespace kinu::view {

/// Renders all outputs as lines `name = value`, with a final newline.
std::string RenderOutputs(std::span<const state::OutputValue> outputs, bool show_sensitive);

}  // namespace kinu::view
