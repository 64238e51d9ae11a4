#include "sdk/call.h"

#include "api/values.h"
#include "cty/json.h"
#include "plugin/messages.h"

namespace kinu::sdk {

Request::Request(std::string_view message) {
  constexpr uint32_t kArguments = 2;
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    fields_[field.number] = field;
    if (field.number == kArguments) {
      arguments_.push_back(field.bytes);
    }
  }
}
std::string_view Request::operator[](uint32_t field) const {
  const auto found = fields_.find(field);
  return found == fields_.end() ? std::string_view() : found->second.bytes;
}
int64_t Request::Int(uint32_t field) const {
  const auto found = fields_.find(field);
  return found == fields_.end() ? 0 : found->second.as_int();
}

void Call::Refuse(int status, std::string error) {
  reply_.status = status;
  reply_.error = std::move(error);
}

Reply Call::Finish(uint32_t problems_field) {
  for (const v1::ProviderProblem& problem : problems.all()) {
    if (problems_field == 0) {
      break;
    }
    const size_t begin = out.Begin(problems_field);
    out.Uint(1, problem.is_error ? 1 : 2);
    out.Bytes(2, problem.summary);
    out.Bytes(3, problem.detail);
    if (!problem.attribute.steps().empty()) {
      WritePath(4, problem.attribute);
    }
    out.End(begin);
  }
  return std::move(reply_);
}

Value Call::ReadValue(std::string_view bytes, const Type& type) {
  auto value = plugin::ReadDynamicValue(bytes, type);
  if (!value) {
    problems.AddError("Invalid value", value.error().ToText());
    return Value::Null(type);
  }
  return *std::move(value);
}

Value Call::ReadObject(std::string_view bytes, const Type& type) {
  Value object = ReadValue(bytes, type);
  if (!object.IsKnown()) {
    problems.AddError("Invalid value", "The object is unknown.");
    return Value::Null(type);
  }
  return object;
}

Value Call::ReadConfig(std::string_view bytes, const Type& type) {
  Value config = ReadObject(bytes, type);
  if (config.IsNull() && !problems.has_errors()) {
    problems.AddError("Invalid value", "The configuration is missing.");
  }
  return config;
}

Value Call::ReadIdentity(std::string_view bytes, const Type& type) {
  return ReadObject(Request(bytes)[1], type);
}

Value Call::ReadStored(std::string_view raw) {
  auto value = ImpliedValueOfJson(Request(raw)[1]);
  if (!value) {
    problems.AddError("Unable to read the stored object", value.error().ToText());
  }
  return value.value_or(Value());
}

void Call::WriteValue(uint32_t field, const Value& value, const Type& type) {
  if (auto written = plugin::WriteDynamicValue(out, field, value, type); !written) {
    problems.AddError("Invalid value from provider", written.error().ToText());
  }
}

void Call::WriteIdentity(uint32_t field, const Value& identity, const Type& type) {
  if (auto written = plugin::WriteIdentity(out, field, identity, type); !written) {
    problems.AddError("Invalid identity from provider", written.error().ToText());
  }
}

void Call::WritePath(uint32_t field, const v1::AttributePath& path) {
  using Kind = v1::AttributePath::Step::Kind;
  const size_t begin = out.Begin(field);
  for (const v1::AttributePath::Step& step : path.steps()) {
    const size_t one = out.Begin(1);
    if (step.kind == Kind::kIndex) {
      out.AlwaysInt(3, step.index);
    } else {
      out.AlwaysBytes(step.kind == Kind::kAttribute ? 1 : 2, step.name);
    }
    out.End(one);
  }
  out.End(begin);
}

void Call::Validate(const v1::ValidateFunction& validate, const Value& config) {
  if (!validate || problems.has_errors()) {
    return;
  }
  try {
    validate(api::ToPublic(config), problems);
  } catch (const std::exception& thrown) {
    ReportThrown(thrown.what());
  }
}

void Call::ReportThrown(std::string_view what) {
  problems.AddError("Provider failed", std::string(what));
}

}  // namespace kinu::sdk
