// The engine's front door: validate a configuration, plan, apply a plan.
#pragma once

#include "engine/request.h"
#include "plan/plan.h"

namespace kinu::engine {

/// Whether all provisioners exist, which is checked with the schemas before anything else.
bool CheckProvisioners(const config::Config& config, Diagnostics& diags);

/// Checks a configuration without looking at variables' values or the state.
void Validate(const Request& request, Diagnostics& diags);

/// Plans, and finds what an apply could not order. With errors the plan is partial (`errored`), for
/// showing what could be planned.
plan::Plan MakePlan(const Request& request, Diagnostics& diags);

/// Brings one existing object into the state, as the import command does: nothing else is read
/// again or planned. The state as it was when `diags` has errors.
state::State ImportToState(const Request& request, const ImportTarget& target, Diagnostics& diags);

}  // namespace kinu::engine
