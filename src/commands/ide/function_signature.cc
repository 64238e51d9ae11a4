#include "ide/function_signature.h"

#include <algorithm>

#include "cty/value.h"
#include "functions/function.h"
#include "lang/type_expr.h"

namespace kinu::ide {
namespace {

constexpr std::string_view kCoreNamespace = "core::";
constexpr std::string_view kProviderNamespace = "provider::";

FunctionSignature SignatureOf(const functions::FunctionSpec& spec, std::string_view name) {
  FunctionSignature out{.name = std::string(name), .doc = std::string(spec.doc)};
  for (const functions::Parameter& parameter : spec.params) {
    out.parameters.push_back(
        {std::string(parameter.name), parameter.type(), std::string(parameter.description)});
  }
  if (spec.has_variadic) {
    out.is_variadic = true;
    out.parameters.push_back({std::string(spec.variadic.name), spec.variadic.type(),
                              std::string(spec.variadic.description)});
  }
  if (spec.examples.size() > 0) {
    out.example = std::string(spec.examples[0].call) + " = " + std::string(spec.examples[0].result);
  }
  return out;
}

FunctionSignature SignatureOf(const schema::FunctionSignature& given, std::string_view name) {
  FunctionSignature out{.name = std::string(name),
                        .doc = given.summary.empty() ? given.description : given.summary,
                        .result = lang::TypeString(given.return_type)};
  for (const schema::FunctionParameter& parameter : given.parameters) {
    out.parameters.push_back({parameter.name, parameter.type, parameter.description});
  }
  if (given.variadic != nullptr) {
    out.is_variadic = true;
    out.parameters.push_back(
        {given.variadic->name, given.variadic->type, given.variadic->description});
  }
  return out;
}

const schema::FunctionSignature* FindProviderFunction(ModuleNames& names, std::string_view name) {
  std::string_view rest = name.substr(kProviderNamespace.size());
  const size_t end = rest.find("::");
  if (end == std::string_view::npos) {
    return nullptr;
  }
  const schema::ProviderSchema* schema = names.SchemaOf(rest.substr(0, end));
  return schema == nullptr ? nullptr : schema->FindFunction(rest.substr(rest.rfind("::") + 2));
}

const functions::FunctionSpec* FindCoreFunction(std::string_view name) {
  if (name.starts_with(kCoreNamespace)) {
    name.remove_prefix(kCoreNamespace.size());
  }
  const auto specs = functions::Table::Standard().specs();
  const auto found = std::ranges::find(specs, name, &functions::FunctionSpec::name);
  return found == specs.end() ? nullptr : *found;
}

}  // namespace

std::string FunctionSignature::Label() const {
  std::string label = name + "(";
  for (size_t i = 0; i < parameters.size(); ++i) {
    label.append(i == 0 ? "" : ", ").append(parameters[i].name);
  }
  return label.append(is_variadic ? "...)" : ")");
}

std::optional<FunctionSignature> FindFunction(ModuleNames& names, std::string_view name) {
  if (name.starts_with(kProviderNamespace)) {
    const schema::FunctionSignature* found = FindProviderFunction(names, name);
    return found == nullptr ? std::nullopt : std::optional(SignatureOf(*found, name));
  }
  const functions::FunctionSpec* found = FindCoreFunction(name);
  return found == nullptr ? std::nullopt : std::optional(SignatureOf(*found, name));
}

std::vector<std::string> FunctionNames(ModuleNames& names) {
  std::vector<std::string> out;
  for (const functions::FunctionSpec* spec : functions::Table::Standard().specs()) {
    out.emplace_back(spec->name);
  }
  for (const std::string& provider : names.Providers()) {
    if (!names.IsRequired(provider)) {
      continue;
    }
    if (const schema::ProviderSchema* schema = names.SchemaOf(provider)) {
      for (const std::string& function : schema->FunctionNames()) {
        out.push_back(std::string(kProviderNamespace) + provider + "::" + function);
      }
    }
  }
  return out;
}

Type TypeOfResult(ModuleNames& names, std::string_view function) {
  if (function.starts_with(kProviderNamespace)) {
    const schema::FunctionSignature* found = FindProviderFunction(names, function);
    return found == nullptr ? Type() : found->return_type;
  }
  const functions::FunctionSpec* found = FindCoreFunction(function);
  if (found == nullptr || found->lazy || found->result_type == nullptr) {
    return {};
  }
  std::vector<Value> arguments;
  for (const functions::Parameter& parameter : found->params) {
    arguments.push_back(Value::Unknown(parameter.type()));
  }
  const auto type = found->result_type(arguments);
  return type ? *type : Type();
}

Type TypeOfParameter(ModuleNames& names, std::string_view function, size_t index) {
  const auto signature = FindFunction(names, function);
  if (!signature || signature->parameters.empty()) {
    return {};
  }
  if (index >= signature->parameters.size()) {
    return signature->is_variadic ? signature->parameters.back().type : Type();
  }
  return signature->parameters[index].type;
}

}  // namespace kinu::ide
