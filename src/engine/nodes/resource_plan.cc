// Planning of resource blocks: the change of each row, and the value that expressions see. Ref:
// opentofu internal/tofu/node_resource_plan_instance.go, node_resource_abstract_instance.go.
#include "compatibility/features.h"
#include "engine/imports.h"
#include "engine/nodes/nodes.h"
#include "engine/rows/rows.h"
#include "engine/spans.h"
#include "schema/marks.h"
#include "text/quote.h"

namespace kinu::engine {

namespace {

/// Marks the rows that -target or -exclude leaves unchanged; expressions see their stored objects.
void LeaveOutRows(const Walk& walk, const AbsResource& resource, const BlockInfo& info,
                  ResourceTable& table) {
  for (Row& row : table.rows) {
    if (walk.context.targets.Wants({resource, row.key})) {
      continue;
    }
    row.view = RowView::kLeftOut;
    table.has_gaps = true;
    if (row.stored != nullptr && row.stored->current != nullptr) {
      row.value = StoredValue(*info.schema, *row.stored->current);
    }
  }
}

/// Whether -replace names a resource of the module that has the block. OpenTofu 1.12 does not ask.
bool IsInModuleOf(const Program& program, const ResourceInstance& asked, const AbsResource& block) {
  return !compatibility::Has(compatibility::Feature::kReplaceWarnings) ||
         program.ModuleOf(asked.resource.module) == program.ModuleOf(block.module);
}

/// Warns of -replace options without an instance key, for a block whose instances have keys or that
/// has no instance.
/// Ref: node_resource_plan.go expandResourceInstances.
void WarnOfIncompleteReplace(const Walk& walk, const AbsResource& block, const Expansion& expansion,
                             Diagnostics& diags) {
  if (walk.context.request.options.force_replace.empty() ||
      expansion.kind == Expansion::Kind::kSingle) {
    return;
  }
  for (const ResourceInstance& asked : walk.context.request.options.force_replace) {
    if (!asked.key.none() || asked.resource.resource != block.resource ||
        !IsInModuleOf(walk.program, asked, block)) {
      continue;
    }
    std::string detail = "Your force-replace request for " + walk.program.ToText(asked) +
                         " doesn't match any resource instances because ";
    if (expansion.size() == 0) {
      detail += "this resource doesn't have any instances.";
    } else {
      detail += "it lacks an instance key.\n\nTo force replacement of ";
      detail += expansion.size() == 1
                    ? "the single declared instance, use the following option instead:"
                    : "particular instances, use one or more of the following options instead:";
      for (size_t i = 0; i < expansion.size(); ++i) {
        detail += "\n  -replace=" +
                  text::GoQuote(walk.program.ToText(ResourceInstance{block, expansion.key(i)}));
      }
    }
    diags.Warning("Incompletely-matched force-replace resource instance", std::move(detail));
  }
}

/// A row to plan, of a block in one module instance.
struct RowWork {
  ModuleInstance* instance;
  ModuleInstId module;
  Row* row;
  bool leads = true;  ///< false: waits for the row that the block names
};

/// The rows that the references of a block to itself name: all, if one names none of them.
std::vector<RowWork*> NamedRows(const BlockInfo& info, const std::vector<RowWork*>& rows) {
  std::vector<RowWork*> named;
  for (const SelfReference& ref : *info.self_references) {
    const auto found = std::ranges::find_if(
        rows, [&](const RowWork* row) { return ref.has_key && row->row->key == ref.key; });
    if (found == rows.end()) {
      return rows;
    }
    if (std::ranges::find(named, *found) == named.end()) {
      named.push_back(*found);
    }
  }
  return named;
}

void ReportCycle(const Walk& walk, const config::Resource& resource,
                 const std::vector<RowWork*>& rows, Diagnostics& diags) {
  std::string members;
  for (const RowWork* row : rows) {
    members += (members.empty() ? "" : ", ") +
               walk.program.ToText(ResourceInstance{{row->module, resource.name}, row->row->key}) +
               (row->row->orphan() ? " (orphan)" : "");
  }
  diags.Error("Cycle: " + members, "");
}

/// If a block names one of its own rows, that row is planned before the others of the module
/// instance. Rows that wait for each other are a cycle. What the import command imports waits for
/// nothing, and nothing waits for it. Ref: resourceInstanceSubgraph.
bool FindLeaders(const Walk& walk, const Node& node, std::vector<RowWork>& work,
                 Diagnostics& diags) {
  const config::Resource& resource = walk.graph.ResourceOf(node);
  const size_t errors = diags.error_count();
  for (size_t begin = 0, end = 0; begin < work.size(); begin = end) {
    std::vector<RowWork*> rows;
    for (; end < work.size() && work[end].module == work[begin].module; ++end) {
      if (!ImportedByCommand(walk, node, {{work[end].module, resource.name}, work[end].row->key})) {
        rows.push_back(&work[end]);
      }
    }
    const std::vector<RowWork*> leaders = NamedRows(walk.graph.InfoOf(node), rows);
    if (leaders.size() > 1) {
      ReportCycle(walk, resource, leaders, diags);
    }
    for (RowWork* row : rows) {
      row->leads = leaders.size() != 1 || row == leaders[0];
    }
  }
  return diags.error_count() == errors;
}

}  // namespace

bool NodeContext::Wants(const ResourceInstance& instance) const {
  if (selected != nullptr) {
    return selected->contains(instance);
  }
  return !walk.context.targets.active() || walk.context.targets.Wants(instance);
}

namespace {

/// Expands the block in all its module instances. Expansion is all or nothing: an error in one
/// module instance plans no row anywhere.
bool ExpandEverywhere(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const std::vector<ModuleInstance*>& instances = walk.slots.instances[node.config_node];
  bool expanded = true;
  for (ModuleInstance* instance : instances) {
    if (ExpandResource(context, id, *instance, diags)) {
      WarnOfIncompleteReplace(walk, {instance->id, walk.graph.ResourceOf(node).name},
                              instance->resources[node.index]->expansion, diags);
    } else {
      expanded = false;
    }
  }
  for (ModuleInstance* instance : instances) {
    ResourceTable& table = *instance->resources[node.index];
    table.expanded = table.expanded && expanded;
  }
  return expanded;
}

}  // namespace

void CollectStrays(const Walk& walk, const Node& node, BlockSlot& slot) {
  if (walk.graph.InfoOf(node).stored.empty()) {
    return;
  }
  FlatSet<uint32_t> present;
  for (const ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    present.insert(instance->id.id);
  }
  for (const state::Resource* stored : walk.graph.InfoOf(node).stored) {
    if (present.contains(stored->address.module.id)) {
      continue;
    }
    StrayRows stray{stored, {}};
    for (const state::Instance& entry : stored->instances) {
      if (entry.current != nullptr) {
        Row& row = stray.rows.emplace_back();
        row.key = entry.key;
        row.origin = RowOrigin::kOrphan;
        row.stored = &entry;
        row.delete_reason = plan::Reason::kDeleteNoModule;
      }
    }
    slot.strays.Ensure().push_back(std::move(stray));
  }
}

namespace {

/// The rows to plan. Declares them for the record of conditions.
std::vector<RowWork> CollectWork(NodeContext& context, NodeId id) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const ResourceName& name = walk.graph.ResourceOf(node).name;
  const BlockInfo& info = walk.graph.InfoOf(node);
  BlockSlot& slot = walk.slots.BlockOf(node);
  const bool has_conditions = context.checks.Declared(id);
  std::vector<RowWork> work;
  for (ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    ResourceTable& table = *instance->resources[node.index];
    if (info.pick_rows) {
      LeaveOutRows(walk, {instance->id, name}, info, table);
    }
    for (Row& row : table.rows) {
      if (!row.left_out()) {
        work.push_back({instance, instance->id, &row});
      }
      if (has_conditions && !row.orphan()) {
        context.checks.DeclareObject(id, {{instance->id, name}, row.key});
      }
    }
  }
  context.checks.DeclareExpanded(id);
  CollectStrays(walk, node, slot);
  for (StrayRows& stray : slot.Strays()) {
    for (Row& row : stray.rows) {
      work.push_back({nullptr, stray.resource->address.module, &row});
    }
  }
  return work;
}

void PlanConfiguredRow(RowContext& row, Diagnostics& diags) {
  switch (row.resource.name.mode) {
    case ResourceMode::kManaged:
      return PlanManagedRow(row, diags);
    case ResourceMode::kData:
      return PlanDataRow(row, diags);
    case ResourceMode::kEphemeral:
      return OpenEphemeralRow(row, diags);
  }
}

void PlanRow(NodeContext& context, NodeId id, const RowWork& work, Diagnostics& diags) {
  const Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const config::Resource& resource = walk.graph.ResourceOf(node);
  if (walk.scheduler.stopping()) {
    if (!walk.scheduler.quiet()) {
      diags.Error("execution halted", "");
    }
    return;
  }
  RowContext row{context,       id,
                 resource,      walk.graph.InfoOf(node),
                 work.instance, ResourceInstance{{work.module, resource.name}, work.row->key},
                 *work.row};
  RowSpan span(row, RowStep::kPlan);
  if (work.row->orphan()) {
    PlanOrphanRow(row, diags);
  } else if (ImportedByCommand(walk, node, row.address) || ReportSelfReferences(row, diags)) {
    PlanConfiguredRow(row, diags);
  }
  span.Conclude(diags);
}

/// Plans all rows. If the block names one of its own rows, that row comes first, and the others of
/// the module instance only if it succeeds.
void PlanRows(NodeContext& context, NodeId id, const std::vector<RowWork>& work,
              std::vector<Diagnostics>& found) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const BlockInfo& info = walk.graph.InfoOf(node);
  const config::Resource& resource =
      walk.config.nodes[node.config_node]->module->resources[node.index];
  const bool blocking = walk.slots.providers[info.provider].Blocks(resource.name.mode);
  if (!info.self_references) {
    walk.scheduler.ForEachRow(work.size(), blocking,
                              [&](size_t i) { PlanRow(context, id, work[i], found[i]); });
    return;
  }
  walk.scheduler.ForEachRow(work.size(), blocking, [&](size_t i) {
    if (work[i].leads) {
      PlanRow(context, id, work[i], found[i]);
    }
  });
  FlatSet<uint32_t> leaderless;
  for (size_t i = 0; i < work.size(); ++i) {
    if (found[i].has_errors()) {
      leaderless.insert(work[i].module.id);
    }
  }
  walk.scheduler.ForEachRow(work.size(), blocking, [&](size_t i) {
    if (!work[i].leads && !leaderless.contains(work[i].module.id)) {
      PlanRow(context, id, work[i], found[i]);
    }
  });
}

