// The apply walk: carries out a plan on cells and gives the new state. Whatever happens, the state
// it returns has every result that a provider gave.
#pragma once

#include "engine/request.h"
#include "plan/plan.h"
#include "state/state.h"
#include "state/store.h"

namespace kinu::engine {

/// What an apply did, for the closing line.
struct ApplyCounts {
  int added = 0;
  int changed = 0;
  int removed = 0;
  int imported = 0;
  int forgotten = 0;
};

struct ApplyResult {
  /// False when the changes could not be put in an order: nothing was done, and the stored state
  /// stays as it is.
  bool started = false;
  state::State state;
  ApplyCounts counts;
  std::vector<state::CheckResult> checks;
};

/// What an apply works on: the plan says what it is limited to.
WalkContext ContextOfApply(const Request& request, const plan::Plan& plan);

/// Whether the plan's changes can be ordered at all; cycles are reported. Run after planning, so
/// that they show before anything happens (R6).
void CheckApplyGraph(const Request& request, const plan::Plan& plan, Diagnostics& diags);

/// Applies. `store` receives what becomes of each object at once (it may be null in tests).
ApplyResult Apply(const Request& request, const plan::Plan& plan, state::Store* store,
                  Diagnostics& diags);

}  // namespace kinu::engine
