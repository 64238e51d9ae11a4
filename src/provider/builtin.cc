#include "provider/builtin.h"

#include "base/files.h"
#include "cty/convert.h"
#include "cty/json.h"
#include "provider/schema_table.h"

namespace kinu::provider {
namespace {

constexpr std::string_view kDataType = "terraform_data";
constexpr std::string_view kRemoteStateType = "terraform_remote_state";

// Attributes of terraform_data in the order of its (sorted) object type.
enum DataAttribute : size_t { kId, kInput, kOutput, kTriggersReplace };

schema::Attribute MakeAttribute(std::string_view name, Type type) {
  schema::Attribute attribute;
  attribute.name = name;
  attribute.type = std::move(type);
  return attribute;
}

schema::Attribute Optional(std::string_view name, Type type) {
  schema::Attribute attribute = MakeAttribute(name, std::move(type));
  attribute.optional = true;
  return attribute;
}

schema::Attribute Computed(std::string_view name, Type type) {
  schema::Attribute attribute = MakeAttribute(name, std::move(type));
  attribute.computed = true;
  return attribute;
}

schema::Attribute Described(schema::Attribute attribute, std::string_view description) {
  attribute.description = description;
  attribute.description_kind = schema::TextKind::kMarkdown;
  return attribute;
}

schema::FunctionSignature OneArgument(std::string_view name, std::string_view parameter,
                                      Type parameter_type, std::string_view parameter_text,
                                      Type result, std::string_view summary,
                                      std::string_view description) {
  schema::FunctionSignature function;
  function.name = name;
  schema::FunctionParameter argument;
  argument.name = parameter;
  argument.type = std::move(parameter_type);
  argument.description = parameter_text;
  function.parameters.push_back(std::move(argument));
  function.return_type = std::move(result);
  function.summary = summary;
  function.description = description;
  return function;
}

SchemaTable MakeSchema() {
  SchemaTable table;
  schema::Block& data = table.resources[std::string(kDataType)].block;
  data.attributes.push_back(Optional("input", Type::Dynamic()));
  data.attributes.push_back(Computed("output", Type::Dynamic()));
  data.attributes.push_back(Optional("triggers_replace", Type::Dynamic()));
  data.attributes.push_back(Computed("id", Type::String()));

  // Descriptions are part of `providers schema -json`, hence equal to the reference's.
  schema::Block& state = table.data[std::string(kRemoteStateType)].block;
  schema::Attribute backend = MakeAttribute("backend", Type::String());
  backend.required = true;
  state.attributes.push_back(
      Described(std::move(backend), "The remote backend to use, e.g. `remote` or `http`."));
  state.attributes.push_back(
      Described(Optional("config", Type::Dynamic()),
                "The configuration of the remote backend. Although this is optional, most backends "
                "require some configuration.\n\nThe object can use any arguments that would be "
                "valid in the equivalent `terraform { backend \"<TYPE>\" { ... } }` block."));
  state.attributes.push_back(
      Described(Optional("defaults", Type::Dynamic()),
                "Default values for outputs, in case the state file is empty or lacks a required "
                "output."));
  state.attributes.push_back(
      Described(Computed("outputs", Type::Dynamic()),
                "An object containing every root-level output in the remote state."));
  state.attributes.push_back(
      Described(Optional("workspace", Type::String()),
                "The OpenTofu workspace to use, if the backend supports workspaces."));

  table.functions["decode_tfvars"] = OneArgument(
      "decode_tfvars", "content", Type::String(), "TFVars file content to decode", Type::Dynamic(),
      "Decode a TFVars file content into an object",
      "provider::terraform::decode_tfvars decodes a TFVars file content into an object");
  table.functions["encode_tfvars"] = OneArgument(
      "encode_tfvars", "input", Type::Dynamic(),
      "Input to encode for TFVars file. Must be an object with key that are valid identifiers",
      Type::String(), "Encode an object into a string with the same format as a TFVars file",
      "provider::terraform::encode_tfvars encodes an object into a string with the same format as "
      "a TFVars file");
  table.functions["encode_expr"] =
      OneArgument("encode_expr", "expr", Type::Dynamic(), "expression to encode", Type::String(),
                  "Takes an arbitrary expression and converts it into a string with valid OpenTofu "
                  "syntax",
                  "provider::terraform::encode_expr takes an arbitrary expression and converts it "
                  "into a string with valid OpenTofu syntax");
  table.can.get_provider_schema_optional = true;
  table.can.plan_destroy = false;
  table.Finish();
  return table;
}

void AddError(Problems& problems, std::string summary) {
  problems.push_back({.severity = Severity::kError,
                      .summary = std::move(summary),
                      .detail = {},
                      .attribute = std::nullopt});
}

/// A terraform_data object. Its type depends on what its dynamic attributes hold.
Value MakeData(std::vector<Value> values) {
  const Type::Attribute attributes[] = {{"id", Type::String()},
                                        {"input", values[kInput].type()},
                                        {"output", values[kOutput].type()},
                                        {"triggers_replace", values[kTriggersReplace].type()}};
  return Value::ObjectOf(Type::Object(attributes), std::move(values));
}

std::vector<Value> Attributes(const Value& object) {
  auto elements = object.elements();
  return {elements.begin(), elements.end()};
}

class BuiltInProvider final : public Provider {
 public:
  const schema::ProviderSchema& schema() const override { return BuiltInSchema(); }
  bool blocking() const override { return false; }

