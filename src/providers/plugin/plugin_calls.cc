// The calls of a provider: a request from values, and values from the response.
#include "codec/protowire.h"
#include "plugin/messages.h"
#include "plugin/methods.h"
#include "plugin/plugin_provider.h"
#include "plugin/request.h"
#include "schema/marks.h"

namespace kinu::plugin {

using provider::ApplyRequest;
using provider::ApplyResponse;
using provider::EphemeralResponse;
using provider::ImportedObject;
using provider::MoveRequest;
using provider::PlanRequest;
using provider::PlanResponse;
using provider::Problems;
using provider::RawState;
using provider::ReadRequest;

namespace {

/// The version that providers see; they switch behaviour on it.
constexpr std::string_view kAnnouncedVersion = "1.13.0";

/// A value of a response, or null with a problem.
Value Decoded(const std::optional<std::string_view>& message, const Type& type,
              Problems& problems) {
  if (!message) {
    return Value::Null(type);
  }
  auto value = ReadDynamicValue(*message, type);
  if (!value) {
    AddError(problems, value.error().ToText());
    return Value::Null(type);
  }
  return *std::move(value);
}

/// Reports values for attributes that providers must never return. Ref: opentofu
/// internal/plugin/validation/write_only.go.
void RefuseWriteOnly(const schema::Block& block, const Value& value, std::string_view type,
                     Problems& problems) {
  for (const Path& path : schema::PresentWriteOnly(block, value)) {
    AddError(problems, "Invalid provider response",
             "Resource type \"" + std::string(type) +
                 "\" returned an actual value for the write-only attribute \"" + path.ToText() +
                 "\", which is only ever sent to the provider. This is a bug of the provider.");
  }
}

Value DecodedIdentity(const std::optional<std::string_view>& message,
                      const schema::ResourceSchema& schema, Problems& problems) {
  if (!message || schema.identity == nullptr) {
    return {};
  }
  auto value = ReadIdentity(*message, schema.identity_type);
  if (!value) {
    AddError(problems, value.error().ToText());
    return {};
  }
  return *std::move(value);
}

}  // namespace

const schema::ResourceSchema* PluginProvider::ResourceOf(std::string_view type,
                                                         Problems& problems) {
  const schema::ResourceSchema* found = schema_->FindResource(type);
  if (found == nullptr) {
    AddError(problems, "unknown resource type \"" + std::string(type) + '"');
  }
  return found;
}

const schema::ResourceSchema* PluginProvider::DataOf(std::string_view type, Problems& problems) {
  const schema::ResourceSchema* found = schema_->FindData(type);
  if (found == nullptr) {
    AddError(problems, "unknown data source \"" + std::string(type) + '"');
  }
  return found;
}

const schema::ResourceSchema* PluginProvider::EphemeralOf(std::string_view type,
                                                          Problems& problems) {
  const schema::ResourceSchema* found = schema_->FindEphemeral(type);
  if (found == nullptr) {
    AddError(problems, "unknown ephemeral resource \"" + std::string(type) + '"');
  }
  return found;
}

void PluginProvider::WriteMeta(Request& request, uint32_t field, const Value& meta) {
  if (const schema::ResourceSchema* schema = schema_->provider_meta(); schema != nullptr) {
    request.Dynamic(field, meta, schema->block.implied_type());
  }
}

void PluginProvider::ValidateProviderConfig(const Value& config, Problems& problems) {
  Request request(problems);
  request.Dynamic(1, config, schema_->provider_config().block.implied_type());
  std::string response;
  if (request.ok() && Call(methods_->validate_provider, request.bytes(), &response, problems)) {
    ReadResponse(response, {.diagnostics = 2}, problems);
  }
}

void PluginProvider::Validate(const char* method, std::string_view type,
                              const schema::ResourceSchema* schema, const Value& config,
                              bool capabilities, Problems& problems) {
  if (schema == nullptr) {
    return;
  }
  Request request(problems);
  request.Text(1, type).Dynamic(2, config, schema->block.implied_type());
  if (capabilities) {
    request.Capabilities(3);
  }
  std::string response;
  if (request.ok() && Call(method, request.bytes(), &response, problems)) {
    ReadResponse(response, {.diagnostics = 1}, problems);
  }
}

void PluginProvider::ValidateResourceConfig(std::string_view type, const Value& config,
                                            Problems& problems) {
  Validate(methods_->validate_resource, type, ResourceOf(type, problems), config, true, problems);
}
void PluginProvider::ValidateDataConfig(std::string_view type, const Value& config,
                                        Problems& problems) {
  Validate(methods_->validate_data, type, DataOf(type, problems), config, false, problems);
}
void PluginProvider::ValidateEphemeralConfig(std::string_view type, const Value& config,
                                             Problems& problems) {
  Validate(methods_->validate_ephemeral, type, EphemeralOf(type, problems), config, false,
           problems);
}

void PluginProvider::Configure(const Value& config, Problems& problems) {
  Request request(problems);
  request.Text(1, kAnnouncedVersion)
      .Dynamic(2, config, schema_->provider_config().block.implied_type())
      .Capabilities(3);
  std::string response;
  if (request.ok() && Call(methods_->configure, request.bytes(), &response, problems)) {
    ReadResponse(response, {.diagnostics = 1}, problems);
  }
}

Value PluginProvider::UpgradeResourceState(std::string_view type, int64_t version,
                                           const RawState& raw, Problems& problems) {
  const schema::ResourceSchema* schema = ResourceOf(type, problems);
  if (schema == nullptr) {
    return {};
  }
  Request request(problems);
  request.Text(1, type).Int(2, version).Raw(3, raw);
  std::string bytes;
  if (!Call(methods_->upgrade_state, request.bytes(), &bytes, problems)) {
    return Value::Null(schema->block.implied_type());
  }
  Response response = ReadResponse(bytes, {.diagnostics = 2, .value = 1}, problems);
  Value upgraded = Decoded(response.value, schema->block.implied_type(), problems);
  RefuseWriteOnly(schema->block, upgraded, type, problems);
  return upgraded;
}

Value PluginProvider::UpgradeResourceIdentity(std::string_view type, int64_t version,
                                              std::string_view json, Problems& problems) {
  const schema::ResourceSchema* schema = ResourceOf(type, problems);
  if (schema == nullptr) {
    return {};
  }
  Request request(problems);
  RawState raw;
  raw.json = json;
  request.Text(1, type).Int(2, version).Raw(3, raw);
  std::string bytes;
  if (!Call(methods_->upgrade_identity, request.bytes(), &bytes, problems)) {
    return {};
  }
  Response response = ReadResponse(bytes, {.diagnostics = 2, .identity = 1}, problems);
  return DecodedIdentity(response.identity, *schema, problems);
}

provider::ReadResponse PluginProvider::ReadResource(const ReadRequest& read, Problems& problems) {
  provider::ReadResponse result;
  const schema::ResourceSchema* schema = ResourceOf(read.type, problems);
  if (schema == nullptr) {
    return result;
  }
  const Type& type = schema->block.implied_type();
  Request request(problems);
  request.Text(1, read.type).Dynamic(2, read.prior, type).Text(3, read.private_data);
  WriteMeta(request, 4, read.provider_meta);
  request.Capabilities(5).Identity(6, read.identity, schema->identity_type);
  std::string bytes;
  result.state = Value::Null(type);
  if (!request.ok() || !Call(methods_->read, request.bytes(), &bytes, problems)) {
    return result;
  }
  Response response = ReadResponse(
      bytes, {.diagnostics = 2, .value = 1, .private_data = 3, .identity = 5}, problems);
  result.state = Decoded(response.value, type, problems);
  result.private_data = response.private_data;
  result.identity = DecodedIdentity(response.identity, *schema, problems);
  RefuseWriteOnly(schema->block, result.state, read.type, problems);
  return result;
}

PlanResponse PluginProvider::PlanResourceChange(const PlanRequest& plan, Problems& problems) {
  PlanResponse result;
  const schema::ResourceSchema* schema = ResourceOf(plan.type, problems);
  if (schema == nullptr) {
    return result;
  }
  const Type& type = schema->block.implied_type();
  result.planned = Value::Null(type);
  if (plan.proposed.IsNull() && !schema_->capabilities().plan_destroy) {
    // Such a provider does not plan destruction.
    result.private_data = plan.private_data;
    return result;
  }
  Request request(problems);
  request.Text(1, plan.type)
      .Dynamic(2, plan.prior, type)
      .Dynamic(3, plan.proposed, type)
      .Dynamic(4, plan.config, type)
      .Text(5, plan.private_data);
  WriteMeta(request, 6, plan.provider_meta);
  request.Capabilities(7).Identity(8, plan.identity, schema->identity_type);
  std::string bytes;
  if (!request.ok() || !Call(methods_->plan, request.bytes(), &bytes, problems)) {
    return result;
  }
  Response response = ReadResponse(bytes,
                                   {.diagnostics = 4,
                                    .value = 1,
                                    .private_data = 3,
                                    .identity = 7,
                                    .legacy_type_system = 5,
                                    .requires_replace = 2},
                                   problems);
  result.planned = Decoded(response.value, type, problems);
  result.requires_replace = std::move(response.requires_replace);
  result.private_data = response.private_data;
  result.legacy_type_system = response.legacy_type_system;
  result.identity = DecodedIdentity(response.identity, *schema, problems);
  RefuseWriteOnly(schema->block, result.planned, plan.type, problems);
  return result;
}

ApplyResponse PluginProvider::ApplyResourceChange(const ApplyRequest& apply, Problems& problems) {
  ApplyResponse result;
  result.has_state = false;
  const schema::ResourceSchema* schema = ResourceOf(apply.type, problems);
  if (schema == nullptr) {
    return result;
  }
  const Type& type = schema->block.implied_type();
  Request request(problems);
  request.Text(1, apply.type)
      .Dynamic(2, apply.prior, type)
      .Dynamic(3, apply.planned, type)
      .Dynamic(4, apply.config, type)
      .Text(5, apply.private_data);
  WriteMeta(request, 6, apply.provider_meta);
  request.Identity(7, apply.identity, schema->identity_type);
  std::string bytes;
  result.state = Value::Null(type);
  if (!request.ok() || !Call(methods_->apply, request.bytes(), &bytes, problems)) {
    return result;
  }
  Response response = ReadResponse(
      bytes,
      {.diagnostics = 3, .value = 1, .private_data = 2, .identity = 5, .legacy_type_system = 4},
      problems);
  size_t before = problems.size();
  result.state = Decoded(response.value, type, problems);
  result.has_state = problems.size() == before;
  result.private_data = response.private_data;
  result.legacy_type_system = response.legacy_type_system;
  result.identity = DecodedIdentity(response.identity, *schema, problems);
  RefuseWriteOnly(schema->block, result.state, apply.type, problems);
  return result;
}

Value PluginProvider::ReadDataSource(std::string_view type, std::string_view, const Value& config,
                                     const Value& provider_meta, Problems& problems) {
  const schema::ResourceSchema* schema = DataOf(type, problems);
  if (schema == nullptr) {
    return {};
  }
  const Type& value_type = schema->block.implied_type();
  Request request(problems);
  request.Text(1, type).Dynamic(2, config, value_type);
  WriteMeta(request, 3, provider_meta);
  request.Capabilities(4);
  std::string bytes;
  if (!request.ok() || !Call(methods_->read_data, request.bytes(), &bytes, problems)) {
    return Value::Null(value_type);
  }
  Response response = ReadResponse(bytes, {.diagnostics = 2, .value = 1}, problems);
  return Decoded(response.value, value_type, problems);
}

std::vector<ImportedObject> PluginProvider::ImportResourceState(std::string_view type,
                                                                std::string_view id,
                                                                const Value& identity,
                                                                Problems& problems) {
  std::vector<ImportedObject> objects;
  const schema::ResourceSchema* requested = ResourceOf(type, problems);
  if (requested == nullptr) {
    return objects;
  }
  Request request(problems);
  request.Text(1, type).Text(2, id).Capabilities(3).Identity(4, identity, requested->identity_type);
  std::string bytes;
  if (!request.ok() || !Call(methods_->import_state, request.bytes(), &bytes, problems)) {
    return objects;
  }
  ProtoReader reader(bytes);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == 2) {
      problems.push_back(ReadDiagnostic(field.bytes));
    }
    if (field.number != 1) {
      continue;
    }
    ImportedObject& object = objects.emplace_back();
    ProtoReader parts(field.bytes);
    std::optional<std::string_view> state;
    std::optional<std::string_view> object_identity;
    for (ProtoField part; parts.Next(part);) {
      if (part.number == 1) {
        object.type = part.bytes;
      } else if (part.number == 2) {
        state = part.bytes;
      } else if (part.number == 3) {
        object.private_data = part.bytes;
      } else if (part.number == 4) {
        object_identity = part.bytes;
      }
    }
    const schema::ResourceSchema* schema = ResourceOf(object.type, problems);
    if (schema != nullptr) {
      object.state = Decoded(state, schema->block.implied_type(), problems);
      object.identity = DecodedIdentity(object_identity, *schema, problems);
    }
  }
  if (reader.failed()) {
    ReportMalformed(problems);
  }
  return objects;
}

