#include <algorithm>

#include "engine/imports.h"
#include "engine/passes/passes.h"
#include "hcl/static.h"
#include "provider/provisioner.h"
#include "schema/decode.h"

namespace kinu::engine {
namespace {

/// What a block refers to: bindings of its traversals, and providers whose functions it calls.
struct Bindings {
  std::vector<uint32_t> list;
  std::vector<ProviderFunctionName> functions;
};

/// The references of each block of a module. Computed once per module directory, however often the
/// module is called: everything here is relative to the module.
struct ModuleReferences {
  std::vector<Bindings> locals;
  std::vector<Bindings> outputs;
  std::vector<Bindings> variables;  ///< of validation rules
  std::vector<Bindings> resources;
  std::vector<Bindings> calls;  ///< of repetition and depends_on
  std::vector<Bindings> call_depends_on;
  std::vector<std::vector<Bindings>> inputs;  ///< per call, per input attribute
  std::vector<Bindings> providers;
  std::vector<Bindings> checks;
};

class Collector {
 public:
  Collector(Walk& walk, config::Module& module, Diagnostics* diags)
      : walk_(walk), module_(module), diags_(diags) {}

  void Expr(const hcl::Expr* expr, Bindings& out) {
    if (expr == nullptr) {
      return;
    }
    traversals_.clear();
    hcl::CollectTraversals(*expr, traversals_);
    calls_.clear();
    hcl::CollectCalls(*expr, calls_);
    Bind(out);
  }
  void Traversals(const std::vector<const hcl::TraversalExpr*>& list, Bindings& out) {
    traversals_ = list;
    calls_.clear();
    Bind(out);
  }
  void Conditions(const std::vector<config::Condition>& conditions, Bindings& out) {
    for (const config::Condition& condition : conditions) {
      Expr(condition.condition, out);
      Expr(condition.error_message, out);
    }
  }
  void Body(const schema::Block& block, const hcl::Body* body,
            std::span<const std::string_view> hidden, Bindings& out) {
    if (body == nullptr) {
      return;
    }
    traversals_.clear();
    calls_.clear();
    schema::CollectBodyTraversals(block, *body, hidden, traversals_, calls_);
    Bind(out);
  }

 private:
  /// Functions of providers; names that the module does not require are reported.
  void BindCalls(Bindings& out) {
    for (const hcl::CallExpr* call : calls_) {
      std::optional<ProviderFunctionName> name = ParseProviderFunction(call->name);
      if (!name) {
        continue;
      }
      if (module_.FindRequiredProvider(walk_.program.Intern(name->provider)) != nullptr) {
        out.functions.push_back(*name);
      } else if (diags_ != nullptr) {
        SourceRange range = call->range();
        range.end = call->name_end;
        diags_->Error("Unknown function provider",
                      "Provider \"" + std::string(name->provider) +
                          "\" does not exist within the required_providers of this module",
                      range);
      }
    }
  }

  void Bind(Bindings& out) {
    for (const hcl::TraversalExpr* traversal : traversals_) {
      out.list.push_back(config::BindReference(walk_.program, module_, *traversal));
    }
    BindCalls(out);
  }

