// The walks that planning consists of.
#pragma once

#include "engine/nodes/nodes.h"
#include "engine/request.h"
#include "plan/plan.h"

namespace kinu::engine {

/// What a plan walk finds out besides the plan.
struct PlanWalkResult {
  /// The order of blocks is an order of the changes: FollowsBlocks().
  bool follows_blocks = false;
};

/// The plan walk: refreshes all objects and plans all blocks. Failed conditions are reported with
/// `condition_severity`.
PlanWalkResult RunPlanWalk(const WalkContext& context, Severity condition_severity,
                           plan::Plan& plan, Diagnostics& diags);

/// The walk that plans to destroy everything: first a normal plan, to refresh objects (unless
/// -refresh=false), then a change for each managed object of the state. Only provider
/// configurations and prevent_destroy are evaluated. Ref: opentofu internal/tofu/context_plan.go
/// destroyPlan.
void RunDestroyWalk(const WalkContext& context, plan::Plan& plan, Diagnostics& diags);

}  // namespace kinu::engine
