// replace_triggered_by: whether the objects that a block names change.
// Ref: opentofu internal/tofu/evaluate_triggers.go, eval_context_builtin.go
// EvaluateReplaceTriggeredBy.
#pragma once

#include "engine/rows/rows.h"

namespace kinu::engine {

/// Whether a change that is planned already creates, updates or replaces a resource, instance or
/// attribute that the block of the row names. The block waits for all that it names.
bool ReplaceTriggered(RowContext& row, Diagnostics& diags);

/// Reports triggers of a block that name an undeclared resource or attribute.
void ValidateTriggers(const Walk& walk, const ModuleInstance& instance,
                      const config::Resource& resource, Diagnostics& diags);

}  // namespace kinu::engine