/// Reports each instance of a type that the provider does not have. A validation says so earlier;
/// before the import command there is none. Ref: opentofu internal/tofu/validate_selfref.go.
void ReportUnknownType(NodeContext& context, NodeId id, Diagnostics& diags) {
  const Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  if (!ExpandEverywhere(context, id, diags)) {
    return;
  }
  const ResourceName& name = walk.graph.ResourceOf(node).name;
  for (const ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    const Expansion& expansion = instance->resources[node.index]->expansion;
    for (size_t i = 0; i < expansion.size(); ++i) {
      diags.Error("no schema available for " +
                      walk.program.ToText(ResourceInstance{{{}, name}, expansion.key(i)}) +
                      " to validate for self-references; this is a bug in OpenTofu and should be "
                      "reported",
                  "");
    }
  }
}

}  // namespace

void PlanResource(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const BlockInfo& info = walk.graph.InfoOf(node);
  BlockSlot& slot = walk.slots.BlockOf(node);
  if (info.schema == nullptr) {
    return ReportUnknownType(context, id, diags);
  }
  const size_t errors = diags.error_count();
  if (info.imports != nullptr && !walk.context.before_destroy) {
    ResolveImports(walk, info, slot, diags);
  }
  // Expanded despite errors in imports: what they name is compared with the instances.
  if (!ExpandEverywhere(context, id, diags) || diags.error_count() != errors) {
    return;
  }
  std::vector<RowWork> work = CollectWork(context, id);
  if (info.self_references && !FindLeaders(walk, node, work, diags)) {
    return;
  }
  std::vector<Diagnostics> found(work.size());
  PlanRows(context, id, work, found);
  for (size_t i = 0; i < work.size(); ++i) {
    Row& row = *work[i].row;
    row.Conclude(found[i].has_errors());
    // Orphans that stay are still seen.
    const bool seen = row.orphan() && row.value && !row.pending_delete();
    if ((row.absent() || seen) && work[i].instance != nullptr) {
      work[i].instance->resources[node.index]->has_gaps = true;
    }
    if (row.change && row.change->action != plan::Action::kNoOp) {
      slot.AddPending(work[i].module);
    }
    diags.Append(std::move(found[i]));
  }
}

