#include "view/recorded/schemas.h"

#include "provider/builtin.h"

namespace kinu::view {

using json::Member;
using json::Node;

namespace {

std::string WrittenKey(std::string_view mode, std::string_view type) {
  return std::string(mode) + " " + std::string(type);
}

}  // namespace

void RecordedSchemas::ObserveConfiguration(const Node& configuration) {
  if (const Node root = MemberOf(configuration, "root_module")) {
    ObserveModule(root);
  }
}

void RecordedSchemas::ObserveModule(const Node& module) {
  if (const Node resources = MemberOf(module, "resources"); resources && resources.is_array()) {
    for (const Node resource : resources.elements()) {
      written_[WrittenKey(TextOf(resource, "mode"), TextOf(resource, "type"))].Observe(
          MemberOf(resource, "expressions"));
    }
  }
  if (const Node calls = MemberOf(module, "module_calls"); calls && calls.is_object()) {
    for (const Member call : calls.members()) {
      if (const Node called = MemberOf(call.value, "module")) {
        ObserveModule(called);
      }
    }
  }
}

void RecordedSchemas::Observe(const Program& program, const std::string& provider,
                              const ResourceName& resource, const Node& value,
                              const Node& unknown) {
  const std::string type(program.Text(resource.type));
  Provider& entry = providers_[provider];
  switch (resource.mode) {
    case ResourceMode::kManaged:
      entry.managed[type].Observe(value, unknown);
      break;
    case ResourceMode::kData:
      entry.data[type].Observe(value, unknown);
      break;
    case ResourceMode::kEphemeral:
      entry.ephemeral[type].Observe(value, unknown);
      break;
  }
}

void RecordedSchemas::Finish() {
  static const WrittenBlocks kNone;
  for (auto& [name, provider] : providers_) {
    provider.table = std::make_unique<provider::SchemaTable>();
    provider::SchemaTable& table = *provider.table;
    const auto fill = [&](const Types& shapes, ResourceMode mode,
                          provider::SchemaTable::Types& types) {
      for (const auto& [type, shape] : shapes) {
        const auto it = written_.find(WrittenKey(ModeName(mode), type));
        types[type].block = InferBlock(shape, it == written_.end() ? kNone : it->second);
      }
    };
    fill(provider.managed, ResourceMode::kManaged, table.resources);
    fill(provider.data, ResourceMode::kData, table.data);
    fill(provider.ephemeral, ResourceMode::kEphemeral, table.ephemeral);
    table.Finish();
    for (const auto& [type, shape] : provider.managed) {
      provider.known = provider.known && provider::BuiltInSchema().FindResource(type) != nullptr;
    }
    for (const auto& [type, shape] : provider.data) {
      provider.known = provider.known && provider::BuiltInSchema().FindData(type) != nullptr;
    }
  }
}

const schema::ProviderSchema* RecordedSchemas::Find(std::string_view provider) const {
  const auto it = providers_.find(provider);
  if (provider == kBuiltInProvider && (it == providers_.end() || it->second.known)) {
    return &provider::BuiltInSchema();
  }
  return it == providers_.end() ? nullptr : it->second.table.get();
}

}  // namespace kinu::view
