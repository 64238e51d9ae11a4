// The graph of a walk: blocks in configuration space as dense ids, edges in contiguous arrays.
//
// "x waits for y" is the edge x → y. There is never a node or an edge per instance: count, for_each
// and module expansion make rows inside a node (docs/engine.md).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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

using NodeId = uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFF;

/// Nodes and edges. Filled by the passes, then frozen by Finish().
class Graph {
 public:
  NodeId Add(Node node);
  /// `from` waits for `to`. Duplicates and self edges are dropped by Finish().
  void AddEdge(NodeId from, NodeId to) {
    if (from != to) {
      edges_.emplace_back(from, to);
    }
  }
  /// As AddEdge, but a failure of `to` does not skip `from`.
  void AddSoftEdge(NodeId from, NodeId to) {
    AddEdge(from, to);
    soft_.insert(uint64_t{from} << 32 | to);
  }
  bool IsSoft(NodeId from, NodeId to) const {
    return !soft_.empty() && soft_.contains(uint64_t{from} << 32 | to);
  }
  /// Builds both directions. More may be added afterwards, and Finish() called again.
  void Finish();

  /// Drops the edges for which `unwanted(from, to)` holds. After Finish(), and finishes again.
  template <typename F>
  void RemoveEdges(F&& unwanted) {
    for (NodeId from = 0; from + 1 < out_begin_.size(); ++from) {
      for (NodeId to : dependencies(from)) {
        if (!unwanted(from, to)) {
          edges_.emplace_back(from, to);
        }
      }
    }
    out_begin_.clear();
    Finish();
  }

  size_t size() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  /// What a node waits for, and what waits for it. After Finish().
  std::span<const NodeId> dependencies(NodeId id) const { return Slice(out_begin_, out_, id); }
  std::span<const NodeId> dependents(NodeId id) const { return Slice(in_begin_, in_, id); }
  size_t edge_count() const { return out_.size(); }

  /// Marks a node and everything that it waits for.
  void MarkReached(NodeId from, std::vector<bool>& marked) const;

  /// Nodes so that each comes after all it waits for, lowest id first among the free ones. Shorter
  /// than size() when there are cycles.
  std::vector<NodeId> Order() const;
  /// The members of each cycle (strongly connected component of two or more), in id order.
  std::vector<std::vector<NodeId>> Cycles() const;

 private:
  static std::span<const NodeId> Slice(const std::vector<uint32_t>& begin,
                                       const std::vector<NodeId>& list, NodeId id) {
    return std::span<const NodeId>(list).subspan(begin[id], begin[id + 1] - begin[id]);
  }

  std::vector<Node> nodes_;
  std::vector<std::pair<NodeId, NodeId>> edges_;
  FlatSet<uint64_t> soft_;
  std::vector<uint32_t> out_begin_, in_begin_;
  std::vector<NodeId> out_, in_;
};

}  // namespace kinu::engine