void PlanOrphan(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  if (!walk.context.command_imports.empty()) {
    return;  // what has no block is not even upgraded. Ref: graph_builder_plan.go initImport
  }
  const StoredNode& stored = walk.graph.stored[walk.graph.node(id).index];
  StoredSlot& slot = walk.slots.stored[walk.graph.node(id).index];
  const AbsResource& address = stored.resource->address;
  for (const state::Instance& entry : stored.resource->instances) {
    if (entry.current != nullptr && (stored.whole || context.Wants({address, entry.key}))) {
      Row& row = slot.rows.emplace_back();
      row.key = entry.key;
      row.origin = RowOrigin::kOrphan;
      row.stored = &entry;
      row.delete_reason = plan::Reason::kDeleteNoResourceConfig;
    }
  }
  static const config::Resource kNoBlock;
  std::vector<Diagnostics> found(slot.rows.size());
  BlockInfo info;
  info.provider = stored.provider;
  if (const schema::ProviderSchema* schema = walk.graph.providers[stored.provider].schema) {
    std::string_view type = walk.program.Text(address.resource.type);
    info.schema = address.resource.mode == ResourceMode::kManaged ? schema->FindResource(type)
                                                                  : schema->FindData(type);
  }
  const bool blocking = walk.slots.providers[stored.provider].blocking;
  walk.scheduler.ForEachRow(slot.rows.size(), blocking, [&](size_t i) {
    RowContext row_context{context,     id,      kNoBlock,
                           info,        nullptr, ResourceInstance{address, slot.rows[i].key},
                           slot.rows[i]};
    RowSpan span(row_context, context.destroying ? RowStep::kPlanDestroy : RowStep::kPlan);
    PlanOrphanRow(row_context, found[i]);
    span.Conclude(found[i]);
  });
  for (size_t i = 0; i < found.size(); ++i) {
    slot.rows[i].Conclude(found[i].has_errors());
    if (context.row_diags == nullptr) {
      diags.Append(std::move(found[i]));
    } else if (!found[i].empty()) {
      (*context.row_diags)[id].push_back({{address, slot.rows[i].key}, std::move(found[i])});
    }
  }
}

