// States as text for people (`show`, `state show`). Ref: opentofu
// internal/command/jsonformat/state.go.
#pragma once

#include <string>

#include "base/result.h"
#include "state/state.h"
#include "view/human/style.h"
#include "view/schema_lookup.h"

namespace kinu::view {

struct StateTextOptions {
  bool show_sensitive = false;
  bool outputs = true;  ///< `state show` leaves them out
};

/// The whole state; "The state file is empty…" when there is nothing in it.
Result<std::string> RenderState(const state::State& state, const SchemaLookup& schemas,
                                const Style& style, const StateTextOptions& options = {});

}  // namespace kinu::view
