#include "engine/destroy.h"

#include <algorithm>

#include "engine/assemble.h"
#include "engine/destroy_order.h"
#include "engine/nodes/managed.h"
#include "engine/passes/passes.h"
#include "engine/refactoring.h"
#include "engine/relevant.h"
#include "schema/marks.h"

namespace kinu::engine {
namespace {

/// The rows of a block as the state has them: nothing is expanded, nothing is wanted any more.
void RowsFromState(Walk& walk, const Node& node, ModuleInstance& instance) {
  const config::Resource& resource = instance.node->module->resources[node.index];
  const BlockInfo& info = walk.blocks[node.config_node][node.index];
  ResourceTable& table = *instance.resources[node.index];
  Expansion& expansion = table.expansion;
  expansion.kind = resource.count != nullptr      ? Expansion::Kind::kCount
                   : resource.for_each != nullptr ? Expansion::Kind::kForEach
                                                  : Expansion::Kind::kSingle;
  table.expanded = true;
  for (const state::Resource* stored : info.stored) {
    if (stored->address.module != instance.id) {
      continue;
    }
    for (const state::Instance& entry : stored->instances) {
      if (entry.key.kind() == InstanceKey::Kind::kInt) {
        expansion.count = std::max(expansion.count, entry.key.index() + 1);
      } else if (entry.key.kind() == InstanceKey::Kind::kString) {
        expansion.keys.push_back(entry.key.symbol());
        expansion.values.push_back(Value::DynamicUnknown());
      }
    }
    table.rows.resize(expansion.size());
    for (size_t i = 0; i < table.rows.size(); ++i) {
      table.rows[i].key = expansion.key(i);
      table.rows[i].expansion_row = static_cast<uint32_t>(i);
    }
    for (const state::Instance& entry : stored->instances) {
      if (entry.current == nullptr) {
        continue;
      }
      Row* row = table.Find(entry.key);
      if (row == nullptr) {
        row = &table.rows.emplace_back();
        row->key = entry.key;
        row->orphan = true;
      }
      row->stored = &entry;
    }
  }
}

void PlanDestroyBlock(NodeContext& context, NodeId id) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const config::Resource& resource =
      walk.config.nodes[node.config_node]->module->resources[node.index];
  BlockInfo& info = walk.blocks[node.config_node][node.index];
  if (info.schema == nullptr) {
    return;
  }
  struct Work {
    ModuleInstance* instance;
    ModuleInstId module;
    Row* row;
  };
  std::vector<Work> work;
  FlatSet<uint32_t> present;
  for (ModuleInstance* instance : walk.instances[node.config_node]) {
    present.insert(instance->id.id);
    RowsFromState(walk, node, *instance);
    for (Row& row : instance->resources[node.index]->rows) {
      if (row.stored != nullptr) {
        work.push_back({instance, instance->id, &row});
      }
    }
  }
  for (const state::Resource* stored : info.stored) {
    if (present.contains(stored->address.module.id)) {
      continue;
    }
    StrayRows stray{stored, {}};
    for (const state::Instance& entry : stored->instances) {
      if (entry.current != nullptr) {
        Row& row = stray.rows.emplace_back();
        row.key = entry.key;
        row.stored = &entry;
      }
    }
    info.strays.push_back(std::move(stray));
  }
  for (StrayRows& stray : info.strays) {
    for (Row& row : stray.rows) {
      work.push_back({nullptr, stray.resource->address.module, &row});
    }
  }
  std::vector<Diagnostics> found(work.size());
  walk.ForEachRow(work.size(), walk.providers[info.provider].blocking, [&](size_t i) {
    Row& row = *work[i].row;
    RowContext row_context{context,
                           id,
                           resource,
                           info,
                           work[i].instance,
                           ResourceInstance{{work[i].module, resource.name}, row.key},
                           row};
    if (context.Wants(row_context.address)) {
      PlanOrphanRow(row_context, found[i]);
      if (row.refreshed_value) {
        row.value = *row.refreshed_value;  // visible until it is gone
        return;
      }
    }
    if (auto value = state::DecodeObject(*row.stored->current, info.schema->block.implied_type())) {
      row.value = schema::MarkSensitive(info.schema->block, *value);
    }
  });
  std::vector<SaidOfRow>& said = (*context.said_of_rows)[id];
  for (size_t i = 0; i < work.size(); ++i) {
    work[i].row->failed = found[i].has_errors();
    if (!found[i].empty()) {
      said.push_back({{{work[i].module, resource.name}, work[i].row->key}, std::move(found[i])});
    }
  }
}

bool IsEphemeral(const Walk& walk, const Node& node) {
  return walk.config.nodes[node.config_node]->module->resources[node.index].name.mode ==
         ResourceMode::kEphemeral;
}

/// What destroying does not need is not evaluated: only what provider configurations use.
std::vector<bool> NeededForProviders(const NodeContext& context) {
  const Walk& walk = context.walk;
  const Graph& graph = walk.graph;
  std::vector<bool> needed(graph.size(), false);
  std::vector<NodeId> work;
  auto need = [&](NodeId id) {
    if (!needed[id]) {
      needed[id] = true;
      work.push_back(id);
    }
  };
  // Providers serve what is in the state; a block without objects needs none.
  std::vector<bool> serves(walk.providers.size(), false);
  FlatSet<AbsResource> resources;
  if (context.selected != nullptr) {
    for (const ResourceInstance& address : *context.selected) {
      resources.insert(address.resource);
    }
  }
  auto goes = [&](const state::Resource& stored) {
    return context.selected == nullptr || resources.contains(stored.address);
  };
  for (const auto& node : walk.config.nodes) {
    for (const BlockInfo& info : walk.blocks[node->index]) {
      for (const state::Resource* stored : info.stored) {
        serves[info.provider] = serves[info.provider] || goes(*stored);
      }
    }
  }
  for (const OrphanSlot& slot : walk.orphans) {
    serves[slot.provider] = serves[slot.provider] || goes(*slot.resource);
  }
  for (const DeposedSlot& slot : walk.deposed) {
    for (const state::Instance& entry : slot.resource->instances) {
      serves[slot.provider] =
          serves[slot.provider] ||
          (!entry.deposed.empty() && context.WantsDeposed({slot.resource->address, entry.key}));
    }
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kProvider && serves[node.index]) {
      need(id);
    }
  }
  while (!work.empty()) {
    NodeId id = work.back();
    work.pop_back();
    for (NodeId dependency : graph.dependencies(id)) {
      need(dependency);
    }
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    NodeKind kind = graph.node(id).kind;
    bool ephemeral = kind == NodeKind::kResource && IsEphemeral(walk, graph.node(id));
    if ((kind == NodeKind::kResource && !ephemeral) || kind == NodeKind::kOrphan ||
        kind == NodeKind::kDeposed) {
      needed[id] = true;
    }
  }
  return needed;
}