ImportedObject PluginProvider::MoveResourceState(const MoveRequest& move, Problems& problems) {
  ImportedObject moved;
  moved.type = move.target_type;
  const schema::ResourceSchema* schema = ResourceOf(move.target_type, problems);
  if (schema == nullptr) {
    return moved;
  }
  Request request(problems);
  request.Text(1, move.source_provider)
      .Text(2, move.source_type)
      .Int(3, move.source_schema_version)
      .Raw(4, move.source_state)
      .Text(5, move.target_type)
      .Text(6, move.source_private);
  std::string bytes;
  if (!Call(methods_->move, request.bytes(), &bytes, problems)) {
    return moved;
  }
  Response response =
      ReadResponse(bytes, {.diagnostics = 2, .value = 1, .private_data = 3}, problems);
  moved.state = Decoded(response.value, schema->block.implied_type(), problems);
  moved.private_data = response.private_data;
  RefuseWriteOnly(schema->block, moved.state, move.target_type, problems);
  return moved;
}

EphemeralResponse PluginProvider::OpenEphemeral(std::string_view type, const Value& config,
                                                Problems& problems) {
  EphemeralResponse result;
  const schema::ResourceSchema* schema = EphemeralOf(type, problems);
  if (schema == nullptr) {
    return result;
  }
  const Type& value_type = schema->block.implied_type();
  Request request(problems);
  request.Text(1, type).Dynamic(2, config, value_type).Capabilities(3);
  std::string bytes;
  if (!request.ok() || !Call(methods_->open_ephemeral, request.bytes(), &bytes, problems)) {
    return result;
  }
  Response response = ReadResponse(
      bytes, {.diagnostics = 1, .value = 3, .private_data = 4, .renew_at = 2}, problems);
  result.result = Decoded(response.value, value_type, problems);
  result.private_data = response.private_data;
  result.renew_at = response.renew_at;
  return result;
}

