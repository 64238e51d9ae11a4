// What all nodes of a kind have in common: one row per NodeKind.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/apply_graph.h"
#include "engine/plan_graph.h"

namespace kinu::engine {

/// The node's address as messages show it; empty for cells and joins.
std::string NodeName(const PlanGraph& graph, NodeId id);

/// The addresses of the blocks of resources and of checks.
std::string BlockAddress(const PlanGraph& graph, const Node& node);
std::string CheckAddress(const PlanGraph& graph, const Node& node);

/// How pictures of a graph show a node.
struct NodePicture {
  std::string_view shape;  ///< of the vertices; empty: only their edges are shown
  std::string label;
  /// A vertex for each object that the node works on, or one for the node. Empty: a node without
  /// work, of which only the order is shown.
  std::vector<std::string> vertices;
  std::string reference;  ///< not empty: a second vertex behind the first, which others wait for
};
NodePicture PictureOf(const PlanGraph& graph, const ApplyGraph* apply, NodeId id);

/// The provider that executing the node calls, as an index of PlanGraph::providers.
std::optional<uint32_t> ProviderOfNode(const PlanGraph& graph, const ApplyGraph* apply,
                                       const Node& node);

/// Whether executing a node of the kind works on objects, so that an interrupt stops it and -target
/// selects it.
bool WorksOnObjects(NodeKind kind);

}  // namespace kinu::engine
