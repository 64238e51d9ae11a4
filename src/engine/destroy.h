// Planning to destroy everything. Ref: opentofu internal/tofu/context_plan.go destroyPlan.
#pragma once

#include <functional>

#include "engine/walk.h"

namespace kinu::engine {

/// The walk that refreshes before the destruction is planned.
using RefreshWalk = std::function<void(const Input& input, Severity condition_severity,
                                       plan::Plan& plan, Diagnostics& diags)>;

/// First a normal plan, for what it learns of real objects (unless -refresh=false), then a change
/// for every managed object in the state. Configuration matters only for providers and
/// prevent_destroy.
void PlanDestroyAll(const Input& input, const RefreshWalk& refresh, plan::Plan& plan,
                    Diagnostics& diags);

}  // namespace kinu::engine
