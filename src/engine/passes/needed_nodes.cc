// Which nodes of an apply something needs. Ref: opentofu internal/tofu/transform_destroy_edge.go
// pruneUnusedNodesTransformer.
#include "engine/cells.h"
#include "engine/passes/passes.h"
#include "hcl/static.h"

namespace kinu::engine {
namespace {

/// Collects the nodes that something needs, and what these need.
class NeedSearch {
 public:
  NeedSearch(const PlanGraph& graph, bool strictly)
      : graph_(graph), strictly_(strictly), needed_(graph.size()), read_(graph.size()) {
    if (!strictly) {
      strict_ = NeedSearch(graph, true).Run();
    }
  }

  std::vector<bool> Run() {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (IsRoot(id)) {
        Need(id);
      }
    }
    NeedInspected();
    while (!work_.empty()) {
      const NodeId id = work_.back();
      work_.pop_back();
      const NodeKind kind = graph_.node(id).kind;
      if (IsOnlyRead(id)) {
        NeedForExpansion(id);
        continue;
      }
      for (const NodeId dependency : graph_.dependencies(id)) {
        // Who names rows by their keys needs these, not their block.
        const bool rows = strictly_ && graph_.IsSoft(id, dependency);
        if (rows || !Passes(id, graph_.node(dependency).kind)) {
          continue;
        }
        Need(dependency);
        if (kind != NodeKind::kModuleEnd) {
          Read(dependency);
        }
      }
    }
    return std::move(needed_);
  }

 private:
  /// A destruction of everything evaluates neither root outputs, checks nor rules. The rules of a
  /// variable are checked again whether something uses it or not.
  bool IsRoot(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::kCell || graph_.context.mode == plan::Mode::kDestroy) {
      return node.kind == NodeKind::kCell;
    }
    const config::Module& module = *graph_.config.nodes[node.config_node]->module;
    return IsRootOutput(node) || node.kind == NodeKind::kCheck ||
           (node.kind == NodeKind::kVariable && !module.variables[node.index].validations.empty());
  }

  static bool IsRootOutput(const Node& node) {
    return node.kind == NodeKind::kOutput && node.config_node == 0;
  }

  /// Whether only root outputs read a block: it is expanded to read its objects in the state. Its
  /// arguments are not evaluated, and its provider, with what configures it, is not used.
  bool IsOnlyRead(NodeId id) const {
    return !strictly_ && !strict_[id] && graph_.node(id).kind == NodeKind::kResource;
  }

  /// Whether only root outputs read an ephemeral block, of which no state has objects.
  bool IsUnread(NodeId id) const {
    return IsOnlyRead(id) &&
           graph_.ResourceOf(graph_.node(id)).name.mode == ResourceMode::kEphemeral;
  }

  void NeedForExpansion(NodeId id) {
    const Node& node = graph_.node(id);
    const config::ConfigNode& place = graph_.PlaceOf(node);
    if (const NodeId module = graph_.bases[place.index].module; module != kNoNode) {
      Need(module);
    }
    const config::Resource& resource = graph_.ResourceOf(node);
    for (const hcl::Expr* expr : {resource.count, resource.for_each, resource.enabled}) {
      if (expr != nullptr) {
        NeedReferences(place, *expr);
      }
    }
  }

  /// Whether node `id` needs its dependencies of a kind. The end of a module only waits for what
  /// is in the module; who refers to the whole module reads its outputs.
  bool Passes(NodeId id, NodeKind dependency) const {
    if (graph_.node(id).kind != NodeKind::kModuleEnd) {
      return !(strictly_ && IsRootOutput(graph_.node(id)) && dependency == NodeKind::kResource);
    }
    switch (dependency) {
      case NodeKind::kVariable:
      case NodeKind::kLocal:
      case NodeKind::kResource:
        return false;
      case NodeKind::kOutput:
        return read_[id];
      default:
        return true;
    }
  }

  /// What the request's inspector evaluates in the root module.
  void NeedInspected() {
    if (strictly_ || graph_.context.request.inspector == nullptr) {
      return;
    }
    for (const hcl::Expr* expr : graph_.context.request.inspector->expressions()) {
      NeedReferences(graph_.config.root(), *expr);
    }
  }

  void NeedReferences(const config::ConfigNode& place, const hcl::Expr& expr) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(expr, traversals);
    for (const hcl::TraversalExpr* traversal : traversals) {
      NeedObject(place,
                 config::ResolveReference(graph_.program, *place.module, *traversal, nullptr));
    }
  }

  void NeedObject(const config::ConfigNode& place, const config::Reference& ref) {
    if (ref.index < 0) {
      return;
    }
    const auto index = static_cast<NodeId>(ref.index);
    const PlanGraph::Bases& bases = graph_.bases[place.index];
    switch (ref.kind) {
      case config::ReferenceKind::kVariable:
        return Need(bases.variables + index);
      case config::ReferenceKind::kLocal:
        return Need(bases.locals + index);
      case config::ReferenceKind::kResource:
        return Need(bases.resources + index);
      case config::ReferenceKind::kModule:
        if (const config::ConfigNode* child = place.children[index]; child != nullptr) {
          const NodeId end = graph_.bases[child->index].module_end;
          Need(end);
          Read(end);
        }
        return;
      default:
        return;
    }
  }

  void Need(NodeId id) {
    if (!needed_[id] && !IsUnread(id)) {
      needed_[id] = true;
      work_.push_back(id);
    }
  }

  /// Something refers to node `id`; the end of a module that contains another does not.
  void Read(NodeId id) {
    if (graph_.node(id).kind == NodeKind::kModuleEnd && !read_[id]) {
      read_[id] = true;
      work_.push_back(id);
    }
  }

  const PlanGraph& graph_;
  const bool strictly_;
  std::vector<bool> strict_;  ///< without `strictly_`: the nodes that are needed strictly
  std::vector<bool> needed_;
  std::vector<bool> read_;  ///< ends of modules that something refers to
  std::vector<NodeId> work_;
};

}  // namespace

void DropUnusedValues(PlanGraph& graph) {
  const std::vector<bool> needed = NeededNodes(graph);
  graph.RemoveEdges([&](NodeId from, NodeId to) {
    return graph.node(from).kind == NodeKind::kModuleEnd && !needed[to];
  });
}

std::vector<bool> NeededNodes(const PlanGraph& graph, bool strictly) {
  return NeedSearch(graph, strictly).Run();
}

}  // namespace kinu::engine
