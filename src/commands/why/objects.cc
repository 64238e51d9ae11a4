#include "why/objects.h"

#include <algorithm>

#include "schema/marks.h"

namespace kinu::why {

Objects::Objects(const plan::Plan& plan, const view::SchemaLookup& schemas)
    : plan_(plan), schemas_(schemas) {
  Program& program = *plan.program;
  for (const auto& resource : plan.previous_state.resources) {
    for (ModuleInstId at = resource->address.module; modules_.insert(at.id).second;) {
      if (at.is_root()) {
        break;
      }
      at = program.Parent(at);
    }
  }
  for (const plan::ResourceChange& change : plan.changes) {
    if (!change.deposed.empty()) {
      continue;
    }
    PlannedObject& object = Ensure(change.address);
    object.change = &change;
    object.now = Marked(change.after, change.provider, change.address.resource.resource);
    object.earlier = Marked(change.before, change.provider, change.address.resource.resource);
  }
  for (const plan::ResourceChange& drift : plan.drift) {
    if (!drift.deposed.empty()) {
      continue;
    }
    PlannedObject& object = Ensure(drift.address);
    object.drift = &drift;
    object.earlier = Marked(drift.before, drift.provider, drift.address.resource.resource);
  }
  AddRead();
}

/// Adds the objects that the plan does not list, as its states have them: those of data sources,
/// and what a target leaves out.
void Objects::AddRead() {
  const auto decode = [&](const state::Resource& resource, const state::Instance* instance) {
    const schema::ResourceSchema* schema = SchemaOf(resource.provider, resource.address.resource);
    if (instance == nullptr || instance->current == nullptr || schema == nullptr ||
        instance->current->schema_version != static_cast<uint64_t>(schema->version)) {
      return Value();
    }
    const auto value = state::DecodeObject(*instance->current, schema->block.implied_type());
    return value ? schema::MarkSensitive(schema->block, *value) : Value();
  };
  for (const auto& resource : plan_.prior_state.resources) {
    const state::Resource* before = plan_.previous_state.Find(resource->address);
    for (const state::Instance& instance : resource->instances) {
      PlannedObject& object = Ensure({resource->address, instance.key});
      if (object.change != nullptr || object.drift != nullptr) {
        continue;
      }
      object.now = decode(*resource, &instance);
      object.earlier = before == nullptr ? Value() : decode(*before, before->Find(instance.key));
    }
  }
}

PlannedObject& Objects::Ensure(const ResourceInstance& address) {
  std::vector<PlannedObject>& list = objects_[address.resource];
  // Changes come in the order of their keys: most are added at the end.
  const auto at = Place(list, address.key);
  return at != list.end() && at->key == address.key
             ? *at
             : *list.insert(at, PlannedObject{.key = address.key});
}

Value Objects::Marked(const Value& value, const ProviderConfig& provider,
                      const ResourceName& name) const {
  const schema::ResourceSchema* schema = SchemaOf(provider, name);
  return schema == nullptr || value.IsNull() || !value.IsKnown()
             ? value
             : schema::MarkSensitive(schema->block, value);
}

const schema::ResourceSchema* Objects::SchemaOf(const ProviderConfig& provider,
                                                const ResourceName& name) const {
  const Program& program = *plan_.program;
  return schemas_.FindResource(program.Text(provider.provider), name.mode, program.Text(name.type));
}

const std::vector<PlannedObject>& Objects::Of(const AbsResource& resource) const {
  static const std::vector<PlannedObject> kNone;
  const auto found = objects_.find(resource);
  return found == objects_.end() ? kNone : found->second;
}

const PlannedObject* Objects::Find(const ResourceInstance& address) const {
  const std::vector<PlannedObject>& list = Of(address.resource);
  const auto found = Place(list, address.key);
  return found != list.end() && found->key == address.key ? &*found : nullptr;
}

}  // namespace kinu::why
