// The expansion of blocks while applying. Ref: opentofu internal/tofu/node_resource_apply.go.
#include <algorithm>

#include "engine/rows/apply_row.h"
#include "schema/marks.h"

namespace kinu::engine {

ApplyContext::ApplyContext(NodeContext& node_context, Recorder& records,
                           const refactoring::Refactoring& refactoring)
    : node(node_context),
      plan(node_context.walk.apply->plan),
      recorder(records),
      removed(refactoring),
      done(plan.changes.size(), 0),
      deposed_keys(plan.changes.size()) {
  const Walk& walk = node.walk;
  const std::vector<Cell>& cells = walk.apply->cells;
  std::vector<bool> left_out(plan.changes.size(), false);
  for (const Cell& cell : cells) {
    for (const CellRow& row : cell.rows) {
      left_out[row.change] = left_out[row.change] || (cell.phase == Phase::kApply && !row.kept);
    }
  }
  for (uint32_t i = 0; i < plan.changes.size(); ++i) {
    if (plan.changes[i].deposed.empty() && !left_out[i]) {
      change_of.emplace(plan.changes[i].address, i);
    }
  }
  orphan_infos.resize(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    BlockInfo& info = orphan_infos[i];
    info.provider = cells[i].provider;
    const schema::ProviderSchema* schema = walk.graph.providers[info.provider].schema;
    if (cells[i].block < 0 && schema != nullptr) {
      info.schema = schema->FindResource(walk.program.Text(cells[i].resource.resource.type));
    }
  }
}

namespace {

/// Expressions see orphans that the plan leaves unchanged: a refresh-only plan, or one that is
/// limited to other objects. Ref: evaluate.go GetResource.
void AddUntouchedRows(const ApplyContext& context, const AbsResource& address,
                      const state::Resource& stored, const BlockInfo& info, ResourceTable& table) {
  const auto wanted = static_cast<size_t>(std::count_if(
      table.rows.begin(), table.rows.end(), [](const Row& row) { return row.stored != nullptr; }));
  if (wanted == stored.instances.size() || info.schema == nullptr) {
    return;
  }
  FlatSet<InstanceKey> known;
  for (const Row& row : table.rows) {
    known.insert(row.key);
  }
  std::vector<const state::Instance*> untouched;
  for (const state::Instance& entry : stored.instances) {
    if (entry.current != nullptr && !known.contains(entry.key) &&
        !context.change_of.contains(ResourceInstance{address, entry.key})) {
      untouched.push_back(&entry);
    }
  }
  for (const state::Instance* entry : untouched) {
    if (std::optional<Value> value = StoredValue(*info.schema, *entry->current)) {
      Row& row = table.rows.emplace_back();
      row.key = entry->key;
      row.origin = RowOrigin::kOrphan;
      row.stored = entry;
      row.value = std::move(value);
      table.has_gaps = true;
    }
  }
}

/// The keys of a block's objects that the plan deletes.
FlatSet<InstanceKey> GoingKeys(const plan::Plan& plan, const AbsResource& address) {
  FlatSet<InstanceKey> going;
  for (const plan::ResourceChange& change : plan.changes) {
    if (change.address.resource == address && change.action == plan::Action::kDelete) {
      going.insert(change.address.key);
    }
  }
  return going;
}

/// Sets the value of a row that expressions see before it is executed.
void FillRow(const ApplyContext& context, const AbsResource& address, const BlockInfo& info,
             ResourceTable& table, Row& row) {
  const bool destroying = context.node.destroying;
  const ResourceMode mode = address.resource.mode;
  const auto change = context.change_of.find(ResourceInstance{address, row.key});
  // Data sources are seen until they are forgotten, and have no value in the change.
  const bool forgets = destroying && mode == ResourceMode::kData;
  if (change != context.change_of.end() && !forgets) {
    const plan::ResourceChange& planned = context.plan.changes[change->second];
    if (planned.action == plan::Action::kNoOp) {
      row.value = planned.after;
    } else if (destroying) {
      row.value = planned.before;
    }
  } else if (row.stored != nullptr && row.stored->current != nullptr && info.schema != nullptr) {
    row.value = StoredValue(*info.schema, *row.stored->current);
  } else if (mode != ResourceMode::kEphemeral) {
    row.view = RowView::kAbsent;  // not in the plan, or the plan is refresh-only
    table.has_gaps = true;
  }
}

}  // namespace

bool ExpandTable(ApplyContext& context, NodeId id, ModuleInstance& instance, Diagnostics& diags) {
  Walk& walk = context.node.walk;
  const Node& node = walk.graph.node(id);
  ResourceTable& table = *instance.resources[node.index];
  std::unique_lock lock(table.whole_mutex);
  if (table.expanded) {
    return true;
  }
  const config::Resource& resource = instance.node->module->resources[node.index];
  const BlockInfo& info = walk.graph.InfoOf(node);
  const AbsResource address{instance.id, resource.name};
  const state::Resource* stored = context.plan.prior_state.Find(address);
  const bool keeps = context.node.destroying && resource.name.mode != ResourceMode::kEphemeral;
  Expansion expansion;
  if (keeps) {
    expansion = ExpansionOfStored(resource, stored);
  } else {
    const size_t errors = diags.error_count();
    FlatSet<InstanceKey> going;
    if (info.self_references) {
      lock.unlock();  // the repetition reads this table, and cells of such a block never overlap
      going = GoingKeys(context.plan, address);
    }
    expansion = ExpandBlock(walk, instance, node.index, stored, going, diags);
    if (!lock.owns_lock()) {
      lock.lock();
    }
    if (diags.error_count() != errors) {
      return false;
    }
  }
  table.expansion = std::move(expansion);
  table.stored = stored != nullptr && !stored->instances.empty();
  table.rows.resize(table.expansion.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    Row& row = table.rows[i];
    row.key = table.expansion.key(i);
    row.expansion_row = static_cast<uint32_t>(i);
    row.stored = stored == nullptr ? nullptr : stored->Find(row.key);
    FillRow(context, address, info, table, row);
  }
  if (stored != nullptr && !context.node.destroying &&
      resource.name.mode != ResourceMode::kEphemeral) {
    AddUntouchedRows(context, address, *stored, info, table);
  }
  table.expanded = true;
  return true;
}

void ExpandForApply(ApplyContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.node.walk;
  const Node& node = walk.graph.node(id);
  bool expanded = true;
  for (ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    expanded = ExpandTable(context, id, *instance, diags) && expanded;
  }
  const config::Resource& resource =
      walk.config.nodes[node.config_node]->module->resources[node.index];
  if (!expanded || resource.name.mode != ResourceMode::kEphemeral) {
    return;
  }
  std::vector<std::pair<ModuleInstance*, Row*>> work;
  for (ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    for (Row& row : instance->resources[node.index]->rows) {
      work.emplace_back(instance, &row);
    }
  }
  const BlockInfo& info = walk.graph.blocks[node.config_node][node.index];
  std::vector<Diagnostics> found(work.size());
  walk.scheduler.ForEachRow(
      work.size(), walk.slots.providers[info.provider].blocking, [&](size_t i) {
        auto [instance, row] = work[i];
        RowContext row_context{
            context.node, id,       resource,
            info,         instance, ResourceInstance{{instance->id, resource.name}, row->key},
            *row};
        OpenEphemeralRow(row_context, found[i]);
      });
  for (Diagnostics& list : found) {
    diags.Append(std::move(list));
  }
}

}  // namespace kinu::engine
