// `metadata functions -json`. Ref: opentofu internal/command/views/jsonfunction.
#include <algorithm>

#include "compatibility/features.h"
#include "plan_json/documents.h"
#include "plan_json/value.h"

namespace kinu::view {
namespace {

using functions::FunctionSpec;
using functions::Parameter;

/// The result type of a call whose arguments have the parameters' types.
Type ReturnType(const FunctionSpec& spec) {
  if (spec.lazy) {
    return spec.name == "can" ? Type::Bool() : Type::Dynamic();
  }
  std::vector<Value> arguments;
  for (const Parameter& parameter : spec.params) {
    arguments.push_back(Value::Unknown(parameter.type()));
  }
  if (spec.has_variadic) {
    arguments.push_back(Value::Unknown(spec.variadic.type()));
  }
  functions::CallContext context;
  context.pure_only = true;
  const functions::CallResult result = functions::CallFunction(spec, arguments, context);
  return result ? result->type() : Type::Dynamic();
}

/// Whether the release that the program behaves like has the function.
bool IsListed(const FunctionSpec& spec) {
  return spec.since == compatibility::Level::kSeries12 ||
         compatibility::Has(compatibility::Feature::kListedFunctions);
}

/// Whether that release lets the parameter be null.
bool AllowsNull(const FunctionSpec& spec, const Parameter& parameter) {
  return parameter.allow_null &&
         (spec.name != "contains" || compatibility::Has(compatibility::Feature::kNullInContains));
}

void WriteParameter(JsonWriter& out, const FunctionSpec& spec, const Parameter& parameter) {
  out.BeginObject();
  WriteOptional(out, "name", parameter.name);
  WriteOptional(out, "description", parameter.description);
  WriteOptional(out, "is_nullable", AllowsNull(spec, parameter));
  out.Key("type");
  if (spec.name == "convert" && parameter.name == "type") {
    out.String("type");  // an expression of a type, which no type stands for
  } else {
    WriteType(out, spec.lazy ? Type::Dynamic() : parameter.type());
  }
  out.EndObject();
}

void WriteFunction(JsonWriter& out, const FunctionSpec& spec) {
  out.BeginObject();
  WriteOptional(out, "description", spec.doc);
  out.Key("return_type");
  WriteType(out, ReturnType(spec));
  if (spec.params.size() > 0) {
    out.Key("parameters");
    out.BeginArray();
    for (const Parameter& parameter : spec.params) {
      WriteParameter(out, spec, parameter);
    }
    out.EndArray();
  }
  if (spec.has_variadic) {
    out.Key("variadic_parameter");
    WriteParameter(out, spec, spec.variadic);
  }
  out.EndObject();
}

}  // namespace

void WriteFunctions(JsonWriter& out, const functions::Table& table) {
  std::vector<std::pair<std::string, const FunctionSpec*>> entries;
  for (const FunctionSpec* spec : table.specs()) {
    // These two always fail with a hint at their replacement.
    if (spec->name == "list" || spec->name == "map" || !IsListed(*spec)) {
      continue;
    }
    entries.emplace_back(spec->name, spec);
    entries.emplace_back("core::" + std::string(spec->name), spec);
  }
  std::ranges::sort(entries, {}, &std::pair<std::string, const FunctionSpec*>::first);
  out.BeginObject();
  out.Member("format_version", kFunctionsFormatVersion);
  out.Key("function_signatures");
  out.BeginObject();
  for (const auto& [name, spec] : entries) {
    out.Key(name);
    WriteFunction(out, *spec);
  }
  out.EndObject();
  out.EndObject();
}

}  // namespace kinu::view
