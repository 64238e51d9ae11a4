// `show -json` of a state. Ref: opentofu internal/command/jsonstate.
#include <algorithm>
#include <optional>

#include "plan_json/documents.h"
#include "plan_json/module_tree.h"
#include "plan_json/stored_value.h"
#include "plan_json/value.h"
#include "state/large_file.h"

namespace kinu::view {
namespace {

using Tree = ModuleTree<const state::Resource*>;

class StateWriter {
 public:
  StateWriter(JsonWriter& out, const state::State& state, const SchemaLookup& schemas)
      : out_(out), state_(state), program_(*state.program), schemas_(schemas) {}

  Result<void> Module(const Tree& module);

 private:
  Result<void> Resource(const state::Resource& resource);
  Result<void> Object(const state::Resource& resource, const state::Instance& instance,
                      const state::Object& object, const schema::ResourceSchema& schema,
                      std::string_view deposed);
  Result<void> MakeValues(const state::Object& object, const schema::ResourceSchema& schema,
                          const ResourceInstance& address);
  void Dependencies(const state::DependencyList& list);
  const schema::ResourceSchema* Schema(const state::Resource& resource);

  JsonWriter& out_;
  const state::State& state_;
  const Program& program_;
  const SchemaLookup& schemas_;

  StoredValue stored_;
  std::string values_;  // of an object that was decoded; empty: not decoded
  std::string mask_;
  // The values of the previous resource: the next one usually has the same.
  state::DependencyList dependencies_;
  std::string dependencies_text_;
  std::optional<ProviderConfig> provider_;
  ResourceName type_;
  const schema::ResourceSchema* schema_ = nullptr;
};

Result<void> StateWriter::MakeValues(const state::Object& object,
                                     const schema::ResourceSchema& schema,
                                     const ResourceInstance& address) {
  const Result<Value> value = state::DecodeObject(object, schema.block.implied_type());
  if (!value) {
    return std::unexpected(value.error());
  }
  if (value->ContainsMarked() && value->MarksDeep().ephemeral()) {
    return Fail(ErrorCode::kInvalid,
                program_.ToText(address) + ": ephemeral values cannot be part of a state");
  }
  values_ = value->IsNull() ? std::string() : ValueText(*value);
  mask_.clear();
  JsonWriter out(mask_);
  WriteSensitiveMask(out, *value, schema.block.has_sensitive() ? &schema.block : nullptr);
  return {};
}

void StateWriter::Dependencies(const state::DependencyList& list) {
  if (list == nullptr || list->empty()) {
    return;
  }
  if (list != dependencies_) {
    dependencies_text_.clear();
    JsonWriter out(dependencies_text_);
    out.BeginArray();
    for (const ConfigResource& dependency : *list) {
      out.String(program_.ToText(dependency));
    }
    out.EndArray();
    dependencies_ = list;
  }
  out_.Key("depends_on");
  out_.Raw(dependencies_text_);
}

Result<void> StateWriter::Object(const state::Resource& resource, const state::Instance& instance,
                                 const state::Object& object, const schema::ResourceSchema& schema,
                                 std::string_view deposed) {
  const ResourceName& name = resource.address.resource;
  const ResourceInstance address{resource.address, instance.key};
  const bool copied = object.sensitive.empty() && object.sensitive_paths.empty() &&
                      !object.attributes.empty() &&
                      stored_.Read(object.attributes, schema.block.implied_type(),
                                   schema.block.has_sensitive() ? &schema.block : nullptr);
  if (!copied) {
    if (auto made = MakeValues(object, schema, address); !made) {
      return made;
    }
  }
  state::CountReadBytes(state_, object.attributes.size());
  out_.BeginObject();
  out_.Member("address", program_.ToText(address));
  out_.Member("mode", ModeName(name.mode));
  out_.Member("type", program_.Text(name.type));
  out_.Member("name", program_.Text(name.name));
  if (!instance.key.none()) {
    out_.Key("index");
    WriteInstanceKey(out_, program_, instance.key);
  }
  out_.Member("provider_name", ProviderName(program_, resource.provider));
  out_.Member("schema_version",
              deposed.empty() ? static_cast<int64_t>(object.schema_version) : int64_t{0});
  const std::string& values = copied ? stored_.value() : values_;
  if (!values.empty() && values != "{}") {
    out_.Key("values");
    out_.Raw(values);
  }
  out_.Key("sensitive_values");
  out_.Raw(copied ? stored_.mask() : mask_);
  Dependencies(object.dependencies);
  WriteOptional(out_, "tainted", object.status == state::ObjectStatus::kTainted);
  WriteOptional(out_, "deposed_key", deposed);
  if (!object.identity.empty()) {
    out_.Key("identity");
    out_.Embed(object.identity);
    if (object.identity_schema_version) {
      out_.Member("identity_schema_version", static_cast<int64_t>(*object.identity_schema_version));
    }
  }
  out_.EndObject();
  return {};
}

const schema::ResourceSchema* StateWriter::Schema(const state::Resource& resource) {
  const ResourceName& name = resource.address.resource;
  if (!provider_ || !(*provider_ == resource.provider) || type_.mode != name.mode ||
      type_.type != name.type) {
    provider_ = resource.provider;
    type_ = name;
    schema_ = schemas_.FindResource(ProviderName(program_, resource.provider), name.mode,
                                    program_.Text(name.type));
  }
  return schema_;
}

Result<void> StateWriter::Resource(const state::Resource& resource) {
  if (resource.instances.empty()) {
    return {};
  }
  const schema::ResourceSchema* const schema = Schema(resource);
  for (const state::Instance& instance : resource.instances) {
    if (auto done = CheckDocumented(program_, resource, instance, schema); !done) {
      return done;
    }
    if (instance.current != nullptr) {
      if (auto done = Object(resource, instance, *instance.current, *schema, {}); !done) {
        return done;
      }
    }
    for (const state::DeposedObject& deposed : instance.deposed) {
      if (auto done = Object(resource, instance, deposed.object, *schema, deposed.key); !done) {
        return done;
      }
    }
  }
  return {};
}

Result<void> StateWriter::Module(const Tree& module) {
  out_.BeginObject();
  const auto has_instances = [](const state::Resource* item) { return !item->instances.empty(); };
  if (std::ranges::any_of(module.items, has_instances)) {
    out_.Key("resources");
    out_.BeginArray();
    for (const state::Resource* resource : module.items) {
      if (auto done = Resource(*resource); !done) {
        return done;
      }
    }
    out_.EndArray();
  }
  WriteOptional(out_, "address", std::string_view(module.address));
  if (!module.children.empty()) {
    out_.Key("child_modules");
    out_.BeginArray();
    for (const Tree& child : module.children) {
      if (auto done = Module(child); !done) {
        return done;
      }
    }
    out_.EndArray();
  }
  out_.EndObject();
  return {};
}

void WriteStateOutputs(JsonWriter& out, std::span<const state::OutputValue> outputs) {
  out.BeginObject();
  for (const state::OutputValue& output : outputs) {
    const Value value = output.value.UnmarkDeep();
    out.Key(output.name);
    out.BeginObject();
    out.Member("sensitive", output.sensitive);
    WriteOptional(out, "deprecated", std::string_view(output.deprecated));
    out.Key("value");
    WriteValue(out, value);
    out.Key("type");
    WriteType(out, value.type());
    out.EndObject();
  }
  out.EndObject();
}

}  // namespace

Result<void> CheckDocumented(const Program& program, const state::Resource& resource,
                             const state::Instance& instance,
                             const schema::ResourceSchema* schema) {
  const ResourceName& name = resource.address.resource;
  if (name.mode == ResourceMode::kEphemeral) {
    return Fail(ErrorCode::kInvalid,
                "ephemeral resource \"" + program.ToText(name) + "\" cannot be part of a state");
  }
  const uint64_t version = schema == nullptr || name.mode != ResourceMode::kManaged
                               ? 0
                               : static_cast<uint64_t>(schema->version);
  if (instance.current != nullptr && instance.current->schema_version != version) {
    return Fail(ErrorCode::kInvalid,
                "schema version " + std::to_string(instance.current->schema_version) + " for " +
                    program.ToText(name) + " in state does not match version " +
                    std::to_string(version) + " from the provider");
  }
  if (schema == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "no schema found for " + program.ToText(name) + " (in provider " +
                    std::string(ProviderName(program, resource.provider)) + ")");
  }
  return {};
}

