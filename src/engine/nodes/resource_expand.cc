#include <algorithm>

#include "engine/nodes/nodes.h"
#include "engine/reference_check.h"
#include "schema/marks.h"

namespace kinu::engine {
namespace {

plan::Reason OrphanReason(const config::Resource& resource, const Expansion& expansion,
                          const InstanceKey& key) {
  switch (key.kind()) {
    case InstanceKey::Kind::kNone:
      if (expansion.kind == Expansion::Kind::kDisabled) {
        return plan::Reason::kDeleteEnabledFalse;
      }
      return plan::Reason::kDeleteWrongRepetition;
    case InstanceKey::Kind::kInt:
      return resource.count != nullptr ? plan::Reason::kDeleteCountIndex
                                       : plan::Reason::kDeleteWrongRepetition;
    case InstanceKey::Kind::kString:
      return resource.for_each != nullptr ? plan::Reason::kDeleteEachKey
                                          : plan::Reason::kDeleteWrongRepetition;
  }
  return plan::Reason::kNone;
}

/// Fills the table that a repetition which refers to its own block sees: the objects of the state.
void LendStoredRows(const config::Resource& resource, const BlockInfo& info,
                    const state::Resource* stored, const FlatSet<InstanceKey>& going,
                    ResourceTable& table) {
  table.expansion.kind = config::ExpansionKindOf(resource);
  table.expanded = true;
  table.has_gaps = true;
  if (stored == nullptr || info.schema == nullptr) {
    return;
  }
  for (const state::Instance& entry : stored->instances) {
    if (entry.current == nullptr || going.contains(entry.key)) {
      continue;
    }
    if (std::optional<Value> value = StoredValue(*info.schema, *entry.current)) {
      Row& row = table.rows.emplace_back();
      row.key = entry.key;
      row.value = std::move(value);
    }
  }
}

/// Gives the rows of an expanded table their objects of the state, and adds a row for each object
/// that the expansion lacks.
void AddStoredRows(const config::Resource& resource, const state::Resource& stored,
                   ResourceTable& table) {
  // Keys are unique, so orphans are not searched for among each other.
  std::vector<const state::Instance*> unwanted;
  for (const state::Instance& entry : stored.instances) {
    if (Row* row = table.Find(entry.key)) {
      row->stored = &entry;
    } else {
      unwanted.push_back(&entry);
    }
  }
  for (const state::Instance* entry : unwanted) {
    if (entry->current != nullptr) {
      Row& row = table.rows.emplace_back();
      row.key = entry->key;
      row.origin = RowOrigin::kOrphan;
      row.delete_reason = OrphanReason(resource, table.expansion, entry->key);
      row.stored = entry;
    }
  }
}

}  // namespace

Expansion ExpandBlock(Walk& walk, ModuleInstance& instance, size_t index,
                      const state::Resource* stored, const FlatSet<InstanceKey>& going,
                      Diagnostics& diags) {
  const config::Resource& resource = instance.node->module->resources[index];
  const BlockInfo& info = walk.graph.blocks[instance.node->index][index];
  ResourceTable& table = *instance.resources[index];
  if (resource.enabled != nullptr &&
      !ReferenceCheck(walk, *instance.node).ExprAnyway(*resource.enabled, diags)) {
    return {};
  }
  const ReferenceCheck check(walk, *instance.node);
  for (const hcl::Expr* expr : {resource.count, resource.for_each}) {
    if (expr != nullptr && !check.Expr(*expr, diags)) {
      return {};
    }
  }
  const bool names_itself = info.self_references.has_value();
  if (names_itself) {
    LendStoredRows(resource, info, stored, going, table);
  }
  Expansion expansion = config::Expand(config::ArgumentsOf(resource), ModuleScope(walk, instance),
                                       walk.program, false, diags);
  if (names_itself) {
    table.expansion = Expansion();
    table.expanded = table.has_gaps = false;
    table.rows.clear();
    table.whole.reset();
  }
  return expansion;
}

bool ExpandResource(NodeContext& context, NodeId id, ModuleInstance& instance, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const config::Resource& resource = instance.node->module->resources[node.index];
  ResourceTable& table = *instance.resources[node.index];
  const state::Resource* stored = walk.StoredOf(instance, node.index);
  size_t errors = diags.error_count();
  table.expansion = ExpandBlock(walk, instance, node.index, stored, {}, diags);
  if (diags.error_count() != errors) {
    return false;
  }
  size_t wanted = table.expansion.size();
  table.rows.resize(wanted);
  for (size_t i = 0; i < wanted; ++i) {
    table.rows[i].key = table.expansion.key(i);
    table.rows[i].expansion_row = static_cast<uint32_t>(i);
  }
  table.expanded = true;
  if (stored != nullptr) {
    AddStoredRows(resource, *stored, table);
  }
  return true;
}

}  // namespace kinu::engine
