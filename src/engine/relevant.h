// Relevant attributes: which attributes of other resources influenced what a plan changes.
// Ref: opentofu internal/lang/globalref, internal/tofu/context_plan.go
// relevantResourceAttrsForPlan.
#pragma once

#include "engine/walk.h"
#include "plan/plan.h"

namespace kinu::engine {

/// Follows the references of everything that `plan` changes through values, outputs and resources,
/// each once. Works on the configuration alone: what an expression comes to does not matter.
/// `going`: the objects that a limited destruction takes; null: all.
std::vector<plan::RelevantAttribute> RelevantAttributes(
    const Walk& walk, const plan::Plan& plan, const FlatSet<ResourceInstance>* going = nullptr);

}  // namespace kinu::engine
