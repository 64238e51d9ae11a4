#include "session/stored_data.h"

#include "schema/propose.h"

namespace kinu::session {
namespace {

const state::Object* ObjectAt(const state::State& state, std::string_view address) {
  ResourceInstance instance;
  if (!state.program->ParseResourceInstance(address, &instance)) {
    return nullptr;
  }
  const state::Resource* resource = state.Find(instance.resource);
  const state::Instance* found = resource == nullptr ? nullptr : resource->Find(instance.key);
  return found == nullptr ? nullptr : found->current.get();
}

}  // namespace

std::optional<Value> StoredData::Find(const schema::ResourceSchema& schema,
                                      std::string_view address) const {
  const state::Object* object = ObjectAt(state_, address);
  if (object == nullptr || object->schema_version != static_cast<uint64_t>(schema.version)) {
    return std::nullopt;
  }
  const Result<Value> decoded = state::DecodeObject(*object, schema.block.implied_type());
  return decoded && !decoded->IsNull() ? std::optional(decoded->UnmarkDeep()) : std::nullopt;
}

std::optional<Value> StoredData::Find(const schema::ResourceSchema& schema,
                                      std::string_view address, const Value& config) const {
  std::optional<Value> copy = config.IsWhollyKnown() ? Find(schema, address) : std::nullopt;
  const bool same =
      copy && Value::RawEquals(schema::ProposeNew(schema.block, *copy, config), *copy);
  return same ? std::move(copy) : std::nullopt;
}

}  // namespace kinu::session
