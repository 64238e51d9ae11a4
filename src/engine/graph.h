// The graph of a walk: blocks in configuration space. There is never a node or an edge per
// instance: count, for_each and module expansion make rows inside a node (docs/engine.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/digraph.h"
#include "base/flat_map.h"

namespace kinu::engine {

enum class NodeKind : uint8_t {
  kModule,     ///< expansion of a module call; everything inside waits for it
  kModuleEnd,  ///< everything inside the module is done
  kVariable,
  kLocal,
  kOutput,
  kResource,  ///< managed, data or ephemeral block
  kCheck,
  kProvider,  ///< a provider configuration
  kOrphan,    ///< a resource in the state that no block configures
  kDeposed,   ///< the deposed objects of one resource
  kClose,     ///< closes the ephemeral objects of a block after its last user
  kCell,      ///< apply: rows that share phase, module instance and dependencies
  kJoin,      ///< apply: nothing but a meeting point of edges
};
inline constexpr size_t kNodeKinds = static_cast<size_t>(NodeKind::kJoin) + 1;

struct Node {
  NodeKind kind = NodeKind::kModule;
  uint32_t config_node = 0;  ///< index of the ConfigNode that the block belongs to
  uint32_t index = 0;        ///< index in the module's table, or in the walk's table of that kind
};

using NodeId = Digraph::Id;
inline constexpr NodeId kNoNode = 0xFFFFFFFF;

/// Nodes and edges. Filled by the passes, then frozen by Finish().
class Graph : public Digraph {
 public:
  NodeId Add(Node node) {
    nodes_.push_back(node);
    return AddNode();
  }
  const Node& node(NodeId id) const { return nodes_[id]; }

  /// As AddEdge, but a failure of `to` does not skip `from`.
  void AddSoftEdge(NodeId from, NodeId to) {
    AddEdge(from, to);
    soft_.insert(uint64_t{from} << 32 | to);
  }
  bool IsSoft(NodeId from, NodeId to) const {
    return !soft_.empty() && soft_.contains(uint64_t{from} << 32 | to);
  }

 private:
  std::vector<Node> nodes_;
  FlatSet<uint64_t> soft_;
};

}  // namespace kinu::engine
