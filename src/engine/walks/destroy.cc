// The walk that plans to destroy everything.
//
// RunPlanWalk        a normal plan, to refresh objects (unless -refresh=false)
// Refactoring        moves that were blocked until now
// BuildGraph         on the refreshed state, without targets, which select objects one by one
// CheckDestroyOrder  before any node, because objects without an order end the plan
// Run                a change for each managed object; otherwise only what providers need
// TakeChanges        after all nodes, without dependencies of objects that must stay
#include <algorithm>

#include "cty/ops.h"
#include "engine/assemble.h"
#include "engine/build_graph.h"
#include "engine/node_kinds.h"
#include "engine/rows/rows.h"
#include "engine/spans.h"
#include "engine/walks/node_table.h"
#include "engine/walks/walked_instances.h"
#include "engine/walks/walks.h"
#include "refactoring/refactoring.h"
#include "schema/marks.h"
#include "state/destroy_order.h"

namespace kinu::engine {
namespace {

/// Fills the rows of a block from the state, without an expansion.
void RowsFromState(Walk& walk, const Node& node, ModuleInstance& instance) {
  const config::Resource& resource = instance.node->module->resources[node.index];
  ResourceTable& table = *instance.resources[node.index];
  table.expansion.kind = config::ExpansionKindOf(resource);
  table.expanded = true;
  const state::Resource* stored = walk.StoredOf(instance, node.index);
  if (stored == nullptr) {
    return;
  }
  table.expansion = ExpansionOfStored(resource, stored);
  table.rows.resize(table.expansion.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].key = table.expansion.key(i);
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
      row->origin = RowOrigin::kOrphan;
    }
    row->stored = &entry;
  }
}

/// A row of a block to destroy.
struct GoingRow {
  ModuleInstance* instance;  ///< null: the module instance no longer exists
  ModuleInstId module;
  Row* row;
};

std::vector<GoingRow> CollectRows(Walk& walk, const Node& node) {
  std::vector<GoingRow> rows;
  BlockSlot& slot = walk.slots.BlockOf(node);
  for (ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    RowsFromState(walk, node, *instance);
    for (Row& row : instance->resources[node.index]->rows) {
      if (row.stored != nullptr) {
        rows.push_back({instance, instance->id, &row});
      }
    }
  }
  CollectStrays(walk, node, slot);
  for (StrayRows& stray : slot.Strays()) {
    for (Row& row : stray.rows) {
      rows.push_back({nullptr, stray.resource->address.module, &row});
    }
  }
  return rows;
}

void PlanDestroyBlock(NodeContext& context, NodeId id) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const config::Resource& resource = walk.graph.ResourceOf(node);
  const BlockInfo& info = walk.graph.InfoOf(node);
  if (info.schema == nullptr) {
    return;
  }
  std::vector<GoingRow> work = CollectRows(walk, node);
  std::vector<Diagnostics> found(work.size());
  const bool blocking = walk.slots.providers[info.provider].blocking;
  walk.scheduler.ForEachRow(work.size(), blocking, [&](size_t i) {
    Row& row = *work[i].row;
    RowContext row_context{context,
                           id,
                           resource,
                           info,
                           work[i].instance,
                           ResourceInstance{{work[i].module, resource.name}, row.key},
                           row};
    if (context.Wants(row_context.address)) {
      RowSpan span(row_context, RowStep::kPlanDestroy);
      PlanOrphanRow(row_context, found[i]);
      span.Conclude(found[i]);
      if (row.read().refreshed) {
        row.value = *row.read().refreshed;  // visible until it is destroyed
        return;
      }
    }
    row.value = StoredValue(*info.schema, *row.stored->current);
  });
  std::vector<RowDiagnostics>& of_rows = (*context.row_diags)[id];
  for (size_t i = 0; i < work.size(); ++i) {
    work[i].row->Conclude(found[i].has_errors());
    if (!found[i].empty()) {
      of_rows.push_back({{{work[i].module, resource.name}, work[i].row->key}, std::move(found[i])});
    }
  }
}

bool IsEphemeral(const PlanGraph& graph, const Node& node) {
  return graph.ResourceOf(node).name.mode == ResourceMode::kEphemeral;
}

/// The providers of objects to destroy. A block without objects needs none.
std::vector<bool> ServingProviders(const NodeContext& context) {
  const PlanGraph& graph = context.walk.graph;
  std::vector<bool> serves(graph.providers.size(), false);
  FlatSet<AbsResource> resources;
  if (context.selected != nullptr) {
    for (const ResourceInstance& address : *context.selected) {
      resources.insert(address.resource);
    }
  }
  auto goes = [&](const state::Resource& stored) {
    return context.selected == nullptr || resources.contains(stored.address);
  };
  for (const auto& blocks : graph.blocks) {
    for (const BlockInfo& info : blocks) {
      for (const state::Resource* stored : info.stored) {
        serves[info.provider] = serves[info.provider] || goes(*stored);
      }
    }
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kOrphan) {
      const StoredNode& stored = graph.stored[node.index];
      serves[stored.provider] = serves[stored.provider] || goes(*stored.resource);
    } else if (node.kind == NodeKind::kDeposed) {
      const StoredNode& stored = graph.stored[node.index];
      for (const state::Instance& entry : stored.resource->instances) {
        serves[stored.provider] =
            serves[stored.provider] ||
            (!entry.deposed.empty() && context.WantsDeposed({stored.resource->address, entry.key}));
      }
    }
  }
  return serves;
}