EphemeralResponse PluginProvider::RenewEphemeral(std::string_view type,
                                                 std::string_view private_data,
                                                 Problems& problems) {
  EphemeralResponse result;
  Request request(problems);
  request.Text(1, type).Text(2, private_data);
  std::string bytes;
  if (Call(methods_->renew_ephemeral, request.bytes(), &bytes, problems)) {
    Response response =
        ReadResponse(bytes, {.diagnostics = 1, .private_data = 3, .renew_at = 2}, problems);
    result.private_data = response.private_data;
    result.renew_at = response.renew_at;
  }
  return result;
}

void PluginProvider::CloseEphemeral(std::string_view type, std::string_view private_data,
                                    Problems& problems) {
  Request request(problems);
  request.Text(1, type).Text(2, private_data);
  std::string bytes;
  if (Call(methods_->close_ephemeral, request.bytes(), &bytes, problems)) {
    ReadResponse(bytes, {.diagnostics = 1}, problems);
  }
}

const schema::FunctionSignature* PluginProvider::ConfiguredFunction(std::string_view name) {
  std::lock_guard lock(functions_mutex_);
  if (!functions_fetched_) {
    functions_fetched_ = true;
    provider::Problems problems;
    std::string bytes;
    if (Call(methods_->get_functions, "", &bytes, problems)) {
      // The same entries as in a schema, in a message of their own.
      auto response = std::make_shared<std::string>();
      ProtoWriter writer(*response);
      ProtoReader reader(bytes);
      for (ProtoField field; reader.Next(field);) {
        if (field.number == 1) {
          writer.Bytes(7, field.bytes);
        }
      }
      auto opened = provider::OpenWireSchema(
          {.protocol = protocol_, .schema = *response, .identities = {}, .owner = response});
      functions_ = opened ? *std::move(opened) : nullptr;
    }
  }
  return functions_ == nullptr ? nullptr : functions_->FindFunction(name);
}

