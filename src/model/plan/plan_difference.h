// What a plan has that the plan before had not, and the other way round.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace kinu::plan {

/// Whether a plan speaks of a change: it does something, or the object moves or is imported.
bool IsSpokenOf(const ResourceChange& change);

/// The changes that differ, in the order of their plans. They point into the plans.
struct PlanDifference {
  struct Pair {
    const ResourceChange* before;
    const ResourceChange* after;
  };
  struct OutputPair {
    const OutputChange* before;  ///< null: the plan before had no change of it
    const OutputChange* after;   ///< null: this plan has none
  };
  std::vector<const ResourceChange*> added;
  std::vector<const ResourceChange*> gone;  ///< of the plan before
  std::vector<Pair> changed;                ///< what happens to the object is something else
  std::vector<OutputPair> outputs;          ///< by name

  bool empty() const { return added.empty() && gone.empty() && changed.empty() && outputs.empty(); }
};

/// Compares two plans with the same Program.
PlanDifference Compare(const Plan& before, const Plan& after);

}  // namespace kinu::plan
