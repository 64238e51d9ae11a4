// replace_triggered_by: whether what a block names is about to change.
// Ref: opentofu internal/tofu/evaluate_triggers.go, eval_context_builtin.go
// EvaluateReplaceTriggeredBy.
#pragma once

#include "engine/rows/rows.h"

namespace kinu::engine {

/// Whether a trigger of the row's block fires: the named resource, instance or attribute is
/// created, updated or replaced by the changes planned so far (the block waits for all that it
/// names).
bool ReplaceTriggered(RowContext& row, Diagnostics& diags);

/// Validation: the resources that a block's triggers name must be declared, with the attributes
/// that they name.
void ValidateTriggers(const Walk& walk, const ModuleInstance& instance,
                      const config::Resource& resource, Diagnostics& diags);

}  // namespace kinu::engine
