// The order of the passes that build a graph. docs/engine.md shows the same table; a test compares
// them.
#pragma once

#include <span>
#include <string_view>

#include "engine/apply_graph.h"
#include "engine/plan_graph.h"

namespace kinu::engine {

/// The input of a pass.
struct GraphBuild {
  PlanGraph& graph;
  ApplyGraph* apply;  ///< null unless the walk applies
  Diagnostics& diags;
};

/// One pass.
struct Pass {
  std::string_view name;
  std::string_view gives;
  uint8_t kinds = 0;  ///< bit per WalkKind
  /// False, with diagnostics, if no further pass can run.
  bool (*run)(GraphBuild& build) = nullptr;

  bool RunsIn(WalkKind kind) const { return (kinds & (1U << static_cast<unsigned>(kind))) != 0; }
};

/// All passes in their order.
std::span<const Pass> Passes();

/// Builds the graph of blocks. False, with diagnostics, if the configuration has no valid graph.
bool BuildGraph(PlanGraph& graph, Diagnostics& diags);

/// Builds the graph of an apply. False, with diagnostics, if the changes cannot be ordered.
bool BuildApplyGraph(PlanGraph& graph, ApplyGraph& apply, Diagnostics& diags);

}  // namespace kinu::engine
