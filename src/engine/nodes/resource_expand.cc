#include "engine/expansion.h"
#include "engine/nodes/nodes.h"

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

}  // namespace

bool ExpandResource(NodeContext& context, NodeId id, ModuleInstance& instance, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const config::Resource& resource = instance.node->module->resources[node.index];
  ResourceTable& table = *instance.resources[node.index];
  ModuleScope scope(walk, instance, instance.parent != nullptr ? Repetition{} : Repetition{});
  size_t errors = diags.error_count();
  table.expansion = Expand({resource.count, resource.for_each, resource.enabled}, scope,
                           walk.program, walk.kind == WalkKind::kValidate, diags);
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
  const BlockInfo& info = walk.blocks[node.config_node][node.index];
  for (const state::Resource* stored : info.stored) {
    if (stored->address.module != instance.id) {
      continue;
    }
    // Rows that are not wanted are not looked for among each other: keys are unique.
    std::vector<const state::Instance*> unwanted;
    for (const state::Instance& entry : stored->instances) {
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
        row.orphan = true;
        row.delete_reason = OrphanReason(resource, table.expansion, entry->key);
        row.stored = entry;
      }
    }
  }
  return true;
}

}  // namespace kinu::engine
