// What a configuration may ask for and this version cannot do. Said before anything is changed: to
// leave an `import` block aside would create what it is there to take over.
#pragma once

#include "config/config.h"
#include "plan/plan.h"
#include "state/state.h"

namespace kinu::cli {

/// Refuses `import` blocks whose object is not in the state already.
void RefuseImports(const config::Config& config, const state::State& state, Diagnostics& diags);

}  // namespace kinu::cli