Result<void> WriteState(JsonWriter& out, const state::State& state, const SchemaLookup& schemas,
                        const StateDocumentOptions& options) {
  // A resource without instances shows that its module is there, and nothing else.
  std::vector<const state::Resource*> resources;
  if (!state.resources.empty()) {
    resources = state.Sorted();
  }
  out.BeginObject();
  out.Member("format_version", kStateFormatVersion);
  if (!resources.empty() || !state.outputs.empty()) {
    WriteOptional(out, "terraform_version", std::string_view(state.terraform_version));
    out.Key("values");
    out.BeginObject();
    if (!state.outputs.empty()) {
      out.Key("outputs");
      WriteStateOutputs(out, state.outputs);
    }
    out.Key("root_module");
    if (resources.empty()) {
      out.BeginObject();
      out.EndObject();
    } else {
      const Tree root =
          GroupByModule(*state.program, resources,
                        [](const state::Resource* resource) { return resource->address.module; });
      if (auto done = StateWriter(out, state, schemas).Module(root); !done) {
        return done;
      }
    }
    out.EndObject();
    if (options.checks && HasChecks(state.checks)) {
      out.Key("checks");
      WriteChecks(out, *state.program, state.checks);
    }
  }
  out.EndObject();
  return {};
}

}  // namespace kinu::view