/// An object that must stay keeps what it depends on, of which nothing is said then. Ref: rule P8.
void KeepDependenciesOfFailed(const DestroyOrder& order, SaidOfRows& said, plan::Plan& plan) {
  std::vector<ResourceInstance> failed;
  for (const std::vector<SaidOfRow>& rows : said) {
    for (const SaidOfRow& row : rows) {
      if (row.diags.has_errors()) {
        failed.push_back(row.address);
      }
    }
  }
  if (failed.empty()) {
    return;
  }
  const FlatSet<ResourceInstance> kept = order.After(failed);
  std::erase_if(plan.changes, [&](const plan::ResourceChange& change) {
    return change.deposed.empty() && kept.contains(change.address);
  });
  for (std::vector<SaidOfRow>& rows : said) {
    std::erase_if(rows, [&](const SaidOfRow& row) { return kept.contains(row.address); });
  }
}

/// Objects that would have to go before each other, or before themselves. They have no order even
/// where they are only forgotten.
bool CheckDestroyOrder(const Program& program, const DestroyOrder& order,
                       const FlatSet<ResourceInstance>* selected, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  for (const std::vector<ResourceInstance>& cycle : order.Cycles(selected)) {
    std::string members;
    for (const ResourceInstance& member : cycle) {
      members += (members.empty() ? "" : ", ") + program.ToText(member) + " (destroy)";
    }
    diags.Error("Cycle: " + members, "");
  }
  for (const ResourceInstance& member : order.SelfReferring(selected)) {
    diags.Error("Self reference: " + program.ToText(member) + " (destroy)", "");
  }
  return diags.error_count() == errors;
}

}  // namespace

