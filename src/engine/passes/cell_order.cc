// Passes over connected cells: optional edges, and the check for cycles.
#include <algorithm>

#include "engine/build_graph.h"
#include "engine/cells.h"
#include "engine/node_kinds.h"
#include "engine/passes/passes.h"

namespace kinu::engine {
namespace {

using Edges = std::vector<std::pair<NodeId, NodeId>>;

/// Which of the edges can be added to the acyclic graph, one after the other, without closing a
/// cycle.
std::vector<bool> HarmlessEdges(const Graph& graph, const Edges& edges) {
  // Each contested edge needs a search, so their number is limited. A dropped edge only leaves an
  // order open.
  constexpr size_t kMostSearches = 1'000;
  std::vector<bool> harmless(edges.size(), true);
  Graph all = graph;
  for (const auto& [from, to] : edges) {
    all.AddEdge(from, to);
  }
  all.Finish();
  std::vector<size_t> component(graph.size(), 0);
  size_t count = 0;
  for (const auto& cycle : all.Cycles()) {
    ++count;
    for (NodeId id : cycle) {
      component[id] = count;
    }
  }
  if (count == 0) {
    return harmless;
  }
  // A cycle lies within one component, and so does every search for one.
  FlatMap<NodeId, std::vector<NodeId>> added;
  std::vector<size_t> contested;
  for (size_t i = 0; i < edges.size(); ++i) {
    const auto& [from, to] = edges[i];
    if (component[from] != 0 && component[from] == component[to]) {
      contested.push_back(i);
    }
  }
  size_t searches = 0;
  for (size_t i : contested) {
    const auto& [from, to] = edges[i];
    if (++searches > kMostSearches) {
      harmless[i] = false;
      continue;
    }
    FlatSet<NodeId> seen{to};
    std::vector<NodeId> work{to};
    auto visit = [&](NodeId next) {
      if (component[next] == component[to] && seen.insert(next).second) {
        work.push_back(next);
      }
    };
    while (!work.empty() && !seen.contains(from)) {
      NodeId id = work.back();
      work.pop_back();
      for (NodeId next : graph.dependencies(id)) {
        visit(next);
      }
      if (auto it = added.find(id); it != added.end()) {
        for (NodeId next : it->second) {
          visit(next);
        }
      }
    }
    harmless[i] = !seen.contains(from);
    if (harmless[i]) {
      added[from].push_back(to);
    }
  }
  return harmless;
}

/// Whether objects depend on their own resource, which can result from a move.
bool ListsItself(const Program& program, const Cell& cell) {
  if (cell.dependencies == nullptr ||
      (cell.phase != Phase::kDestroy && cell.phase != Phase::kDispose)) {
    return false;
  }
  const ConfigResource own{program.ModuleOf(cell.resource.module), cell.resource.resource};
  return std::find(cell.dependencies->begin(), cell.dependencies->end(), own) !=
         cell.dependencies->end();
}

}  // namespace

/// Rule A8: edges between provider configurations are dropped if they would close a cycle in the
/// order without create_before_destroy. If that order has a cycle already, all are dropped. Ref:
/// transform_destroy_edge.go tryInterProviderDestroyEdge, which runs before CBDEdgeTransformer.
void AddOptionalEdges(PlanGraph& graph, ApplyGraph& apply) {
  if (apply.optional_edges.empty()) {
    return;
  }
  FlatSet<uint64_t> turned;
  for (const auto& [from, to] : apply.turned_edges) {
    turned.insert(uint64_t{from} << 32 | to);
  }
  Graph plain;
  for (NodeId id = 0; id < graph.size(); ++id) {
    plain.Add(graph.node(id));
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    for (NodeId to : graph.dependencies(id)) {
      if (turned.contains(uint64_t{id} << 32 | to)) {
        plain.AddEdge(to, id);
      } else {
        plain.AddEdge(id, to);
      }
    }
  }
  plain.Finish();
  if (!plain.Cycles().empty()) {
    return;
  }
  Edges edges;
  for (const OptionalEdge& edge : apply.optional_edges) {
    edges.emplace_back(edge.turned ? edge.to : edge.from, edge.turned ? edge.from : edge.to);
  }
  const std::vector<bool> harmless = HarmlessEdges(plain, edges);
  for (size_t i = 0; i < edges.size(); ++i) {
    if (harmless[i]) {
      graph.AddEdge(apply.optional_edges[i].from, apply.optional_edges[i].to);
    }
  }
  graph.Finish();
}

bool FollowsBlocks(const PlanGraph& graph, const plan::Plan& plan) {
  for (const auto& node : graph.config.nodes) {
    const std::vector<BlockInfo>& blocks = graph.blocks[node->index];
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].self_references || node->module->resources[i].check >= 0) {
        return false;
      }
    }
  }
  return std::all_of(plan.changes.begin(), plan.changes.end(),
                     [](const plan::ResourceChange& change) {
                       using plan::Action;
                       return change.deposed.empty() &&
                              (change.action == Action::kNoOp || change.action == Action::kCreate ||
                               change.action == Action::kUpdate || change.action == Action::kRead);
                     });
}

bool CopyBlockDependencies(PlanGraph& graph, Diagnostics& diags) {
  WalkContext context = graph.context;
  context.kind = WalkKind::kPlan;
  context.references = &graph.references();
  PlanGraph planned(context);
  planned.stores_new_objects = true;
  if (!BuildGraph(planned, diags)) {
    return false;
  }
  for (size_t node = 0; node < graph.blocks.size(); ++node) {
    for (size_t i = 0; i < graph.blocks[node].size(); ++i) {
      graph.blocks[node][i].dependencies = planned.blocks[node][i].dependencies;
      graph.blocks[node][i].create_before_destroy = planned.blocks[node][i].create_before_destroy;
    }
  }
  return true;
}

namespace {

/// Reports cells whose rows wait for each other or for themselves.
void CheckWithinCells(const PlanGraph& graph, const ApplyGraph& apply, Diagnostics& diags) {
  for (const Cell& cell : apply.cells) {
    const auto kept = std::count_if(cell.rows.begin(), cell.rows.end(),
                                    [](const CellRow& row) { return row.kept; });
    const bool lists_itself = ListsItself(graph.program, cell);
    if ((cell.flags.names_itself || lists_itself) && kept > 1 && graph.Kept(cell.id)) {
      diags.Error("Cycle: " + CellName(graph, apply, cell), "");
    }
    for (const CellRow& row : cell.rows) {
      if (lists_itself && row.kept && graph.Kept(cell.id)) {
        diags.Error("Self reference: " + CellRowName(graph, apply, cell, row), "");
      }
    }
  }
}

}  // namespace

bool CheckCellOrder(const PlanGraph& graph, const ApplyGraph& apply, Diagnostics& diags) {
  CheckWithinCells(graph, apply, diags);
  for (const auto& cycle : graph.Cycles()) {
    std::string members;
    for (NodeId id : cycle) {
      const Node& node = graph.node(id);
      if (!graph.Kept(id) || node.kind == NodeKind::kJoin) {
        continue;
      }
      const std::string name = node.kind == NodeKind::kCell
                                   ? CellName(graph, apply, apply.cells[node.index])
                                   : NodeName(graph, id);
      members += (members.empty() ? "" : ", ") + name;
    }
    if (!members.empty()) {
      diags.Error("Cycle: " + members, "");
    }
  }
  return !diags.has_errors();
}

}  // namespace kinu::engine
