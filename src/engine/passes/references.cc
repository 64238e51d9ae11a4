#include <algorithm>

#include "engine/imports.h"
#include "engine/module_references.h"
#include "engine/passes/passes.h"

namespace kinu::engine {
namespace {

/// Adds the edges of one place in the module tree.
class Connector {
 public:
  Connector(PlanGraph& graph, ApplyGraph* apply, const config::ConfigNode& node)
      : graph_(graph), apply_(apply), node_(node), base_(graph.bases[node.index]) {}

  void Connect(NodeId from, const BlockBindings& bindings) {
    for (NodeId provider : Providers(bindings)) {
      graph_.AddEdge(from, provider);
    }
    for (const config::Reference* ref : bindings.list) {
      NodeId to = Target(*ref);
      if (to != kNoNode) {
        Wait(from, to, KeyOf(*ref));
      }
    }
  }

  /// Adds an edge. While applying, dependents of a resource block wait for its cells, which do not
  /// exist yet: these edges are stored for ConnectCells().
  void Wait(NodeId from, NodeId to, std::optional<InstanceKey> key = {}) {
    if (from == to) {
      if (graph_.node(from).kind == NodeKind::kLocal) {
        graph_.self_referencing_locals.insert(from);
      }
      return;  // rows wait for rows: BlockInfo::self_references
    }
    if (apply_ != nullptr && graph_.node(to).kind == NodeKind::kResource) {
      apply_->resource_edges.push_back({from, to, key});
    } else {
      graph_.AddEdge(from, to);
    }
  }

  /// The references of a resource block, for the edges between cells.
  std::vector<BlockReference> References(const BlockBindings& bindings) const {
    std::vector<BlockReference> out;
    for (NodeId provider : Providers(bindings)) {
      out.push_back({provider, false, {}});
    }
    for (const config::Reference* ref : bindings.list) {
      NodeId to = Target(*ref);
      if (to != kNoNode) {
        out.push_back({to, ref->kind == config::ReferenceKind::kResource, KeyOf(*ref)});
      }
    }
    return out;
  }

  /// The node that a reference waits for, or kNoNode.
  NodeId Target(const config::Reference& ref) const {
    if (ref.index < 0) {
      return kNoNode;
    }
    auto index = static_cast<uint32_t>(ref.index);
    switch (ref.kind) {
      case config::ReferenceKind::kVariable:
        return base_.variables + index;
      case config::ReferenceKind::kLocal:
        return base_.locals + index;
      case config::ReferenceKind::kResource:
        return base_.resources + index;
      case config::ReferenceKind::kModule: {
        const config::ConfigNode* child = node_.children[index];
        if (child == nullptr) {
          return kNoNode;
        }
        const PlanGraph::Bases& base = graph_.bases[child->index];
        if (ref.output.empty()) {
          return base.module_end;
        }
        const int output = child->module->FindOutput(ref.output);
        return output >= 0 ? base.outputs + static_cast<uint32_t>(output) : kNoNode;
      }
      default:
        return kNoNode;
    }
  }

 private:
  /// The literal key by which a reference names one instance of a resource.
  static std::optional<InstanceKey> KeyOf(const config::Reference& ref) {
    return ref.kind == config::ReferenceKind::kResource && ref.has_key ? std::optional(ref.key)
                                                                       : std::nullopt;
  }

  /// The providers whose functions are called.
  std::vector<NodeId> Providers(const BlockBindings& bindings) const {
    std::vector<NodeId> out;
    for (const ProviderFunctionName& name : bindings.functions) {
      if (std::optional<uint32_t> slot = graph_.EnsureFunctionProvider(node_, name)) {
        out.push_back(graph_.providers[*slot].id);
      }
    }
    return out;
  }

  PlanGraph& graph_;
  ApplyGraph* apply_;
  const config::ConfigNode& node_;
  const PlanGraph::Bases& base_;
};

/// While applying, expansions do not wait for their providers, which may be unused, but for the
/// references of the provider configurations: `gates`, by provider (A9).
void HoldBackExpansions(PlanGraph& graph, const std::vector<NodeId>& gates) {
  if (std::all_of(gates.begin(), gates.end(), [](NodeId gate) { return gate == kNoNode; })) {
    return;
  }
  for (const auto& node : graph.config.nodes) {
    const std::vector<BlockInfo>& blocks = graph.blocks[node->index];
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      const uint32_t provider = blocks[i].provider;
      if (provider < gates.size() && gates[provider] != kNoNode) {
        graph.AddEdge(graph.bases[node->index].resources + i, gates[provider]);
      }
    }
  }
}

/// Adds the edges of all places in the module tree.
class TreeConnector {
 public:
  TreeConnector(PlanGraph& graph, ApplyGraph* apply, Diagnostics* diags)
      : graph_(graph), apply_(apply), diags_(diags) {}

