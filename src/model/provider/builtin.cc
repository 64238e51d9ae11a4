#include "provider/builtin.h"

#include <algorithm>

#include "base/files.h"
#include "cty/conversion.h"
#include "cty/json.h"
#include "json/reader.h"
#include "lang/deprecation.h"
#include "provider/schema_table.h"

namespace kinu::provider {
namespace {

/// A JSON object without the members that the type lacks.
std::string OnlyAttributesOf(const Type& type, std::string_view json) {
  const JsonDocument document = ParseJson(json);
  std::string out = "{";
  for (const JsonMember& member : document.root().members()) {
    if (type.FindAttribute(member.name) >= 0) {
      out += out.size() > 1 ? "," : "";
      out += json.substr(member.name_begin, member.name_end - member.name_begin);
      out += ':';
      out += json.substr(member.value.begin(), member.value.end() - member.value.begin());
    }
  }
  return out + '}';
}

constexpr std::string_view kDataType = "terraform_data";
constexpr std::string_view kRemoteStateType = "terraform_remote_state";

// Attributes of terraform_data, in the order of its object type.
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

  // `providers schema -json` prints descriptions, so that they equal OpenTofu's.
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
                      .attribute = std::nullopt,
                      .sourceless = true});
}

/// A terraform_data object. Its type depends on the values of its dynamic attributes.
Value MakeData(std::vector<Value> values) {
  static const Type::Attribute kAttributes[] = {{"id", Type::String()},
                                                {"input", Type::Dynamic()},
                                                {"output", Type::Dynamic()},
                                                {"triggers_replace", Type::Dynamic()}};
  static const Type kType = Type::Object(kAttributes);
  return Value::ObjectOf(kType, std::move(values));
}

std::vector<Value> Attributes(const Value& object) {
  auto elements = object.elements();
  return {elements.begin(), elements.end()};
}

/// The data source terraform_remote_state. Ref: builtin/providers/tf/data_source_state.go.
class RemoteStateData {
 public:
  explicit RemoteStateData(std::shared_ptr<RemoteStates> states) : states_(std::move(states)) {}

  void Validate(const Value& config, Problems& problems) const {
    const Value& settings = config.Attribute("config");
    if (settings.IsWhollyKnown() && config.Attribute("backend").IsKnown()) {
      (void)Settings(config, problems);
    } else if (!IsObjectLike(settings.type())) {
      AddError(problems, "Invalid backend configuration",
               "The configuration must be an object value.", "config");
    }
    if (!IsObjectLike(config.Attribute("defaults").type())) {
      AddError(problems, "Invalid default values", "Defaults must be given in an object value.",
               "defaults");
    }
  }

  bool defers_reads() const { return states_ != nullptr && states_->defers_reads(); }
  bool DefersRead(std::string_view address, const Value& config) const {
    return states_ != nullptr && states_->DefersRead(address, config);
  }

  Value Read(std::string_view address, const Value& config, Problems& problems) const {
    std::optional<Value> settings = Settings(config, problems);
    if (!settings) {
      return {};
    }
    const Value& workspace = config.Attribute("workspace");
    std::optional<std::vector<RemoteOutput>> stored =
        states_->Read(address, config.Attribute("backend").AsString(), *settings,
                      workspace.IsNull() ? "default" : workspace.AsString(), problems);
    if (!stored) {
      if (!HasErrors(problems)) {
        AddError(problems, "Unable to find remote state",
                 "No stored state was found for the given workspace in the given backend.",
                 "workspace");
      }
      return {};
    }
    std::vector<std::pair<std::string, Value>> outputs;
    for (RemoteOutput& output : *stored) {
      if (!output.deprecated.empty()) {
        lang::DeprecationCause cause;
        cause.by = output.name;
        cause.message = std::move(output.deprecated);
        output.value = output.value.WithMarks(lang::DeprecatedMark(cause));
      }
      outputs.emplace_back(output.name, std::move(output.value));
    }
    const Value& defaults = config.Attribute("defaults");
    for (size_t i = 0; !defaults.IsNull() && i < defaults.size(); ++i) {
      std::string name(defaults.key(i));
      bool known = std::any_of(outputs.begin(), outputs.end(),
                               [&](const auto& output) { return output.first == name; });
      if (!known) {
        outputs.emplace_back(std::move(name), defaults.elements()[i]);
      }
    }
    return Value::Object({{"backend", config.Attribute("backend")},
                          {"config", config.Attribute("config")},
                          {"defaults", defaults},
                          {"outputs", Value::Object(std::move(outputs))},
                          {"workspace", workspace}});
  }

 private:
  static bool IsObjectLike(const Type& type) {
    return type.is_dynamic() || type.is_object() || type.is_map();
  }
  static void AddError(Problems& problems, std::string summary, std::string detail,
                       std::string_view attribute) {
    problems.push_back({.severity = Severity::kError,
                        .summary = std::move(summary),
                        .detail = std::move(detail),
                        .attribute = Path().Attribute(attribute)});
  }