/// What destroying does not need is not evaluated: only what provider configurations and
/// prevent_destroy arguments use, and what works on objects.
std::vector<bool> NeededForDestroy(const NodeContext& context) {
  const PlanGraph& graph = context.walk.graph;
  const std::vector<bool> serves = ServingProviders(context);
  std::vector<bool> needed(graph.size(), false);
  for (uint32_t i = 0; i < graph.providers.size(); ++i) {
    if (serves[i]) {
      graph.MarkReached(graph.providers[i].id, needed);
    }
  }
  for (const NodeId protection : graph.protections) {
    graph.MarkReached(protection, needed);
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    const bool opens = node.kind == NodeKind::kResource && IsEphemeral(graph, node);
    if (node.kind == NodeKind::kClose || (WorksOnObjects(node.kind) && !opens)) {
      needed[id] = true;
    }
  }
  return needed;
}

/// The dependencies of an object that must stay stay too. Drops their changes and diagnostics.
void KeepDependenciesOfFailed(const state::DestroyOrder& order, RowDiagnosticsByNode& said,
                              plan::Plan& plan) {
  std::vector<ResourceInstance> failed;
  for (const std::vector<RowDiagnostics>& rows : said) {
    for (const RowDiagnostics& row : rows) {
      if (row.diags.has_errors()) {
        failed.push_back(row.address);
      }
    }
  }
  if (failed.empty()) {
    return;
  }
  const FlatSet<ResourceInstance> kept = order.After(failed);
  plan.changes.EraseIf([&](const plan::ResourceChange& change) {
    return change.deposed.empty() && kept.contains(change.address);
  });
  for (std::vector<RowDiagnostics>& rows : said) {
    std::erase_if(rows, [&](const RowDiagnostics& row) { return kept.contains(row.address); });
  }
}

