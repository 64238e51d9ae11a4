#include "engine/plan_graph.h"

#include "engine/module_references.h"
#include "refactoring/refactoring.h"

namespace kinu::engine {

WalkContext::WalkContext(WalkKind walk_kind, const Request& asked)
    : request(asked),
      kind(walk_kind),
      config(asked.config),
      mode(asked.options.mode),
      refresh(asked.options.refresh),
      refresh_changed(walk_kind == WalkKind::kPlan && asked.options.refresh_changed &&
                      asked.options.mode == plan::Mode::kNormal),
      prior_state(asked.prior_state),
      targets(*asked.config->program, asked.options.targets, asked.options.excludes),
      validated(asked.validated) {
}

ResourceInstance WalkContext::PreviousAddress(const ResourceInstance& address) const {
  return refactoring != nullptr ? refactoring->PreviousAddress(address) : address;
}

PlanGraph::PlanGraph(const WalkContext& walk_context)
    : context(walk_context),
      config(*walk_context.config),
      program(*walk_context.config->program),
      own_references_(walk_context.references == nullptr ? std::make_unique<ReferenceCollection>()
                                                         : nullptr),
      references_(walk_context.references == nullptr ? own_references_.get()
                                                     : walk_context.references) {
  bases.resize(config.nodes.size());
  blocks.resize(config.nodes.size());
  call_dependencies.resize(config.nodes.size());
}

PlanGraph::~PlanGraph() = default;

uint32_t PlanGraph::EnsureProvider(const ProviderConfig& address) {
  auto [it, added] = provider_index_.emplace(address, static_cast<uint32_t>(providers.size()));
  if (added) {
    ProviderInfo info;
    info.address = address;
    info.block = config.FindProviderBlock(address);
    info.node = config.Find(address.module);
    info.declared = config.HasProvider(address, context.kind == WalkKind::kValidate);
    providers.push_back(info);
  }
  return it->second;
}

std::optional<uint32_t> PlanGraph::FunctionProvider(const config::ConfigNode& node,
                                                    const ProviderFunctionName& name) const {
  const config::RequiredProvider* required =
      node.module->FindRequiredProvider(program.Find(name.provider));
  if (required == nullptr) {
    return std::nullopt;
  }
  Symbol alias = name.alias.empty() ? Symbol() : program.Find(name.alias);
  ProviderConfig address = config.ResolveFunctionProvider(node, required->provider, alias);
  auto it = provider_index_.find(address);
  if (it == provider_index_.end()) {
    it = provider_index_.find({ModuleId(), required->provider, Symbol()});
  }
  return it == provider_index_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<uint32_t> PlanGraph::EnsureFunctionProvider(const config::ConfigNode& node,
                                                          const ProviderFunctionName& name) {
  calling_nodes_.insert(node.index);
  const config::RequiredProvider* required =
      node.module->FindRequiredProvider(program.Find(name.provider));
  if (required == nullptr) {
    return std::nullopt;
  }
  if (std::optional<uint32_t> known = FunctionProvider(node, name)) {
    return known;
  }
  uint32_t index = EnsureProvider({ModuleId(), required->provider, Symbol()});
  ProviderInfo& info = providers[index];
  info.only_functions = true;
  if (context.kind != WalkKind::kEval) {  // the console reads it when a function is called
    if (auto schema = context.request.providers->Schema(program.Text(required->provider))) {
      info.schema = *schema;
    }
  }
  info.id = Add({NodeKind::kProvider, 0, index});
  return index;
}

}  // namespace kinu::engine