  Walk& walk_;
  config::Module& module_;
  Diagnostics* diags_;
  std::vector<const hcl::TraversalExpr*> traversals_;
  std::vector<const hcl::CallExpr*> calls_;
};

ModuleReferences Collect(Walk& walk, const config::ConfigNode& node, Diagnostics* diags) {
  config::Module& module = *node.module;
  Collector collect(walk, module, diags);
  ModuleReferences refs;
  refs.locals.resize(module.locals.size());
  for (size_t i = 0; i < module.locals.size(); ++i) {
    collect.Expr(module.locals[i].expr, refs.locals[i]);
  }
  refs.outputs.resize(module.outputs.size());
  for (size_t i = 0; i < module.outputs.size(); ++i) {
    const config::Output& output = module.outputs[i];
    collect.Expr(output.expr, refs.outputs[i]);
    collect.Traversals(output.depends_on, refs.outputs[i]);
    collect.Conditions(output.preconditions, refs.outputs[i]);
  }
  refs.variables.resize(module.variables.size());
  for (size_t i = 0; i < module.variables.size(); ++i) {
    collect.Conditions(module.variables[i].validations, refs.variables[i]);
  }
  refs.resources.resize(module.resources.size());
  for (size_t i = 0; i < module.resources.size(); ++i) {
    const config::Resource& resource = module.resources[i];
    Bindings& out = refs.resources[i];
    collect.Expr(resource.count, out);
    collect.Expr(resource.for_each, out);
    collect.Expr(resource.enabled, out);
    collect.Traversals(resource.depends_on, out);
    for (const hcl::Expr* trigger : resource.replace_triggered_by) {
      collect.Expr(trigger, out);
    }
    const BlockInfo& info = walk.blocks[node.index][i];
    if (info.schema != nullptr) {
      collect.Body(info.schema->block, resource.body, config::MetaNames(resource.name.mode), out);
    }
    collect.Expr(resource.prevent_destroy, out);
    collect.Body(provider::ConnectionSchema(), resource.connection, {}, out);
    for (const config::Provisioner& block : resource.provisioners) {
      const provider::Provisioner* provisioner = provider::FindProvisioner(block.type);
      if (block.when == config::Provisioner::When::kCreate && provisioner != nullptr) {
        collect.Body(provider::ConnectionSchema(), block.connection, {}, out);
        collect.Body(provisioner->schema(), block.body, config::kProvisionerMetaNames, out);
      }
    }
    collect.Conditions(resource.preconditions, out);
    collect.Conditions(resource.postconditions, out);
  }
  refs.calls.resize(module.calls.size());
  refs.call_depends_on.resize(module.calls.size());
  refs.inputs.resize(module.calls.size());
  for (size_t i = 0; i < module.calls.size(); ++i) {
    const config::ModuleCall& call = module.calls[i];
    collect.Expr(call.count, refs.calls[i]);
    collect.Expr(call.for_each, refs.calls[i]);
    collect.Expr(call.enabled, refs.calls[i]);
    collect.Traversals(call.depends_on, refs.call_depends_on[i]);
    refs.inputs[i].resize(call.inputs.size());
    for (size_t k = 0; k < call.inputs.size(); ++k) {
      collect.Expr(call.inputs[k].expr, refs.inputs[i][k]);
    }
  }
  refs.providers.resize(module.providers.size());
  for (size_t i = 0; i < module.providers.size(); ++i) {
    const config::ProviderBlock& block = module.providers[i];
    collect.Expr(block.for_each, refs.providers[i]);
    for (const ProviderSlot& slot : walk.providers) {
      if (slot.block == &block && slot.schema != nullptr) {
        collect.Body(slot.schema->provider_config().block, block.body, config::kProviderMetaNames,
                     refs.providers[i]);
        break;
      }
    }
  }
  refs.checks.resize(module.checks.size());
  for (size_t i = 0; i < module.checks.size(); ++i) {
    collect.Conditions(module.checks[i].asserts, refs.checks[i]);
  }
  return refs;
}

/// Draws the edges of one place in the module tree.
class Connector {
 public:
  Connector(Walk& walk, const config::ConfigNode& node)
      : walk_(walk), node_(node), base_(walk.bases[node.index]) {}

  void Connect(NodeId from, const Bindings& bindings) {
    for (NodeId provider : Providers(bindings)) {
      walk_.graph.AddEdge(from, provider);
    }
    for (uint32_t binding : bindings.list) {
      const config::Reference& ref = node_.module->references[binding];
      NodeId to = Target(ref);
      if (to != kNoNode) {
        bool single = ref.kind == config::ReferenceKind::kResource && ref.has_key;
        Wait(walk_, from, to, single, ref.key);
      }
    }
  }

