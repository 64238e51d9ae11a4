#include "provider/schema_table.h"

#include "schema/declarations.h"

namespace kinu::provider {
namespace {

template <typename Map>
auto* FindIn(const Map& map, std::string_view name) {
  auto it = map.find(name);
  return it == map.end() ? nullptr : &it->second;
}

}  // namespace

void SchemaTable::Finish() {
  provider.block.Finish();
  if (meta) {
    meta->block.Finish();
  }
  for (Types* types : {&resources, &data, &ephemeral}) {
    for (auto& [name, schema] : *types) {
      schema.block.Finish();
      if (schema.identity != nullptr) {
        schema.identity->Finish();
        schema.identity_type = schema.identity->implied_type();
      }
    }
  }
}

const schema::ResourceSchema* SchemaTable::FindResource(std::string_view type) const {
  return FindIn(resources, type);
}
const schema::ResourceSchema* SchemaTable::FindData(std::string_view type) const {
  return FindIn(data, type);
}
const schema::ResourceSchema* SchemaTable::FindEphemeral(std::string_view type) const {
  return FindIn(ephemeral, type);
}
const schema::FunctionSignature* SchemaTable::FindFunction(std::string_view name) const {
  return FindIn(functions, name);
}
namespace {

const SchemaTable::Types& TypesOf(const SchemaTable& table, schema::TypeSet set) {
  switch (set) {
    case schema::TypeSet::kData:
      return table.data;
    case schema::TypeSet::kEphemeral:
      return table.ephemeral;
    case schema::TypeSet::kResources:
    case schema::TypeSet::kIdentities:
      break;
  }
  return table.resources;
}

}  // namespace

void SchemaTable::Visit(schema::TypeSet set, const schema::TypeVisitor& visit) const {
  Arena arena;
  for (const auto& [name, schema] : TypesOf(*this, set)) {
    if (set != schema::TypeSet::kIdentities || schema.identity != nullptr) {
      visit(name, schema::Declare(schema, arena));
    }
  }
}

std::vector<std::string> SchemaTable::FunctionNames() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : functions) {
    names.push_back(name);
  }
  return names;
}

}  // namespace kinu::provider