  void ValidateProviderConfig(const Value&, Problems&) override {}

  void ValidateResourceConfig(std::string_view, const Value& config, Problems& problems) override {
    if (config.IsNull()) {
      return;
    }
    for (std::string_view name : {"id", "output"}) {
      if (!config.Attribute(name).IsNull()) {
        AddError(problems, '"' + std::string(name) + "\" attribute is read-only");
      }
    }
  }

  void ValidateDataConfig(std::string_view, const Value&, Problems&) override {}
  void ValidateEphemeralConfig(std::string_view type, const Value&, Problems& problems) override {
    NoEphemeral(type, problems);
  }
  void Configure(const Value&, Problems&) override {}

  Value UpgradeResourceState(std::string_view, int64_t, const RawState& raw,
                             Problems& problems) override {
    auto value = ValueFromJson(raw.json, DataTypeOf());
    if (!value) {
      AddError(problems, value.error().ToText());
      return Value::Null(DataTypeOf());
    }
    return *std::move(value);
  }

  Value UpgradeResourceIdentity(std::string_view, int64_t, std::string_view, Problems&) override {
    return {};
  }

  ReadResponse ReadResource(const ReadRequest& request, Problems&) override {
    return {.state = request.prior, .private_data = request.private_data, .identity = {}};
  }

  PlanResponse PlanResourceChange(const PlanRequest& request, Problems&) override {
    PlanResponse response;
    if (request.proposed.IsNull()) {
      response.planned = request.proposed;
      return response;
    }
    const Value& input = request.proposed.elements()[kInput];
    const Value& triggers = request.proposed.elements()[kTriggersReplace];
    std::vector<Value> planned = Attributes(request.proposed);
    if (request.prior.IsNull()) {
      Renew(planned, input);
    } else if (!Value::RawEquals(request.prior.elements()[kTriggersReplace], triggers)) {
      response.requires_replace.push_back(Path().Attribute("triggers_replace"));
      Renew(planned, input);
    } else if (!Value::RawEquals(request.prior.elements()[kInput], input)) {
      planned[kOutput] = Value::Unknown(input.type());
    } else {
      response.planned = request.proposed;
      return response;
    }
    response.planned = MakeData(std::move(planned));
    return response;
  }

  ApplyResponse ApplyResourceChange(const ApplyRequest& request, Problems&) override {
    ApplyResponse response;
    if (request.planned.IsNull()) {
      response.state = request.planned;
      return response;
    }
    std::vector<Value> state = Attributes(request.planned);
    if (!state[kOutput].IsKnown()) {
      state[kOutput] = state[kInput];
    }
    if (!state[kId].IsKnown()) {
      state[kId] = Value::NormalizedString(RandomUuid());
    }
    response.state = MakeData(std::move(state));
    return response;
  }

