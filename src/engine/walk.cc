#include "engine/walk.h"

#include "addrs/provider_source.h"
#include "engine/ephemeral.h"
#include "engine/node_kinds.h"
#include "lang/template.h"

namespace kinu::engine {

Slots::Slots(const PlanGraph& graph)
    : instances(graph.config.nodes.size()),
      providers(graph.providers.size()),
      blocks(graph.blocks.size()),
      stored(graph.stored.size()) {
  for (size_t node = 0; graph.context.kind == WalkKind::kPlan && node < blocks.size(); ++node) {
    blocks[node].resize(graph.blocks[node].size());
  }
  root = ModuleInstance::Make(ModuleInstId(), graph.config.nodes[0].get(), nullptr, {});
  instances[0].push_back(root.get());
}

void Slots::DropRows() {
  for (const std::vector<ModuleInstance*>& of_node : instances) {
    for (ModuleInstance* instance : of_node) {
      instance->resources.clear();
    }
  }
  blocks.clear();
  stored.clear();
}

provider::Provider* ProviderSlot::Get(const InstanceKey& key) const {
  if (key.none()) {
    return provider.get();
  }
  for (size_t row = 0; row < keyed.size(); ++row) {
    if (expansion.key(row) == key) {
      return keyed[row].get();
    }
  }
  return nullptr;
}

Walk::Walk(const PlanGraph& built, const ApplyGraph* built_apply)
    : context(built.context),
      config(built.config),
      program(built.program),
      graph(built),
      apply(built_apply),
      slots(built),
      scheduler(built, built_apply),
      ticker(built.context.request.events),
      ephemeral(std::make_unique<EphemeralKeeper>(built.context.request.events, ticker)),
      functions(std::make_unique<ProviderFunctions>(*this)),
      validating_(built.providers.size()) {
  call_context_.surroundings = context.request.options.surroundings;
  call_context_.timestamp = context.request.options.plan_timestamp;
  call_context_.pure_only = context.kind == WalkKind::kValidate || context.kind == WalkKind::kPlan;
  call_context_ = lang::WithTemplates(std::move(call_context_), functions::Table::Standard());
}

Walk::~Walk() {
  scheduler.Join();
  ephemeral.reset();
  ProviderPool* pool = context.request.pool;
  if (pool == nullptr) {
    return;
  }
  for (size_t i = 0; i < slots.providers.size(); ++i) {
    ProviderSlot& slot = slots.providers[i];
    if (slot.provider != nullptr) {
      pool->Put(graph.providers[i].address, 0, std::move(slot.provider));
    }
    for (size_t row = 0; row < slot.keyed.size(); ++row) {
      if (slot.keyed[row] != nullptr) {
        pool->Put(graph.providers[i].address, row, std::move(slot.keyed[row]));
      }
    }
  }
}

const state::Resource* Walk::StoredOf(const ModuleInstance& instance, size_t resource) const {
  return context.prior_state == nullptr
             ? nullptr
             : context.prior_state->Find(
                   AbsResource{instance.id, instance.node->module->resources[resource].name});
}

provider::Provider* Walk::ProviderForValidation(uint32_t provider, Diagnostics& diags) {
  std::atomic<provider::Provider*>& known = validating_[provider];
  provider::Provider* found = known.load(std::memory_order_acquire);
  if (found == nullptr) {
    const std::lock_guard lock(validation_mutex_);
    found = StartForValidation(provider, diags);
    known.store(found, std::memory_order_release);
  }
  return found;
}

provider::Provider* Walk::StartForValidation(uint32_t provider, Diagnostics& diags) {
  ProviderSlot& slot = slots.providers[provider];
  if (!slot.keyed.empty() || slot.provider != nullptr) {
    return slot.Any();
  }
  const ProviderConfig& address = graph.providers[provider].address;
  if (context.request.pool != nullptr) {
    slot.provider = context.request.pool->Take(address, 0);
  }
  if (slot.provider == nullptr) {
    auto started = context.request.providers->Start(program.Text(address.provider));
    if (!started) {
      diags.Error("Failed to instantiate provider", started.error().message);
      return nullptr;
    }
    slot.provider = std::move(*started);
    if (context.request.pool != nullptr) {
      context.request.pool->Use(*slot.provider);
    }
  }
  return slot.provider.get();
}

bool Walk::IsBlocking(NodeId id) const {
  const Node& node = graph.node(id);
  if (context.kind == WalkKind::kEval) {
    return false;
  }
  if (node.kind == NodeKind::kProvider) {
    return slots.providers[node.index].provider != nullptr;
  }
  if (node.kind == NodeKind::kResource && graph.InfoOf(node).schema == nullptr) {
    return false;
  }
  // Validation starts providers on first use, so their own answer comes too late.
  if (node.kind == NodeKind::kResource && context.kind == WalkKind::kValidate) {
    const Symbol provider = graph.providers[graph.InfoOf(node).provider].address.provider;
    return program.Text(provider) != kBuiltInProvider;
  }
  if (node.kind == NodeKind::kCell && apply->cells[node.index].flags.runs_commands) {
    return true;
  }
  const std::optional<uint32_t> provider = ProviderOfNode(graph, apply, node);
  ResourceMode mode = ResourceMode::kManaged;
  if (node.kind == NodeKind::kResource) {
    mode = config.nodes[node.config_node]->module->resources[node.index].name.mode;
  } else if (node.kind == NodeKind::kCell) {
    mode = apply->cells[node.index].resource.resource.mode;
  }
  return provider && slots.providers[*provider].Blocks(mode);
}

}  // namespace kinu::engine
