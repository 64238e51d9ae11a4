// The engine's front door: validate a configuration, plan, apply a plan.
#pragma once

#include "engine/walk.h"
#include "plan/plan.h"

namespace kinu::engine {

/// Checks a configuration without looking at variables' values or the state.
void Validate(const Input& input, Diagnostics& diags);

/// Plans. With errors the plan is partial (`errored`), for showing what could be planned.
plan::Plan MakePlan(const Input& input, Diagnostics& diags);

}  // namespace kinu::engine
