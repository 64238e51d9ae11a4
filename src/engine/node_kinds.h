// What is the same for all nodes of a kind: one row per NodeKind.
#pragma once

#include <optional>
#include <string>

#include "engine/apply_graph.h"
#include "engine/plan_graph.h"

namespace kinu::engine {

/// The node's address as messages show it; empty for cells and joins.
std::string NodeName(const PlanGraph& graph, NodeId id);

/// The provider that executing the node asks, as an index of PlanGraph::providers.
std::optional<uint32_t> ProviderOfNode(const PlanGraph& graph, const ApplyGraph* apply,
                                       const Node& node);

/// Whether executing a node of the kind works on objects: what an interrupt stops and what -target
/// picks.
bool WorksOnObjects(NodeKind kind);

}  // namespace kinu::engine
