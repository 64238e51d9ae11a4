// The walks that other walks are made of.
#pragma once

#include "engine/nodes/nodes.h"
#include "engine/request.h"
#include "plan/plan.h"

namespace kinu::engine {

/// The plan walk: everything that exists is read, everything that is configured is planned.
/// Conditions that fail have `condition_severity`.
void RunPlanWalk(const WalkContext& context, Severity condition_severity, plan::Plan& plan,
                 Diagnostics& diags);

/// The walk that plans to destroy everything. First a normal plan, for what it learns of real
/// objects (unless -refresh=false), then a change for every managed object in the state.
/// Configuration matters only for providers and prevent_destroy. Ref: opentofu
/// internal/tofu/context_plan.go destroyPlan.
void RunDestroyWalk(const WalkContext& context, plan::Plan& plan, Diagnostics& diags);

}  // namespace kinu::engine
