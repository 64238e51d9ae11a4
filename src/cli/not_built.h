// What a configuration may ask for and this version cannot do. Said before anything is planned or
// changed: to leave a `moved` block aside would destroy what it is there to keep.
#pragma once

#include "config/config.h"
#include "plan/plan.h"
#include "state/state.h"

namespace kinu::cli {

/// Refuses `import`, `moved` and `removed` blocks that would have something to do with this state.
void RefuseUnbuiltBlocks(const config::Config& config, const state::State& state,
                         Diagnostics& diags);

/// Refuses changes of resources whose provisioners would have to run.
void RefuseProvisioners(const config::Config& config, const plan::Plan& plan, Diagnostics& diags);

}  // namespace kinu::cli
