// Graphs as text in the DOT language, for people and for drawing programs: the same nodes, names
// and edges as the reference's `graph` command. Ref: opentofu internal/tofu/graph_dot.go,
// internal/dag/dot.go, transform_transitive_reduction.go.
#pragma once

#include <string>

#include "engine/request.h"

namespace kinu::engine {

/// What a plan of that mode walks. A verbose graph also shows where providers end.
std::string PlanGraphText(const Request& request, plan::Mode mode, bool verbose,
                          Diagnostics& diags);
/// What applying the plan walks.
std::string ApplyGraphText(const Request& request, const plan::Plan& plan, bool verbose,
                           Diagnostics& diags);

}  // namespace kinu::engine
