// Modules: what a directory declares, and the values of its variables.
#include <kinu/module.h>

#include "c/expression.h"
#include "c/guard.h"
#include "c/json_members.h"

namespace kinu::c {
namespace {

void WritePlace(JsonWriter& json, const v1::Range& range) {
  json.Member("file", range.file);
  json.Member("line", static_cast<int64_t>(range.start.line));
}

void WriteExpression(JsonWriter& json, std::string_view key, const v1::Expression& expression) {
  json.Key(key);
  json.BeginObject();
  WriteExpressionMembers(json, expression);
  json.EndObject();
}

void WriteExpression(JsonWriter& json, std::string_view key,
                     const std::optional<v1::Expression>& expression) {
  if (expression) {
    WriteExpression(json, key, *expression);
  }
}

void WriteConditions(JsonWriter& json, std::string_view key,
                     const std::vector<v1::Module::Condition>& conditions) {
  json.Key(key);
  json.BeginArray();
  for (const v1::Module::Condition& one : conditions) {
    json.BeginObject();
    WriteExpression(json, "condition", one.condition);
    WriteExpression(json, "error_message", one.error_message);
    WritePlace(json, one.range);
    json.EndObject();
  }
  json.EndArray();
}

void Write(JsonWriter& json, const v1::Module::Variable& variable) {
  json.Member("type", variable.type);
  const auto fallback = variable.default_value ? variable.default_value->ToJson() : std::nullopt;
  if (fallback) {
    json.Key("default");
    json.Raw(*fallback);
  }
  json.Member("required", !variable.default_value.has_value());
  WriteUnlessEmpty(json, "description", variable.description);
  WriteUnlessEmpty(json, "deprecated", variable.deprecated);
  json.Member("sensitive", variable.sensitive);
  json.Member("ephemeral", variable.ephemeral);
  json.Member("nullable", variable.nullable);
  WriteConditions(json, "validations", variable.validations);
  WritePlace(json, variable.range);
}

void Write(JsonWriter& json, const v1::Module::Local& local) {
  WriteExpressionMembers(json, local.value);
  WritePlace(json, local.range);
}

void Write(JsonWriter& json, const v1::Module::Output& output) {
  WriteExpression(json, "expression", output.value);
  WriteUnlessEmpty(json, "description", output.description);
  WriteUnlessEmpty(json, "deprecated", output.deprecated);
  json.Member("sensitive", output.sensitive);
  json.Member("ephemeral", output.ephemeral);
  WriteTexts(json, "depends_on", output.depends_on);
  WriteConditions(json, "preconditions", output.preconditions);
  WritePlace(json, output.range);
}

void Write(JsonWriter& json, const v1::Module::Call& call) {
  WriteUnlessEmpty(json, "source", call.source);
  if (call.source.empty()) {
    WriteExpression(json, "source_expression", call.source_expression);
  }
  WriteUnlessEmpty(json, "version", call.version);
  json.Key("inputs");
  json.BeginObject();
  for (const v1::Attribute& input : call.inputs) {
    WriteExpression(json, input.name, input.expression);
  }
  json.EndObject();
  WriteExpression(json, "count", call.count);
  WriteExpression(json, "for_each", call.for_each);
  WriteTexts(json, "depends_on", call.depends_on);
  WritePlace(json, call.range);
}

void Write(JsonWriter& json, const v1::Module::Requirement& required) {
  json.Member("source", required.source);
  WriteUnlessEmpty(json, "version", required.version);
  WriteTexts(json, "aliases", required.aliases);
  WritePlace(json, required.range);
}

void Write(JsonWriter& json, const v1::Module::Resource& resource) {
  json.BeginObject();
  json.Member("address", resource.address);
  json.Member("mode", resource.mode);
  json.Member("type", resource.type);
  json.Member("name", resource.name);
  json.Member("provider", resource.provider);
  WriteUnlessEmpty(json, "provider_config", resource.provider_config);
  WriteExpression(json, "count", resource.count);
  WriteExpression(json, "for_each", resource.for_each);
  WriteTexts(json, "depends_on", resource.depends_on);
  WritePlace(json, resource.range);
  json.EndObject();
}

/// An object with a member for each element of a list.
template <typename List, typename NameOf>
void WriteMap(JsonWriter& json, std::string_view key, const List& list, NameOf name_of) {
  json.Key(key);
  json.BeginObject();
  for (const auto& one : list) {
    json.Key(name_of(one));
    json.BeginObject();
    Write(json, one);
    json.EndObject();
  }
  json.EndObject();
}

std::string ModuleJson(const v1::Module& module) {
  const auto name = [](const auto& one) -> const std::string& { return one.name; };
  std::string out;
  JsonWriter json(out, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
  json.BeginObject();
  json.Member("directory", module.directory());
  WriteTexts(json, "files", module.files());
  WriteTexts(json, "overrides", module.overrides());
  WriteMap(json, "required_providers", module.required_providers(),
           [](const auto& one) -> const std::string& { return one.local_name; });
  WriteMap(json, "variables", module.variables(), name);
  WriteMap(json, "locals", module.locals(), name);
  WriteMap(json, "outputs", module.outputs(), name);
  WriteMap(json, "module_calls", module.calls(), name);
  json.Key("resources");
  json.BeginArray();
  for (const v1::Module::Resource& resource : module.resources()) {
    Write(json, resource);
  }
  json.EndArray();
  json.EndObject();
  return out;
}

/// Writes a member, or a notice in place of a `hidden` value, unless a part of it is unknown.
void WriteValue(JsonWriter& json, std::string_view key, const v1::Value& value, bool hidden) {
  const auto text = value.ToJson();
  if (!text) {
    return;
  }
  json.Key(key);
  if (hidden) {
    json.String("(sensitive value)");
  } else {
    json.Raw(*text);
  }
}

bool IsSensitive(const v1::Module::Output& output) {
  return output.sensitive;
}
bool IsSensitive(const v1::Module::Local&) {
  return false;
}

/// The values of expressions that need only variables and functions.
template <typename List>
void WriteValues(JsonWriter& json, std::string_view key, const List& list, const v1::Module& module,
                 const v1::Value& given, bool show_sensitive) {
  json.Key(key);
  json.BeginObject();
  for (const auto& one : list) {
    const std::optional<v1::Expression> expression = one.value;
    v1::Diagnostics ignored;
    const auto value = expression ? module.Evaluate(*expression, given, ignored) : std::nullopt;
    if (value) {
      WriteValue(json, one.name, *value,
                 !show_sensitive && (IsSensitive(one) || value->is_sensitive()));
    }
  }
  json.EndObject();
}

std::optional<std::string> ValuesJson(const v1::Module& module, std::string_view variables,
                                      bool show_sensitive, v1::Diagnostics& problems) {
  const std::optional<v1::Value> given = ReadVariables(variables, problems);
  const auto values = given ? module.VariableValues(*given, problems) : std::nullopt;
  if (!values) {
    return std::nullopt;
  }
  std::string out;
  JsonWriter json(out, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
  json.BeginObject();
  json.Key("variables");
  json.BeginObject();
  const std::vector<std::string> names = values->keys();
  const std::vector<v1::Value> elements = values->elements();
  for (size_t i = 0; i < names.size(); ++i) {
    WriteValue(json, names[i], elements[i], !show_sensitive && elements[i].is_sensitive());
  }
  json.EndObject();
  WriteValues(json, "locals", module.locals(), module, *given, show_sensitive);
  WriteValues(json, "outputs", module.outputs(), module, *given, show_sensitive);
  json.EndObject();
  return out;
}

/// Loads a module and gives what `use` makes of it.
template <typename Use>
kinu_text WithModule(const char* directory, kinu_problems** problems, const Use& use) {
  if (directory == nullptr) {
    return Missing(problems, "a directory");
  }
  v1::Diagnostics found;
  const std::optional<v1::Module> module = v1::Module::Load(directory, found);
  const std::optional<std::string> json = module ? use(*module, found) : std::nullopt;
  Give(problems, std::move(found));
  return json ? Text(*json) : kinu_text{nullptr, 0};
}

}  // namespace
}  // namespace kinu::c

using kinu::c::Guarded;
using kinu::c::View;

extern "C" {

kinu_text kinu_load_module(const char* directory, kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    return kinu::c::WithModule(
        directory, problems,
        [](const kinu::v1::Module& module, kinu::v1::Diagnostics&) -> std::optional<std::string> {
          return kinu::c::ModuleJson(module);
        });
  });
}

kinu_text kinu_module_values(const char* directory, const char* variables, size_t variables_size,
                             int show_sensitive, kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    return kinu::c::WithModule(directory, problems,
                               [&](const kinu::v1::Module& module,
                                   kinu::v1::Diagnostics& found) -> std::optional<std::string> {
                                 return kinu::c::ValuesJson(module, View(variables, variables_size),
                                                            show_sensitive != 0, found);
                               });
  });
}

}  // extern "C"
