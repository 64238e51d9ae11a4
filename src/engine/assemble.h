// From the slots of a finished walk to the plan: changes in address order, drift, outputs and the
// two states. Nothing here depends on the order in which nodes ran.
#pragma once

#include "engine/checks.h"
#include "engine/walk.h"

namespace kinu::engine {

/// Moves what the walk has found into the plan.
void AssemblePlan(Walk& walk, const CheckRecord& checks, plan::Plan& plan);

/// Warns of stored objects that the walk did not read and that their schemas do not fit. Only where
/// some object has drifted or moved, because nothing looks at the others else.
/// Ref: opentofu internal/tofu/context_plan.go driftedResources.
void WarnOfUnreadable(const Walk& walk, const plan::Plan& plan, Diagnostics& diags);

/// The attributes of other resources that influence the changes of the plan.
std::vector<plan::RelevantAttribute> RelevantAttributes(const Walk& walk, const plan::Plan& plan);

/// The changes of all rows and deposed objects, in address order, which the walk then no longer
/// has.
plan::BoxList<plan::ResourceChange> TakeChanges(Walk& walk);

/// The change of a root output between a state and a new value. Ref: node_output.go setValue.
plan::OutputChange ChangeOfOutput(const Program& program, const config::Output& output,
                                  const state::State* before, const Value& after);

/// Sets the identity of a stored object; a null one removes it.
void StoreIdentity(const schema::ResourceSchema& schema, const Value& identity,
                   state::Object& object);

}  // namespace kinu::engine
