#include "engine/certainty.h"

#include <algorithm>

#include "addrs/provider_source.h"
#include "engine/module_references.h"
#include "engine/walk.h"
#include "hcl/static.h"

namespace kinu::engine {
namespace {

bool IsProviderFunction(const hcl::CallExpr* call) {
  return call->name.starts_with("provider::");
}

/// Finds the nodes whose values may be others in a plan with providers.
class Sources {
 public:
  explicit Sources(const Walk& walk)
      : walk_(walk), graph_(walk.graph), unsettled_(walk.graph.size()) {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (IsSource(id)) {
        Spread(id);
      }
    }
  }

  bool IsSettled(NodeId id) const { return !unsettled_[id]; }

  /// Whether everything that the node waits for is settled, apart from its own provider.
  bool HasSettledDependencies(NodeId id) const {
    return std::ranges::all_of(graph_.dependencies(id), [&](NodeId dependency) {
      return IsProvider(dependency) || IsSettled(dependency);
    });
  }

  /// Whether an expression of a module is settled. Null is.
  bool IsSettled(const config::ConfigNode& node, const hcl::Expr* expr) const {
    if (expr == nullptr) {
      return true;
    }
    std::vector<const hcl::TraversalExpr*> traversals;
    std::vector<const hcl::CallExpr*> calls;
    hcl::CollectTraversalsAndCalls(*expr, traversals, calls);
    return std::ranges::none_of(calls, IsProviderFunction) &&
           std::ranges::all_of(traversals, [&](const hcl::TraversalExpr* traversal) {
             return IsSettledReference(node, *traversal);
           });
  }

  /// Whether a resource block calls functions of a provider.
  bool CallsProvider(const config::ConfigNode& node, uint32_t index) const {
    return std::ranges::any_of(graph_.references().OfBody(*node.module, index).calls,
                               IsProviderFunction);
  }

  bool IsBuiltIn(const BlockInfo& info) const {
    return graph_.program.Text(graph_.providers[info.provider].address.provider) ==
           kBuiltInProvider;
  }

 private:
  bool IsProvider(NodeId id) const { return graph_.node(id).kind == NodeKind::kProvider; }

  bool IsSource(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::kResource) {
      const config::ConfigNode& place = graph_.PlaceOf(node);
      return graph_.ResourceOf(node).name.mode != ResourceMode::kManaged ||
             !IsBuiltIn(graph_.InfoOf(node)) || CallsProvider(place, node.index);
    }
    // Of values and modules, only calls of its functions wait for a provider.
    return node.kind != NodeKind::kProvider &&
           std::ranges::any_of(graph_.dependencies(id),
                               [&](NodeId dependency) { return IsProvider(dependency); });
  }

  void Spread(NodeId source) {
    std::vector<NodeId> work{source};
    while (!work.empty()) {
      const NodeId id = work.back();
      work.pop_back();
      if (unsettled_[id] || IsProvider(id)) {
        continue;
      }
      unsettled_[id] = true;
      const auto dependents = graph_.dependents(id);
      work.insert(work.end(), dependents.begin(), dependents.end());
    }
  }

  bool IsSettledReference(const config::ConfigNode& node,
                          const hcl::TraversalExpr& traversal) const {
    const config::Reference* ref = node.module->references.Find(traversal);
    if (ref == nullptr || ref->index < 0) {
      return ref != nullptr;
    }
    const PlanGraph::Bases& base = graph_.bases[node.index];
    const auto index = static_cast<uint32_t>(ref->index);
    switch (ref->kind) {
      case config::ReferenceKind::kVariable:
        return IsSettled(base.variables + index);
      case config::ReferenceKind::kLocal:
        return IsSettled(base.locals + index);
      case config::ReferenceKind::kResource:
        return IsSettled(base.resources + index);
      case config::ReferenceKind::kModule:
        return node.children[index] != nullptr &&
               IsSettled(graph_.bases[node.children[index]->index].module_end);
      default:
        return true;
    }
  }

  const Walk& walk_;
  const PlanGraph& graph_;
  std::vector<bool> unsettled_;
};

}  // namespace