  /// Checks the settings of the backend and returns them as an object. Nothing after a problem.
  std::optional<Value> Settings(const Value& config, Problems& problems) const {
    if (states_ == nullptr) {
      AddError(problems, "Invalid backend configuration", "States of others cannot be read here.",
               "backend");
      return std::nullopt;
    }
    if (config.Attribute("backend").IsNull()) {
      AddError(problems, "Invalid backend configuration", "The name of the backend is null.",
               "backend");
      return std::nullopt;
    }
    Value settings = config.Attribute("config");
    if (settings.IsNull()) {
      settings = Value::EmptyObject();
    } else if (settings.type().is_map()) {
      std::vector<std::pair<std::string, Value>> attributes;
      for (size_t i = 0; i < settings.size(); ++i) {
        attributes.emplace_back(settings.key(i), settings.elements()[i]);
      }
      settings = Value::Object(std::move(attributes));
    } else if (!settings.type().is_object()) {
      AddError(problems, "Invalid backend configuration",
               "The configuration must be an object value.", "config");
      return std::nullopt;
    }
    Problems found;
    states_->Check(config.Attribute("backend").AsString(), settings, found);
    bool failed = HasErrors(found);
    problems.insert(problems.end(), found.begin(), found.end());
    return failed ? std::nullopt : std::optional(std::move(settings));
  }

  std::shared_ptr<RemoteStates> states_;
};

class BuiltInProvider final : public Provider {
 public:
  explicit BuiltInProvider(std::shared_ptr<RemoteStates> states)
      : remote_states_(std::move(states)) {}

  const schema::ProviderSchema& schema() const override { return BuiltInSchema(); }
  bool blocking() const override { return false; }
  bool reads_block() const override { return true; }  // states may be far away

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

  void ValidateDataConfig(std::string_view, const Value& config, Problems& problems) override {
    remote_states_.Validate(config, problems);
  }
  void ValidateEphemeralConfig(std::string_view type, const Value&, Problems& problems) override {
    NoEphemeral(type, problems);
  }
  void Configure(const Value&, Problems&) override {}

  Value UpgradeResourceState(std::string_view, int64_t, const RawState& raw,
                             Problems& problems) override {
    auto value = ValueFromJson(raw.json, DataTypeOf());
    if (!value && ParseJson(raw.json).root().is_object()) {
      // Attributes that are no longer in the schema are dropped.
      value = ValueFromJson(OnlyAttributesOf(DataTypeOf(), raw.json), DataTypeOf());
    }
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
      SetComputed(planned, input);
    } else if (!Value::RawEquals(request.prior.elements()[kTriggersReplace], triggers)) {
      response.requires_replace.push_back(Path().Attribute("triggers_replace"));
      SetComputed(planned, input);
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

  bool defers_reads() const override { return remote_states_.defers_reads(); }
  bool DefersRead(std::string_view, std::string_view address, const Value& config) override {
    return remote_states_.DefersRead(address, config);
  }
  Value ReadDataSource(std::string_view, std::string_view address, const Value& config,
                       const Value&, Problems& problems) override {
    Value read = remote_states_.Read(address, config, problems);
    if (HasErrors(problems)) {
      AddError(problems, std::string(address) + ": Unable to read remote state");
    }
    return read;
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

  std::expected<Value, std::string> CallFunction(std::string_view name,
                                                 std::span<const Value> arguments,
                                                 int* argument) override {
    return CallBuiltInFunction(name, arguments, argument);
  }

  void Stop() override {}
  void Close() override {}

 private:
  static const Type& DataTypeOf() {
    return BuiltInSchema().FindResource(kDataType)->block.implied_type();
  }

  /// Plans the computed attributes of a new object: an unknown id, and an output of the input's
  /// type.
  void SetComputed(std::vector<Value>& planned, const Value& input) const {
    planned[kId] = unknown_id_;
    planned[kOutput] = input.IsNull() ? input : Value::Unknown(input.type());
  }

  static void NoEphemeral(std::string_view type, Problems& problems) {
    AddError(problems, "The built-in provider has no ephemeral resource type " + std::string(type));
  }

  RemoteStateData remote_states_;
  const Value unknown_id_ = Value::Unknown(Type::String(), {.not_null = true});
};

}  // namespace

const schema::ProviderSchema& BuiltInSchema() {
  static const SchemaTable kTable = MakeSchema();
  return kTable;
}

std::unique_ptr<Provider> MakeBuiltInProvider(std::shared_ptr<RemoteStates> states) {
  return std::make_unique<BuiltInProvider>(std::move(states));
}

}  // namespace kinu::provider
