// Values in the configuration language's own notation: `output`, the console, outputs after apply.
// Ref: opentofu internal/repl/format.go, internal/command/views/output.go.
#pragma once

#include <span>
#include <string>

#include "cty/value.h"
#include "state/state.h"

namespace kinu::view {

/// A value as the console prints it, without a newline at the end.
std::string FormatValue(const Value& value, int indent = 0);

/// `name = value` lines of all outputs, with a newline at the end.
std::string RenderOutputs(std::span<const state::OutputValue> outputs, bool show_sensitive);

}  // namespace kinu::view