  /// An edge of the block graph. While applying, what waits for a resource block waits for the
  /// cells behind it, which do not exist yet: those edges are kept for ConnectCells.
  static void Wait(Walk& walk, NodeId from, NodeId to, bool has_key = false, InstanceKey key = {}) {
    if (from == to) {
      if (walk.graph.node(from).kind == NodeKind::kLocal) {
        walk.self_referencing_locals.insert(from);
      }
      return;  // rows wait for rows: BlockInfo::self_references
    }
    if (walk.kind == WalkKind::kApply && walk.graph.node(to).kind == NodeKind::kResource) {
      walk.resource_edges.push_back({from, to, has_key, key});
    } else {
      walk.graph.AddEdge(from, to);
    }
  }

  /// The references of a resource block, for the edges between cells.
  std::vector<BlockReference> References(const Bindings& bindings) const {
    std::vector<BlockReference> out;
    for (NodeId provider : Providers(bindings)) {
      out.push_back({provider, false, false, {}});
    }
    for (uint32_t binding : bindings.list) {
      const config::Reference& ref = node_.module->references[binding];
      NodeId to = Target(ref);
      if (to != kNoNode) {
        bool resource = ref.kind == config::ReferenceKind::kResource;
        out.push_back({to, resource, resource && ref.has_key, ref.key});
      }
    }
    return out;
  }

  /// The node that a reference waits for, or kNoNode when it waits for nothing.
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
        const Walk::Bases& base = walk_.bases[child->index];
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
  /// The providers whose functions are called.
  std::vector<NodeId> Providers(const Bindings& bindings) const {
    std::vector<NodeId> out;
    for (const ProviderFunctionName& name : bindings.functions) {
      if (std::optional<uint32_t> slot = walk_.EnsureFunctionProvider(node_, name)) {
        out.push_back(walk_.provider_nodes[*slot]);
      }
    }
    return out;
  }

  Walk& walk_;
  const config::ConfigNode& node_;
  const Walk::Bases& base_;
};

/// While applying, expansions do not wait for their providers, which nobody may need, but for what
/// their configurations name: `gates`, by provider. (A9)
void HoldBackExpansions(Walk& walk, const std::vector<NodeId>& gates) {
  if (std::all_of(gates.begin(), gates.end(), [](NodeId gate) { return gate == kNoNode; })) {
    return;
  }
  for (const auto& node : walk.config.nodes) {
    const std::vector<BlockInfo>& blocks = walk.blocks[node->index];
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      const uint32_t provider = blocks[i].provider;
      if (provider < gates.size() && gates[provider] != kNoNode) {
        walk.graph.AddEdge(walk.bases[node->index].resources + i, gates[provider]);
      }
    }
  }
}

}  // namespace