std::expected<Value, std::string> PluginProvider::CallFunction(std::string_view name,
                                                               std::span<const Value> arguments,
                                                               int* argument) {
  *argument = -1;
  const schema::FunctionSignature* signature = schema_->FindFunction(name);
  if (signature == nullptr) {
    signature = ConfiguredFunction(name);
  }
  if (signature == nullptr) {
    return std::unexpected("the provider has no function " + std::string(name));
  }
  if (arguments.size() < signature->parameters.size() ||
      (arguments.size() > signature->parameters.size() && signature->variadic == nullptr)) {
    return std::unexpected("wrong number of arguments for function " + std::string(name));
  }
  Problems problems;
  std::string request;
  ProtoWriter writer(request);
  writer.Bytes(1, name);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const schema::FunctionParameter& parameter =
        i < signature->parameters.size() ? signature->parameters[i] : *signature->variadic;
    if (!parameter.allow_unknown && !arguments[i].IsWhollyKnown()) {
      return Value::Unknown(signature->return_type);
    }
    *argument = static_cast<int>(i);
    if (arguments[i].IsNull()) {
      if (!parameter.allow_null) {
        return std::unexpected("parameter " + parameter.name +
                               " is null, which is not allowed for function " + std::string(name));
      }
      // The reference sends an empty message here, which the provider framework refuses; an
      // encoded null it accepts.
    }
    auto written = WriteDynamicValue(writer, 2, arguments[i], parameter.type);
    if (!written) {
      return std::unexpected(written.error().ToText());
    }
  }
  *argument = -1;
  std::string bytes;
  if (!Call(methods_->call_function, request, &bytes, problems)) {
    return std::unexpected(problems[0].summary + ": " + problems[0].detail);
  }
  std::optional<std::string_view> result;
  ProtoReader reader(bytes);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == 1) {
      result = field.bytes;
    } else if (field.number == 2) {
      std::string text;
      ProtoReader error(field.bytes);
      for (ProtoField part; error.Next(part);) {
        if (part.number == 1) {
          text = part.bytes;
        } else if (part.number == 2) {
          *argument = static_cast<int>(part.as_int());
        }
      }
      return std::unexpected(text);
    }
  }
  if (reader.failed()) {
    return std::unexpected("the plugin returned a malformed message");
  }
  if (!result) {
    return Value::Null(signature->return_type);
  }
  auto value = ReadDynamicValue(*result, signature->return_type);
  if (!value) {
    return std::unexpected(value.error().ToText());
  }
  return *std::move(value);
}

}  // namespace kinu::plugin