/// Plans to destroy deposed objects. No data source waits for this. Ref: opentofu
/// internal/plans/changes.go InstancesForConfigResource.
void PlanDeposed(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  if (!walk.context.command_imports.empty()) {
    return;  // as in PlanOrphan()
  }
  const StoredNode& stored = walk.graph.stored[walk.graph.node(id).index];
  StoredSlot& slot = walk.slots.stored[walk.graph.node(id).index];
  const AbsResource& address = stored.resource->address;
  BlockInfo info;
  info.provider = stored.provider;
  if (const schema::ProviderSchema* provider = walk.graph.providers[stored.provider].schema) {
    info.schema = provider->FindResource(walk.program.Text(address.resource.type));
  }
  if (info.schema == nullptr) {
    return;
  }
  static const config::Resource kNoBlock;
  const config::ConfigNode* place = walk.config.Find(walk.program.ModuleOf(address.module));
  const int block = place == nullptr ? -1 : place->module->FindResource(address.resource);
  const config::Resource& resource =
      block < 0 ? kNoBlock : place->module->resources[static_cast<size_t>(block)];
  for (const state::Instance& entry : stored.resource->instances) {
    if (!stored.whole && !context.WantsDeposed({address, entry.key})) {
      continue;
    }
    for (const state::DeposedObject& deposed : entry.deposed) {
      Row object;
      object.key = entry.key;
      object.stored = &entry;
      RowContext row{context, 0, resource, info, nullptr, ResourceInstance{address, entry.key},
                     object};
      row.trace_node = id;
      RowSpan span(row, RowStep::kPlanDestroy);
      auto change = PlanDeposedObject(row, deposed, diags);
      span.Conclude({});
      if (change) {
        slot.changes.push_back(std::move(*change));
      }
    }
  }
}

}  // namespace kinu::engine