void CertaintyJudge::Inspect(const Walk& walk) {
  const PlanGraph& graph = walk.graph;
  const Sources sources(walk);
  config_ = &walk.config;  // which may have generated blocks
  blocks_.clear();
  modules_.clear();
  outputs_.clear();
  schemas_.clear();
  for (const ProviderInfo& provider : graph.providers) {
    schemas_[provider.address.provider] = provider.schema;
  }
  const size_t outputs = walk.config.root().module->outputs.size();
  for (uint32_t i = 0; i < outputs; ++i) {
    outputs_.push_back(sources.IsSettled(graph.bases[0].outputs + i));
  }
  for (const auto& node : walk.config.nodes) {
    const PlanGraph::Bases& base = graph.bases[node->index];
    const bool inside = base.module == kNoNode || sources.IsSettled(base.module);
    modules_.push_back(inside);
    std::vector<Settled>& blocks = blocks_.emplace_back();
    for (uint32_t i = 0; i < node->module->resources.size(); ++i) {
      const config::Resource& block = node->module->resources[i];
      Settled settled;
      settled.instances = inside && sources.IsSettled(*node, block.count) &&
                          sources.IsSettled(*node, block.for_each) &&
                          sources.IsSettled(*node, block.enabled) &&
                          sources.IsSettled(*node, block.destroy);
      settled.arguments = settled.instances && !sources.CallsProvider(*node, i) &&
                          sources.HasSettledDependencies(base.resources + i);
      blocks.push_back(settled);
    }
  }
}

CertaintyJudge::Settled CertaintyJudge::SettledFor(const AbsResource& address) const {
  const Program& program = *config_->program;
  const config::ConfigNode* node = config_->Find(program.ModuleOf(address.module));
  if (node == nullptr) {
    return {.instances = true, .arguments = true};  // whatever values are, its call is gone
  }
  const int index = node->module->FindResource(address.resource);
  if (index < 0) {
    return {.instances = true, .arguments = true};  // likewise its block
  }
  return blocks_[node->index][static_cast<size_t>(index)];
}

bool CertaintyJudge::IsDestroyed(const plan::ResourceChange& change) const {
  const AbsResource& address = change.address.resource;
  const config::ConfigNode* node = config_->Find(config_->program->ModuleOf(address.module));
  const int index = node == nullptr ? -1 : node->module->FindResource(address.resource);
  return change.action == plan::Action::kDelete &&
         (index < 0 || node->module->resources[static_cast<size_t>(index)].destroy == nullptr);
}

bool CertaintyJudge::KeepsSchema(const plan::Plan& plan, const plan::ResourceChange& change,
                                 const schema::ProviderSchema& schema) {
  const ResourceInstance& was = change.previous_address;
  const state::Resource* resource = plan.previous_state.Find(was.resource);
  const state::Instance* instance = resource == nullptr ? nullptr : resource->Find(was.key);
  const schema::ResourceSchema* type =
      schema.FindResource(plan.program->Text(change.address.resource.resource.type));
  return instance != nullptr && instance->current != nullptr && type != nullptr &&
         instance->current->schema_version == static_cast<uint64_t>(type->version) &&
         was.resource.resource.type == change.address.resource.resource.type;
}

Certainty CertaintyJudge::Of(const plan::Plan& plan, const plan::ResourceChange& change) const {
  using plan::Action;
  if (config_ == nullptr || change.importing ||
      change.address.resource.resource.mode != ResourceMode::kManaged) {
    return Certainty::kOpen;
  }
  if (plan.mode == plan::Mode::kDestroy) {
    return IsDestroyed(change) ? Certainty::kCertain : Certainty::kOpen;
  }
  if (blocks_.empty()) {
    return Certainty::kOpen;
  }
  const Settled settled = SettledFor(change.address.resource);
  const bool built_in = plan.program->Text(change.provider.provider) == kBuiltInProvider;
  if (built_in && settled.arguments) {
    return Certainty::kCertain;
  }
  const bool decided =
      change.action == Action::kCreate || change.action == Action::kDelete ||
      change.action == Action::kForget || change.reason == plan::Reason::kReplaceTainted ||
      (change.reason == plan::Reason::kReplaceByRequest && change.action != Action::kNoOp);
  if (decided) {
    return settled.instances ? Certainty::kCertain : Certainty::kOpen;
  }
  const auto schema = schemas_.find(change.provider.provider);
  const bool must_change = change.action == Action::kUpdate &&
                           change.private_data == plan::kMustChange && schema != schemas_.end() &&
                           schema->second != nullptr && settled.arguments &&
                           KeepsSchema(plan, change, *schema->second);
  return must_change ? Certainty::kAtLeast : Certainty::kOpen;
}

Certainty CertaintyJudge::Of(const plan::Plan& plan, const plan::OutputChange& change) const {
  if (config_ == nullptr) {
    return Certainty::kOpen;
  }
  const int index = config_->root().module->FindOutput(config_->program->Find(change.name));
  if (plan.mode == plan::Mode::kDestroy || index < 0) {
    // Whatever values are: nothing is left of it.
    return change.action == plan::Action::kDelete ? Certainty::kCertain : Certainty::kOpen;
  }
  const auto at = static_cast<size_t>(index);
  return at < outputs_.size() && outputs_[at] ? Certainty::kCertain : Certainty::kOpen;
}

}  // namespace kinu::engine
