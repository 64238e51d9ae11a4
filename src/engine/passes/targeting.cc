#include <algorithm>

#include "engine/cells.h"
#include "engine/node_kinds.h"
#include "engine/passes/passes.h"

namespace kinu::engine {
namespace {

ConfigResource BlockOf(const PlanGraph& graph, const Node& node) {
  const config::ConfigNode& place = *graph.config.nodes[node.config_node];
  return {place.path, place.module->resources[node.index].name};
}

/// Whether a node is kept for what it depends on: a root output, or a variable with rules. Ref:
/// opentofu internal/tofu/transform_targets.go getTargetedOutputNodes.
bool FollowsObjects(const PlanGraph& graph, const Node& node) {
  if (node.kind == NodeKind::kOutput) {
    return node.config_node == 0;
  }
  return node.kind == NodeKind::kVariable &&
         !graph.PlaceOf(node).module->variables[node.index].validations.empty();
}

/// The outputs and variables to keep: those that depend on objects, if all of these are kept.
/// `complete` is whether all objects of a node are kept; nodes that are not `present` are ignored
/// with all their dependencies.
template <typename F, typename G>
std::vector<NodeId> ValuesToKeep(const PlanGraph& graph, F&& complete, G&& present) {
  std::vector<bool> whole(graph.size(), true);  // nothing behind it is left out
  std::vector<bool> any(graph.size(), false);   // some object is behind it
  std::vector<NodeId> out;
  for (NodeId id : graph.Order()) {
    for (NodeId dependency : graph.dependencies(id)) {
      if (!present(dependency)) {
        continue;
      }
      bool object = WorksOnObjects(graph.node(dependency).kind);
      whole[id] = whole[id] && whole[dependency] && (!object || complete(dependency));
      any[id] = any[id] || any[dependency] || object;
    }
    const Node& node = graph.node(id);
    if (FollowsObjects(graph, node) && whole[id] && any[id]) {
      out.push_back(id);
    }
  }
  return out;
}

/// Whether any object of an orphaned or deposed node is `wanted` (or is not).
bool HasObject(const PlanGraph& graph, const Node& node, bool wanted) {
  const state::Resource& resource = *graph.stored[node.index].resource;
  return std::any_of(
      resource.instances.begin(), resource.instances.end(), [&](const state::Instance& instance) {
        const bool exists = node.kind == NodeKind::kOrphan ? instance.current != nullptr
                                                           : !instance.deposed.empty();
        return exists && graph.context.targets.Wants({resource.address, instance.key}) == wanted;
      });
}

bool IsStored(const Node& node) {
  return node.kind == NodeKind::kOrphan || node.kind == NodeKind::kDeposed;
}

/// Nothing depends on deposed objects: their block only comes after them, for a stable output.
bool IsDependency(const PlanGraph& graph, NodeId id) {
  return graph.node(id).kind != NodeKind::kDeposed;
}

/// The nodes with names of -exclude that something waits for: none, one, or several.
class NamedNodes {
 public:
  void Add(NodeId id) {
    several_ = several_ || (one_ != kNoNode && one_ != id);
    one_ = id;
  }
  void Add(const NamedNodes& other) {
    if (other.one_ != kNoNode) {
      Add(other.one_);
      several_ = several_ || other.several_;
    }
  }
  bool HasOtherThan(NodeId id) const { return several_ || (one_ != kNoNode && one_ != id); }

 private:
  NodeId one_ = kNoNode;
  bool several_ = false;
};

/// The node of a cell's block. kNoNode: the node is no cell, or its cell has no block.
NodeId BlockNodeOf(const PlanGraph& graph, const ApplyGraph* apply, const Node& node) {
  if (node.kind != NodeKind::kCell || apply->cells[node.index].block < 0) {
    return kNoNode;
  }
  const Cell& cell = apply->cells[node.index];
  return graph.bases[cell.node->index].resources + static_cast<NodeId>(cell.block);
}

/// The nodes that -exclude leaves out: those that it names, and all that wait for a block that it
/// names in whole or in part. Cells do not count as dependents of their own block, whatever is
/// between. Ref: opentofu internal/tofu/transform_targets.go removeExcludedNodes.
std::vector<bool> FindExcluded(const PlanGraph& graph, const ApplyGraph* apply) {
  std::vector<bool> excluded(graph.size(), false);
  std::vector<NamedNodes> behind(graph.size());  // with the node itself
  for (NodeId id : graph.Order()) {
    const Node& node = graph.node(id);
    for (NodeId dependency : graph.dependencies(id)) {
      if (IsDependency(graph, dependency)) {
        behind[id].Add(behind[dependency]);
      }
    }
    excluded[id] =
        WorksOnObjects(node.kind) && behind[id].HasOtherThan(BlockNodeOf(graph, apply, node));
    if (node.kind == NodeKind::kResource) {
      const ConfigResource block = BlockOf(graph, node);
      excluded[id] = excluded[id] || graph.context.targets.Contains(block);
      if (graph.context.targets.Touches(block)) {
        behind[id].Add(id);
      }
    } else if (IsStored(node) && HasObject(graph, node, false)) {
      behind[id].Add(id);
    }
  }
  return excluded;
}

}  // namespace

void ApplyTargeting(PlanGraph& graph) {
  const Targets& targets = graph.context.targets;
  if (!targets.active()) {
    return;
  }
  graph.kept.assign(graph.size(), false);
  std::vector<bool> excluded;
  if (targets.excluding()) {
    excluded = FindExcluded(graph, nullptr);
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (!WorksOnObjects(node.kind)) {
      continue;
    }
    bool wanted = excluded.empty() || !excluded[id];
    if (node.kind != NodeKind::kResource) {
      wanted = wanted && HasObject(graph, node, true);
    } else {
      // Rows are selected only in blocks that an address names.
      wanted = targets.excluding() ? wanted : targets.Touches(BlockOf(graph, node));
      graph.blocks[node.config_node][node.index].pick_rows = wanted;
    }
    if (wanted) {
      graph.MarkReached(id, graph.kept);
    }
  }
  for (NodeId id : ValuesToKeep(
           graph, [&](NodeId resource) { return bool{graph.kept[resource]}; },
           [&](NodeId id) { return IsDependency(graph, id); })) {
    graph.MarkReached(id, graph.kept);
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (IsStored(graph.node(id))) {
      const auto dependents = graph.dependents(id);
      graph.stored[graph.node(id).index].whole = std::any_of(
          dependents.begin(), dependents.end(),
          [&](NodeId dependent) { return graph.kept[dependent] && !graph.IsSoft(dependent, id); });
    }
  }
}

namespace {

/// Targeting on the graph of an apply, where rows of cells are kept one by one.
class CellTargeting {
 public:
  CellTargeting(PlanGraph& graph, ApplyGraph& apply)
      : graph_(graph), apply_(apply), plan_(apply.plan) {}