/// Reports objects that would have to be destroyed before each other or themselves, even if they
/// are only forgotten.
bool CheckDestroyOrder(const Program& program, const state::DestroyOrder& order,
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

void DestroyOrOpen(NodeContext& context, NodeId id, Diagnostics& diags) {
  const PlanGraph& graph = context.walk.graph;
  if (IsEphemeral(graph, graph.node(id))) {
    PlanResource(context, id, diags);
  } else {
    PlanDestroyBlock(context, id);
  }
}

constexpr NodeTable<NodeContext> kDestroyNodes({
    {NodeKind::kModule, ExpandModule},
    {NodeKind::kVariable, EvaluateVariable},
    {NodeKind::kLocal, EvaluateLocal},
    {NodeKind::kOutput, EvaluateOutput},
    {NodeKind::kProvider, ConfigureProvider},
    {NodeKind::kResource, DestroyOrOpen},
    {NodeKind::kOrphan, PlanOrphan},
    {NodeKind::kDeposed, PlanDeposed},
    {NodeKind::kClose, CloseEphemerals},
});

/// Sets the states that the destruction starts from. Drift is not reported when everything is
/// destroyed.
bool RefreshBefore(const WalkContext& given, plan::Plan& plan, Diagnostics& diags) {
  if (given.prior_state == nullptr) {
    return true;
  }
  if (given.prior_state->empty() || !given.refresh) {
    plan.prior_state = given.prior_state->Clone();
    plan.previous_state = given.prior_state->Clone();
    return true;
  }
  WalkContext normal = given;
  normal.mode = plan::Mode::kNormal;
  normal.before_destroy = true;
  plan::Plan refreshed;
  refreshed.program = plan.program;
  // The destruction reports the same warnings again.
  Diagnostics found;
  RunPlanWalk(normal, Severity::kWarning, refreshed, found);
  if (found.has_errors()) {
    diags.Append(std::move(found));
    return false;
  }
  plan.prior_state = std::move(refreshed.prior_state);
  plan.previous_state = std::move(refreshed.previous_state);
  return true;
}

/// Outputs are destroyed too, so those of the root module are declared.
void DeclareRootOutputs(const PlanGraph& graph, CheckRecord& checks) {
  const config::Module& root = *graph.config.root().module;
  for (size_t i = 0; i < root.outputs.size(); ++i) {
    checks.DeclareObject(graph.bases[0].outputs + static_cast<NodeId>(i),
                         {{ModuleInstId(), {.name = root.outputs[i].name}}, {}});
  }
}

void DeleteOutputs(plan::Plan& plan) {
  for (const state::OutputValue& output : plan.prior_state.outputs) {
    plan::OutputChange change;
    change.name = output.name;
    change.action = plan::Action::kDelete;
    change.before = WithUnsignedZeros(output.value);
    change.after = Value::Null(Type::Dynamic());
    change.sensitive = output.sensitive;
    plan.outputs.push_back(std::move(change));
  }
}

/// Reports values of root variables that do not fit, of those whose node does not run.
void CheckRootValues(const Walk& walk, const std::vector<bool>& needed, Diagnostics& diags) {
  const config::Module& root = *walk.config.root().module;
  for (size_t i = 0; i < root.variables.size(); ++i) {
    if (needed[walk.graph.bases[0].variables + static_cast<NodeId>(i)]) {
      continue;
    }
    const std::string name(walk.program.Text(root.variables[i].name));
    const auto given = walk.context.request.variables->find(name);
    (void)config::PrepareVariable(
        walk.program, root.variables[i],
        given == walk.context.request.variables->end() ? nullptr : &given->second, "var." + name,
        diags);
  }
}

/// Reports moves that contradict each other. They are reported alone.
bool CheckMoves(const Walk& walk, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  if (walk.context.refactoring != nullptr) {
    walk.context.refactoring->ValidateMoves(WalkedInstances(walk, false), diags);
  }
  return diags.error_count() == errors;
}

/// Executes the nodes and collects their changes.
void RunNodes(NodeContext& context, const state::DestroyOrder& order, plan::Plan& plan,
              Diagnostics& diags) {
  Walk& walk = context.walk;
  const std::vector<bool> needed = NeededForDestroy(context);
  // An object that must stay affects only its dependencies (KeepDependenciesOfFailed), against the
  // direction of the walk, so its errors do not fail the node.
  RowDiagnosticsByNode of_rows(walk.graph.size());
  context.row_diags = &of_rows;
  Diagnostics found_by_nodes;
  walk.Run(
      [&](NodeId id, Diagnostics& found) {
        if (needed[id]) {
          kDestroyNodes.Execute(walk.graph.node(id).kind, context, id, found);
        }
      },
      found_by_nodes);
  if (!CheckMoves(walk, diags)) {
    plan.rejected = true;
    return;
  }
  if (context.destroy_targets == nullptr) {
    CheckRootValues(walk, needed, found_by_nodes);  // -target and -exclude leave variables out
  }
  plan.changes = TakeChanges(walk);
  KeepDependenciesOfFailed(order, of_rows, plan);
  for (std::vector<RowDiagnostics>& rows : of_rows) {
    for (RowDiagnostics& row : rows) {
      found_by_nodes.Append(std::move(row.diags));
    }
  }
  if (!found_by_nodes.has_errors() && walk.context.refactoring != nullptr) {
    walk.context.refactoring->WarnBlocked(found_by_nodes);
  }
  diags.Append(std::move(found_by_nodes));
}

}  // namespace

void RunDestroyWalk(const WalkContext& given, plan::Plan& plan, Diagnostics& diags) {
  if (!RefreshBefore(given, plan, diags)) {
    plan.rejected = true;
    return;
  }
  WalkContext context = given;
  std::optional<refactoring::Refactoring> moves;
  if (given.refresh) {
    moves.emplace(*given.config, &plan.prior_state);
    context.refactoring = &*moves;
    if (moves->state() != nullptr) {
      plan.prior_state = moves->state()->Clone();
    }
  }
  context.prior_state = &plan.prior_state;
  context.refresh = false;
  context.imports = false;
  context.targets = Targets();
  PlanGraph graph(context);
  if (!BuildGraph(graph, diags)) {
    plan.rejected = true;
    return;
  }
  Walk walk(graph);
  CheckRecord checks;
  DeclareChecks(graph, checks);
  NodeContext node_context{walk, checks};
  node_context.destroying = true;
  const state::DestroyOrder order(walk.program, plan.prior_state);
  FlatSet<ResourceInstance> selected;
  if (given.targets.active()) {
    selected = order.Select(given.targets);
    node_context.selected = &selected;
    node_context.destroy_targets = &given.targets;
  } else {
    DeclareRootOutputs(graph, checks);
  }
  if (!CheckDestroyOrder(walk.program, order, node_context.selected, diags)) {
    plan.rejected = true;
    return;
  }
  RunNodes(node_context, order, plan, diags);
  if (plan.rejected) {
    return;
  }
  if (!given.targets.active()) {  // outputs cannot be destroyed by address
    DeleteOutputs(plan);
  }
  plan.relevant_attributes = RelevantAttributes(walk, plan);
  plan.checks = checks.Results();
}

}  // namespace kinu::engine