void ConnectReferences(Walk& walk, Diagnostics* diags) {
  FlatMap<uint64_t, std::unique_ptr<ModuleReferences>> collected;
  auto references = [&](const config::ConfigNode& node) -> const ModuleReferences& {
    auto& slot = collected[reinterpret_cast<uint64_t>(node.module)];
    if (slot == nullptr) {
      slot = std::make_unique<ModuleReferences>(Collect(walk, node, diags));
    }
    return *slot;
  };
  Graph& graph = walk.graph;
  walk.block_references.resize(walk.config.nodes.size());
  for (const auto& owned : walk.config.nodes) {
    const config::ConfigNode& node = *owned;
    const config::Module& module = *node.module;
    const Walk::Bases& base = walk.bases[node.index];
    const ModuleReferences& refs = references(node);
    Connector connect(walk, node);
    // Everything inside a module waits for its expansion; its end waits for everything inside,
    // except checks and the data sources in them.
    auto inside = [&](NodeId id, bool closes = true) {
      if (base.module != kNoNode) {
        graph.AddEdge(id, base.module);
        if (closes) {
          Connector::Wait(walk, base.module_end, id);
        }
      }
    };
    if (node.parent != nullptr) {
      auto call = static_cast<size_t>(node.call);
      const Walk::Bases& parent = walk.bases[node.parent->index];
      const ModuleReferences& outer = references(*node.parent);
      Connector connect_outer(walk, *node.parent);
      if (parent.module != kNoNode) {
        graph.AddEdge(base.module, parent.module);
        graph.AddEdge(parent.module_end, base.module_end);
      }
      graph.AddEdge(base.module_end, base.module);
      connect_outer.Connect(base.module, outer.calls[call]);
      for (uint32_t binding : outer.call_depends_on[call].list) {
        NodeId to = connect_outer.Target(node.parent->module->references[binding]);
        if (to != kNoNode) {
          Connector::Wait(walk, base.module, to);
          walk.call_dependencies[node.index].push_back(to);
        }
      }
      const config::ModuleCall& block = node.parent->module->calls[call];
      for (size_t k = 0; k < block.inputs.size(); ++k) {
        int variable = module.FindVariable(walk.program.Find(block.inputs[k].name));
        if (variable >= 0) {
          connect_outer.Connect(base.variables + static_cast<uint32_t>(variable),
                                outer.inputs[call][k]);
        }
      }
    }
    for (uint32_t i = 0; i < module.variables.size(); ++i) {
      inside(base.variables + i);
      connect.Connect(base.variables + i, refs.variables[i]);
    }
    for (uint32_t i = 0; i < module.locals.size(); ++i) {
      inside(base.locals + i);
      connect.Connect(base.locals + i, refs.locals[i]);
    }
    for (uint32_t i = 0; i < module.outputs.size(); ++i) {
      inside(base.outputs + i);
      connect.Connect(base.outputs + i, refs.outputs[i]);
    }
    for (uint32_t i = 0; i < module.resources.size(); ++i) {
      inside(base.resources + i, module.resources[i].check < 0);
      connect.Connect(base.resources + i, refs.resources[i]);
      for (uint32_t binding : refs.resources[i].list) {
        const config::Reference& ref = module.references[binding];
        if (ref.kind == config::ReferenceKind::kResource && ref.index == static_cast<int>(i)) {
          walk.blocks[node.index][i].self_references.push_back({ref.has_key, ref.key});
        }
      }
      if (const auto& imports = walk.blocks[node.index][i].imports; imports != nullptr) {
        // Import blocks stand in the root module, whatever they target.
        Bindings bindings;
        Collector collect(walk, *walk.config.root().module, diags);
        for (const config::Import* import : imports->blocks) {
          for (const hcl::Expr* expr : ImportExpressions(*import)) {
            collect.Expr(expr, bindings);
          }
        }
        Connector(walk, walk.config.root()).Connect(base.resources + i, bindings);
      }
      if (walk.kind == WalkKind::kApply) {
        walk.block_references[node.index].push_back(connect.References(refs.resources[i]));
      }
    }
    for (uint32_t i = 0; i < module.checks.size(); ++i) {
      inside(base.checks + i, false);
      connect.Connect(base.checks + i, refs.checks[i]);
      if (module.checks[i].data_resource >= 0) {
        Connector::Wait(walk, base.checks + i,
                        base.resources + static_cast<uint32_t>(module.checks[i].data_resource));
      }
    }
  }
  std::vector<NodeId> gates;
  for (size_t i = 0; i < walk.providers.size(); ++i) {  // functions may add some
    gates.push_back(kNoNode);
    const ProviderSlot& slot = walk.providers[i];
    const NodeId id = walk.provider_nodes[i];
    if (slot.node == nullptr) {
      continue;
    }
    const Walk::Bases& base = walk.bases[slot.node->index];
    if (base.module != kNoNode) {
      graph.AddEdge(id, base.module);
    }
    if (slot.block == nullptr) {
      continue;
    }
    size_t index = static_cast<size_t>(slot.block - slot.node->module->providers.data());
    const Bindings& bindings = references(*slot.node).providers[index];
    NodeId from = id;
    if (walk.kind == WalkKind::kApply && !bindings.list.empty()) {
      from = gates[i] = graph.Add({NodeKind::kJoin, 0, 0});
      graph.AddEdge(id, from);
    }
    Connector(walk, *slot.node).Connect(from, bindings);
  }
  HoldBackExpansions(walk, gates);
}

}  // namespace kinu::engine