  void Run() {
    const Targets& targets = graph_.context.targets;
    graph_.kept.assign(graph_.size(), false);
    for (uint32_t i = 0; i < apply_.cells.size(); ++i) {
      for (uint32_t row = 0; row < apply_.cells[i].rows.size(); ++row) {
        apply_.cells[i].rows[row].kept = false;
        uint32_t change = apply_.cells[i].rows[row].change;
        parts_[Part(change, apply_.cells[i].phase)] = {i, row};
        if (apply_.cells[i].phase == Phase::kApply || apply_.cells[i].phase == Phase::kCheck) {
          live_[plan_.changes[change].address] = {i, row};
        }
      }
    }
    std::vector<bool> excluded;
    if (targets.excluding()) {
      excluded = FindExcluded(graph_, &apply_);
    }
    const std::vector<bool> needed = NeededNodes(graph_, true);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_.node(id);
      if (node.kind == NodeKind::kResource) {
        if (!needed[id]) {
          continue;
        }
        if (targets.excluding() ? !excluded[id] : targets.Touches(BlockOf(graph_, node))) {
          KeepNode(id);
        }
      } else if (node.kind == NodeKind::kCell && (excluded.empty() || !excluded[id])) {
        const Cell& cell = apply_.cells[node.index];
        for (uint32_t row = 0; row < cell.rows.size(); ++row) {
          if (targets.Wants(plan_.changes[cell.rows[row].change].address)) {
            KeepRow(node.index, row);
          }
        }
      }
    }
    Spread();
    for (NodeId id : ValuesToKeep(
             graph_, [&](NodeId resource) { return Complete(resource); },
             [&](NodeId node) { return bool{needed[node]}; })) {
      KeepNode(id);
    }
    Spread();
  }

 private:
  static uint64_t Part(uint32_t change, Phase phase) {
    return uint64_t{change} << 8 | static_cast<uint64_t>(phase);
  }

  bool Complete(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.kind != NodeKind::kCell) {
      return graph_.kept[id];
    }
    const auto& rows = apply_.cells[node.index].rows;
    return std::all_of(rows.begin(), rows.end(), [](const CellRow& row) { return row.kept; });
  }

  void KeepNode(NodeId id) {
    if (!graph_.kept[id]) {
      graph_.kept[id] = true;
      work_.push_back(id);
    }
  }
  void KeepRow(uint32_t cell_index, uint32_t row_index) {
    CellRow& row = apply_.cells[cell_index].rows[row_index];
    if (row.kept) {
      return;
    }
    row.kept = true;
    KeepNode(apply_.cells[cell_index].id);
    // The other half of the same row is kept too, but not those of other rows.
    auto other = [&](Phase phase) {
      if (auto it = parts_.find(Part(row.change, phase)); it != parts_.end()) {
        KeepRow(it->second.first, it->second.second);
      }
    };
    switch (apply_.cells[cell_index].phase) {
      case Phase::kApply:
        other(Phase::kDestroy);
        other(Phase::kForget);
        break;
      case Phase::kDispose:
        if (auto it = live_.find(plan_.changes[row.change].address); it != live_.end()) {
          KeepRow(it->second.first, it->second.second);
        }
        break;
      default:
        break;
    }
  }
  void KeepCell(uint32_t cell_index) {
    for (uint32_t row = 0; row < apply_.cells[cell_index].rows.size(); ++row) {
      KeepRow(cell_index, row);
    }
  }
  void Spread() {
    while (!work_.empty()) {
      NodeId id = work_.back();
      work_.pop_back();
      for (NodeId dependency : graph_.dependencies(id)) {
        const Node& node = graph_.node(dependency);
        if (node.kind != NodeKind::kCell) {
          KeepNode(dependency);
        } else if (!graph_.IsSoft(id, dependency)) {
          KeepCell(node.index);
        }
      }
    }
  }

  PlanGraph& graph_;
  ApplyGraph& apply_;
  const plan::Plan& plan_;
  FlatMap<uint64_t, std::pair<uint32_t, uint32_t>> parts_;         ///< cell and row
  FlatMap<ResourceInstance, std::pair<uint32_t, uint32_t>> live_;  ///< the same by address
  std::vector<NodeId> work_;
};

}  // namespace

void ApplyTargetingToCells(PlanGraph& graph, ApplyGraph& apply) {
  if (graph.context.targets.active()) {
    CellTargeting(graph, apply).Run();
  }
}

}  // namespace kinu::engine
