// Relevant attributes: which attributes of other resources influenced what a plan changes.
// Ref: opentofu internal/lang/globalref, internal/tofu/context_plan.go
// relevantResourceAttrsForPlan.
#pragma once

#include "engine/walk.h"
#include "plan/plan.h"

namespace kinu::engine {

/// Follows the references of everything that `plan` changes through values, outputs and resources,
/// each once. Works on the configuration alone: the values of expressions do not matter.
std::vector<plan::RelevantAttribute> RelevantAttributes(const Walk& walk, const plan::Plan& plan);

}  // namespace kinu::engine
