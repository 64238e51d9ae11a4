// The apply walk: executes a plan on cells and returns the new state, which has every result that a
// provider returned, even after errors.
#pragma once

#include "engine/request.h"
#include "plan/plan.h"
#include "state/state.h"
#include "state/store.h"

namespace kinu::engine {

/// The numbers of the closing line.
struct ApplyCounts {
  int added = 0;
  int changed = 0;
  int removed = 0;
  int imported = 0;
  int forgotten = 0;
};

struct ApplyResult {
  /// False if the changes have no order: nothing was done, and the stored state is unchanged.
  bool started = false;
  state::State state;
  ApplyCounts counts;
  std::vector<state::CheckResult> checks;
};

/// The input of an apply walk, limited to the targets of the plan.
WalkContext ContextOfApply(const Request& request, const plan::Plan& plan);

/// Reports cycles of the plan's changes. Called after planning, so that they are reported before
/// anything changes. `references`: of the request's configuration, as far as they are collected.
void CheckApplyGraph(const Request& request, const plan::Plan& plan,
                     ReferenceCollection& references, Diagnostics& diags);

/// Reports the imports of the plan, whose objects its prior state has already. Apply() begins with
/// it; a caller that finds a reason not to apply calls it, too.
void PostImports(const Request& request, const plan::Plan& plan);

/// Applies the plan. `store` receives the result for each object at once (null in some tests).
ApplyResult Apply(const Request& request, const plan::Plan& plan, state::Store* store,
                  Diagnostics& diags);

}  // namespace kinu::engine