void PlanDestroyAll(const Input& input, const RefreshWalk& refresh, plan::Plan& plan,
                    Diagnostics& diags) {
  plan::Plan refreshed;
  refreshed.program = plan.program;
  if (input.prior_state != nullptr && !input.prior_state->empty() && input.options.refresh) {
    Input normal = input;
    normal.options.mode = plan::Mode::kNormal;
    normal.options.before_destroy = true;
    // Its warnings would be those of the destruction once more, or of no interest.
    Diagnostics found;
    refresh(normal, Severity::kWarning, refreshed, found);
    if (found.has_errors()) {
      diags.Append(std::move(found));
      plan.rejected = true;
      return;
    }
    // What changed outside is no news where everything goes; the reference compares the state with
    // itself here.
    plan.prior_state = std::move(refreshed.prior_state);
    plan.previous_state = std::move(refreshed.previous_state);
  } else if (input.prior_state != nullptr) {
    plan.prior_state = input.prior_state->Clone();
    plan.previous_state = input.prior_state->Clone();
  }
  Input destroy = input;
  // What moved has moved when the state was refreshed, but for what was in the way until then.
  std::optional<Refactoring> moves;
  if (input.options.refresh) {
    moves.emplace(*input.config, &plan.prior_state);
    destroy.refactoring = &*moves;
    if (moves->state() != nullptr) {
      plan.prior_state = moves->state()->Clone();
    }
  }
  destroy.prior_state = &plan.prior_state;
  destroy.options.refresh = false;
  destroy.options.imports = false;
  destroy.options.targets.clear();  // what goes is decided object by object
  destroy.options.excludes.clear();
  Walk walk(WalkKind::kPlan, destroy);
  if (!BuildGraph(walk, diags)) {
    plan.rejected = true;
    return;
  }
  AddCloseNodes(walk);
  walk.root = ModuleInstance::Make(ModuleInstId(), walk.config.nodes[0].get(), nullptr, {});
  walk.instances[0].push_back(walk.root.get());
  CheckRecord checks;
  DeclareChecks(walk, checks);
  NodeContext context{walk, checks};
  context.destroying = true;
  const config::Module& root = *walk.config.root().module;
  Targets targets(walk.program, input.options.targets, input.options.excludes);
  const DestroyOrder order(walk.program, plan.prior_state);
  FlatSet<ResourceInstance> selected;
  if (targets.active()) {
    selected = order.Select(targets);
    context.selected = &selected;
    context.destroy_targets = &targets;
  } else {
    // Outputs go too, so those of the root module are known to exist.
    for (size_t i = 0; i < root.outputs.size(); ++i) {
      checks.DeclareObject(walk.bases[0].outputs + static_cast<NodeId>(i),
                           "output." + std::string(walk.program.Text(root.outputs[i].name)));
    }
  }
  if (!CheckDestroyOrder(walk.program, order, context.selected, diags)) {
    plan.rejected = true;
    return;
  }
  std::vector<bool> needed = NeededForProviders(context);
  // An object that must stay silences only what it depends on (KeepDependenciesOfFailed), which is
  // against the direction of the walk: so its errors do not end the node.
  SaidOfRows said(walk.graph.size());
  context.said_of_rows = &said;
  Diagnostics found_by_nodes;
  walk.Run(
      [&](NodeId id, Diagnostics& found) {
        if (walk.graph.node(id).kind == NodeKind::kClose) {
          return CloseEphemerals(context, id, found);
        }
        if (!needed[id]) {
          return;
        }
        switch (walk.graph.node(id).kind) {
          case NodeKind::kModule:
            return ExpandModule(context, id, found);
          case NodeKind::kVariable:
            return EvaluateVariable(context, id, found);
          case NodeKind::kLocal:
            return EvaluateLocal(context, id, found);
          case NodeKind::kOutput:
            return EvaluateOutput(context, id, found);
          case NodeKind::kProvider:
            return ConfigureProvider(context, id, found);
          case NodeKind::kResource:
            return IsEphemeral(walk, walk.graph.node(id)) ? PlanResource(context, id, found)
                                                          : PlanDestroyBlock(context, id);
          case NodeKind::kOrphan:
            return PlanOrphan(context, id, found);
          case NodeKind::kDeposed:
            return PlanDeposed(context, id, found);
          default:
            return;
        }
      },
      found_by_nodes);
  plan.changes = CollectChanges(walk);
  KeepDependenciesOfFailed(order, said, plan);
  for (std::vector<SaidOfRow>& rows : said) {
    for (SaidOfRow& row : rows) {
      found_by_nodes.Append(std::move(row.diags));
    }
  }
  if (!found_by_nodes.has_errors() && destroy.refactoring != nullptr) {
    destroy.refactoring->WarnBlocked(found_by_nodes);
  }
  diags.Append(std::move(found_by_nodes));
  for (const state::OutputValue& output : plan.prior_state.outputs) {
    if (targets.active()) {
      break;  // outputs cannot be destroyed by address
    }
    plan::OutputChange change;
    change.name = output.name;
    change.action = plan::Action::kDelete;
    change.before = output.value;
    change.after = Value::Null(Type::Dynamic());
    change.sensitive = output.sensitive;
    plan.outputs.push_back(std::move(change));
  }
  plan.relevant_attributes = RelevantAttributes(walk, plan);
  plan.checks = checks.Results();
}

}  // namespace kinu::engine