  Value ReadDataSource(std::string_view type, const Value&, const Value&,
                       Problems& problems) override {
    problems.push_back({.severity = Severity::kError,
                        .summary = "Unable to read remote state",
                        .detail = "The data source " + std::string(type) +
                                  " is known to this program, but reading the state of another "
                                  "configuration is not built yet.",
                        .attribute = std::nullopt});
    return {};
  }

  std::vector<ImportedObject> ImportResourceState(std::string_view type, std::string_view id,
                                                  const Value&, Problems&) override {
    std::vector<Value> values(4);
    values[kId] = Value::String(id);
    ImportedObject object;
    object.type = type;
    object.state = MakeData(std::move(values));
    std::vector<ImportedObject> objects;
    objects.push_back(std::move(object));
    return objects;
  }

  ImportedObject MoveResourceState(const MoveRequest& request, Problems& problems) override {
    ImportedObject moved;
    moved.type = request.target_type;
    if (request.source_type != "null_resource" || request.target_type != kDataType) {
      AddError(problems, "unsupported move: " + request.source_type + " -> " +
                             std::string(request.target_type) +
                             "; only move from null_resource to terraform_data is supported");
      return moved;
    }
    const Type::Attribute old_attributes[] = {{"id", Type::String()},
                                              {"triggers", Type::Map(Type::String())}};
    auto old = ValueFromJson(request.source_state.json, Type::Object(old_attributes));
    if (!old) {
      AddError(problems, old.error().ToText());
      return moved;
    }
    std::vector<Value> values(4);
    values[kId] = old->Attribute("id");
    const Value& triggers = old->Attribute("triggers");
    if (!triggers.IsNull()) {
      std::vector<std::pair<std::string, Value>> entries;
      for (size_t i = 0; i < triggers.size(); ++i) {
        entries.emplace_back(triggers.key(i), triggers.elements()[i]);
      }
      values[kTriggersReplace] = Value::Object(std::move(entries));
    }
    moved.state = MakeData(std::move(values));
    moved.private_data = request.source_private;
    return moved;
  }

  EphemeralResponse OpenEphemeral(std::string_view type, const Value&,
                                  Problems& problems) override {
    NoEphemeral(type, problems);
    return {};
  }
  EphemeralResponse RenewEphemeral(std::string_view type, std::string_view,
                                   Problems& problems) override {
    NoEphemeral(type, problems);
    return {};
  }
  void CloseEphemeral(std::string_view type, std::string_view, Problems& problems) override {
    NoEphemeral(type, problems);
  }

  std::expected<Value, std::string> CallFunction(std::string_view name, std::span<const Value>,
                                                 int* argument) override {
    *argument = -1;
    if (schema().FindFunction(name) == nullptr) {
      return std::unexpected("provider function \"" + std::string(name) + "\" not found");
    }
    return std::unexpected("the function " + std::string(name) +
                           " of the built-in provider is not built yet");
  }

  void Stop() override {}
  void Close() override {}

 private:
  static const Type& DataTypeOf() {
    return BuiltInSchema().FindResource(kDataType)->block.implied_type();
  }

  /// What a new object gets: an id not known yet and an output that will equal the input.
  void Renew(std::vector<Value>& planned, const Value& input) const {
    planned[kId] = unknown_id_;
    planned[kOutput] = input.IsNull() ? input : Value::Unknown(input.type());
  }

  static void NoEphemeral(std::string_view type, Problems& problems) {
    AddError(problems, "The built-in provider has no ephemeral resource type " + std::string(type));
  }

  const Value unknown_id_ = Value::Unknown(Type::String(), {.not_null = true});
};

}  // namespace

const schema::ProviderSchema& BuiltInSchema() {
  static const SchemaTable table = MakeSchema();
  return table;
}

std::unique_ptr<Provider> MakeBuiltInProvider() {
  return std::make_unique<BuiltInProvider>();
}

}  // namespace kinu::provider
