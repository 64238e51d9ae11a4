#include "engine/instances.h"

#include <algorithm>

#include "schema/marks.h"

namespace kinu::engine {

const ReadValues kNothingRead;

Expansion ExpansionOfStored(const config::Resource& resource, const state::Resource* stored) {
  Expansion expansion;
  expansion.kind = config::ExpansionKindOf(resource);
  if (stored == nullptr) {
    return expansion;
  }
  for (const state::Instance& entry : stored->instances) {
    if (entry.key.kind() == InstanceKey::Kind::kInt) {
      expansion.count = std::max(expansion.count, entry.key.index() + 1);
    } else if (entry.key.kind() == InstanceKey::Kind::kString) {
      expansion.keys.push_back(entry.key.symbol());
      expansion.values.push_back(Value::DynamicUnknown());
    }
  }
  return expansion;
}

std::optional<Value> StoredValue(const schema::ResourceSchema& schema,
                                 const state::Object& object) {
  const Result<Value> value = state::DecodeObject(object, schema.block.implied_type());
  return value ? std::optional(schema::MarkSensitive(schema.block, *value)) : std::nullopt;
}

std::optional<size_t> ResourceTable::Position(const InstanceKey& key) const {
  // Rows of the expansion are found by position; only orphans have to be searched.
  size_t known = expansion.size();
  if (expansion.kind == Expansion::Kind::kCount && key.kind() == InstanceKey::Kind::kInt &&
      key.index() >= 0 && static_cast<size_t>(key.index()) < std::min(known, rows.size())) {
    return static_cast<size_t>(key.index());
  }
  if (expansion.kind == Expansion::Kind::kForEach && key.kind() == InstanceKey::Kind::kString) {
    // Cells of one block ask at the same time, and the first one builds the index.
    std::lock_guard lock(whole_mutex);
    if (key_index == nullptr) {
      key_index = std::make_unique<FlatMap<uint32_t, uint32_t>>();
    }
    if (key_index->empty() && !expansion.keys.empty()) {
      for (size_t i = 0; i < expansion.keys.size(); ++i) {
        key_index->emplace(expansion.keys[i].id, static_cast<uint32_t>(i));
      }
    }
    auto it = key_index->find(key.symbol().id);
    if (it != key_index->end() && it->second < rows.size()) {
      return it->second;
    }
  }
  size_t begin = expansion.kind == Expansion::Kind::kSingle ? 0 : std::min(known, rows.size());
  for (size_t i = begin; i < rows.size(); ++i) {
    if (rows[i].key == key) {
      return i;
    }
  }
  return std::nullopt;
}

std::unique_ptr<ModuleInstance> ModuleInstance::Make(ModuleInstId id,
                                                     const config::ConfigNode* node,
                                                     ModuleInstance* parent,
                                                     Repetition repetition) {
  auto instance = std::make_unique<ModuleInstance>();
  const config::Module& module = *node->module;
  instance->id = id;
  instance->node = node;
  instance->parent = parent;
  instance->repetition = repetition;
  instance->variables.assign(module.variables.size(), Value::DynamicUnknown());
  instance->locals.assign(module.locals.size(), Value::DynamicUnknown());
  instance->outputs = std::vector<OutputSlot>(module.outputs.size());
  instance->resources.reserve(module.resources.size());
  for (size_t i = 0; i < module.resources.size(); ++i) {
    instance->resources.push_back(std::make_unique<ResourceTable>());
  }
  instance->calls.reserve(module.calls.size());
  for (size_t i = 0; i < module.calls.size(); ++i) {
    instance->calls.push_back(std::make_unique<CallTable>());
  }
  return instance;
}

}  // namespace kinu::engine
