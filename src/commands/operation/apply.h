// Carries out a plan and stores the new state.
#pragma once

#include "operation/operation.h"

namespace kinu::operation {

/// Warns if -target or -exclude limited a plan that was applied.
void WarnOfTargets(const engine::ApplyResult& result, const plan::Plan& plan, Diagnostics& diags);

/// Applies a plan and stores the new state. Values and checks are computed anew even if nothing
/// changes. A state that its store refuses is written to errored.tfstate or, if that fails,
/// printed. Without `may_forget`, forgotten objects are an error.
engine::ApplyResult ApplyAndStore(Operation& operation, const plan::Plan& plan, bool may_forget,
                                  view::Audience& audience, Diagnostics& diags);

}  // namespace kinu::operation