  void Run() {
    if (apply_ != nullptr) {
      apply_->block_references.resize(graph_.config.nodes.size());
    }
    for (const auto& node : graph_.config.nodes) {
      if (node->parent != nullptr) {
        ConnectCall(*node);
      }
      ConnectValues(*node);
      ConnectResources(*node);
      ConnectChecks(*node);
    }
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const NodeKind kind = graph_.node(id).kind;
      if (kind == NodeKind::kOrphan || kind == NodeKind::kDeposed) {
        ConnectStored(id);
      }
    }
    ConnectProviders();
  }

 private:
  const ModuleReferences& ReferencesIn(const config::ConfigNode& node) {
    return graph_.references().Of(graph_, node, diags_);
  }

  /// Everything inside a module waits for its expansion; its end waits for everything inside,
  /// except checks and the data sources in them.
  void Inside(Connector& connect, const PlanGraph::Bases& base, NodeId id, bool closes = true) {
    if (base.module != kNoNode) {
      graph_.AddEdge(id, base.module);
      if (closes) {
        connect.Wait(base.module_end, id);
      }
    }
  }

  /// Objects that only the state has belong to their module too, or to the one that called it if
  /// the call is gone. Ref: transform_module_expansion.go, RemovedModuleTransformer.
  void ConnectStored(NodeId id) {
    const AbsResource& address = graph_.stored[graph_.node(id).index].resource->address;
    ModuleId path = graph_.program.ModuleOf(address.module);
    const config::ConfigNode* place = graph_.config.Find(path);
    while (place == nullptr) {
      path = graph_.program.Parent(path);
      place = graph_.config.Find(path);
    }
    const PlanGraph::Bases& base = graph_.bases[place->index];
    if (base.module != kNoNode) {
      graph_.AddEdge(id, base.module);
      graph_.AddEdge(base.module_end, id);
    }
  }

  /// The call of a module: its expansion, its end and its arguments.
  void ConnectCall(const config::ConfigNode& node) {
    const auto call = static_cast<size_t>(node.call);
    const PlanGraph::Bases& base = graph_.bases[node.index];
    const PlanGraph::Bases& parent = graph_.bases[node.parent->index];
    const ModuleReferences& outer = ReferencesIn(*node.parent);
    Connector connect(graph_, apply_, *node.parent);
    if (parent.module != kNoNode) {
      graph_.AddEdge(base.module, parent.module);
      graph_.AddEdge(parent.module_end, base.module_end);
    }
    graph_.AddEdge(base.module_end, base.module);
    connect.Connect(base.module, outer.calls[call]);
    for (const config::Reference* ref : outer.call_depends_on[call].list) {
      NodeId to = connect.Target(*ref);
      if (to != kNoNode) {
        connect.Wait(base.module, to);
        graph_.call_dependencies[node.index].push_back(to);
      }
    }
    const config::ModuleCall& block = node.parent->module->calls[call];
    for (size_t k = 0; k < block.inputs.size(); ++k) {
      int variable = node.module->FindVariable(graph_.program.Find(block.inputs[k].name));
      if (variable >= 0) {
        connect.Connect(base.variables + static_cast<uint32_t>(variable), outer.inputs[call][k]);
      }
    }
  }

  void ConnectValues(const config::ConfigNode& node) {
    const PlanGraph::Bases& base = graph_.bases[node.index];
    const ModuleReferences& refs = ReferencesIn(node);
    Connector connect(graph_, apply_, node);
    auto all = [&](NodeId first, const std::vector<Bindings>& bindings) {
      for (uint32_t i = 0; i < bindings.size(); ++i) {
        Inside(connect, base, first + i);
        connect.Connect(first + i, bindings[i]);
      }
    };
    all(base.variables, refs.variables);
    all(base.locals, refs.locals);
    all(base.outputs, refs.outputs);
  }

