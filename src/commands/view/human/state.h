// States in human form (`show`, `state show`). Ref: opentofu internal/command/jsonformat/state.go.
#pragma once

#include <string>

#include "base/result.h"
#include "plan_json/schema_lookup.h"
#include "state/state.h"
#include "terminal/style.h"

namespace kinu::view {

/// Layout of RenderState().
struct StateTextOptions {
  bool show_sensitive = false;
  bool outputs = true;  ///< `state show` omits them
};

/// Renders a whole state. The text of an empty one is "The state file is empty…".
Result<std::string> RenderState(const state::State& state, const SchemaLookup& schemas,
                                const terminal::Style& style, const StateTextOptions& options = {});

}  // namespace kinu::view