  void ConnectResources(const config::ConfigNode& node) {
    const config::Module& module = *node.module;
    const PlanGraph::Bases& base = graph_.bases[node.index];
    const ModuleReferences& refs = ReferencesIn(node);
    Connector connect(graph_, apply_, node);
    for (uint32_t i = 0; i < module.resources.size(); ++i) {
      BlockInfo& info = graph_.blocks[node.index][i];
      Inside(connect, base, base.resources + i, module.resources[i].check < 0);
      connect.Connect(base.resources + i, refs.resources[i]);
      for (const config::Reference* ref : refs.resources[i].list) {
        if (ref->kind == config::ReferenceKind::kResource && ref->index == static_cast<int>(i)) {
          info.self_references.Ensure().push_back({ref->has_key, ref->key});
        }
      }
      if (info.imports != nullptr) {
        ConnectImports(*info.imports, base.resources + i);
      }
      if (module.resources[i].prevent_destroy != nullptr && !info.stored.empty()) {
        AddProtections(*module.resources[i].prevent_destroy, module, connect);
      }
      if (apply_ != nullptr) {
        apply_->block_references[node.index].push_back(connect.References(refs.resources[i]));
      }
    }
  }

  void AddProtections(const hcl::Expr& prevent_destroy, const config::Module& module,
                      const Connector& connect) {
    const hcl::Expr* const expressions[] = {&prevent_destroy};
    const Bindings bindings = ReferencesOf(graph_, module, expressions, nullptr);
    for (const BlockReference& reference : connect.References(bindings)) {
      graph_.protections.push_back(reference.target);
    }
  }

  /// Import blocks stand in the root module, whatever they target.
  void ConnectImports(ImportBlocks& imports, NodeId block) {
    const config::ConfigNode& root = graph_.config.root();
    Connector connect(graph_, apply_, root);
    for (const config::Import* import : imports.blocks) {
      const Bindings bindings =
          ReferencesOf(graph_, *root.module, meta_arguments::ImportExpressions(*import), diags_);
      connect.Connect(block, bindings);
      for (const BlockReference& reference : connect.References(bindings)) {
        imports.refer_to_target |= reference.target == block;
      }
    }
  }

  void ConnectChecks(const config::ConfigNode& node) {
    const config::Module& module = *node.module;
    const PlanGraph::Bases& base = graph_.bases[node.index];
    const ModuleReferences& refs = ReferencesIn(node);
    Connector connect(graph_, apply_, node);
    for (uint32_t i = 0; i < module.checks.size(); ++i) {
      Inside(connect, base, base.checks + i, false);
      connect.Connect(base.checks + i, refs.checks[i]);
      if (module.checks[i].data_resource >= 0) {
        connect.Wait(base.checks + i,
                     base.resources + static_cast<uint32_t>(module.checks[i].data_resource));
      }
    }
  }

  /// Notes whether a provider's configuration calls functions of that provider.
  void NoteOwnFunctions(size_t provider, const Bindings& bindings) {
    const config::ConfigNode& place = *graph_.providers[provider].node;
    for (const ProviderFunctionName& name : bindings.functions) {
      if (graph_.EnsureFunctionProvider(place, name) == provider) {
        graph_.self_calling_providers.push_back(graph_.providers[provider].id);
        return;
      }
    }
  }

  void ConnectProviders() {
    std::vector<NodeId> gates;
    for (size_t i = 0; i < graph_.providers.size(); ++i) {  // functions may add some
      gates.push_back(kNoNode);
      const ProviderInfo info = graph_.providers[i];
      if (info.node == nullptr) {
        continue;
      }
      const PlanGraph::Bases& base = graph_.bases[info.node->index];
      if (base.module != kNoNode) {
        graph_.AddEdge(info.id, base.module);
      }
      if (info.block == nullptr) {
        continue;
      }
      const Bindings bindings = ReferencesOf(graph_, info, diags_);
      NoteOwnFunctions(i, bindings);
      NodeId from = info.id;
      if (apply_ != nullptr && !bindings.list.empty()) {
        from = gates[i] = graph_.Add({NodeKind::kJoin, 0, 0});
        graph_.AddEdge(info.id, from);
      }
      Connector(graph_, apply_, *info.node).Connect(from, bindings);
    }
    HoldBackExpansions(graph_, gates);
  }

  PlanGraph& graph_;
  ApplyGraph* apply_;
  Diagnostics* diags_;  ///< null: unknown functions of providers are not reported
};

}  // namespace

bool ConnectReferences(PlanGraph& graph, ApplyGraph* apply, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  TreeConnector(graph, apply, apply == nullptr ? &diags : nullptr).Run();
  if (apply == nullptr) {
    graph.Finish();  // an apply has no edges to cells yet
  }
  return diags.error_count() == errors || graph.config.is_incomplete;
}

}  // namespace kinu::engine
