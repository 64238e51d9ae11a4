// The language: parsing, evaluation, layout.
#include "c/expression.h"
#include "c/guard.h"
#include "json/texts.h"

namespace kinu::c {
namespace {

/// All functions of the language, without variables. The one of the current directory is made once.
v1::Scope Functions(std::string_view directory) {
  v1::Scope scope;
  scope.UseStandardFunctions(directory);
  scope.UseExtensionFunctions();
  return scope;
}

const v1::Scope& FunctionsHere() {
  static const v1::Scope kScope = Functions(".");
  return kScope;
}

/// The value of an expression that has no references, as JSON.
std::optional<std::string> Constant(const v1::Expression& expression) {
  v1::Diagnostics ignored;
  const v1::Value value = expression.Evaluate(FunctionsHere(), ignored);
  return v1::HasErrors(ignored) ? std::nullopt : value.ToJson();
}

}  // namespace

void WriteExpressionMembers(JsonWriter& json, const v1::Expression& expression) {
  json.Member("text", expression.text());
  const std::vector<std::string> references = expression.References();
  WriteTexts(json, "references", references);
  if (!references.empty()) {
    return;
  }
  if (const auto value = Constant(expression)) {
    json.Key("value");
    json.Raw(*value);
  }
}

std::optional<v1::Value> ReadVariables(std::string_view variables, v1::Diagnostics& problems) {
  if (variables.empty()) {
    return v1::Value::Object({});
  }
  std::optional<v1::Value> value = v1::Value::FromJson(variables, problems);
  if (value && value->kind() != v1::Value::Kind::kObject) {
    problems.push_back({.summary = "Invalid variables",
                        .detail = "The variables are not a JSON object.",
                        .subject = {}});
    return std::nullopt;
  }
  return value;
}

namespace {

void WriteBody(JsonWriter& json, const v1::Body& body) {
  const v1::BodyContent content = body.All();
  json.BeginObject();
  json.Key("attributes");
  json.BeginObject();
  for (const v1::Attribute& attribute : content.attributes) {
    json.Key(attribute.name);
    json.BeginObject();
    WriteExpressionMembers(json, attribute.expression);
    json.Member("line", static_cast<int64_t>(attribute.range.start.line));
    json.EndObject();
  }
  json.EndObject();
  json.Key("blocks");
  json.BeginArray();
  for (const v1::Block& block : content.blocks) {
    json.BeginObject();
    json.Member("type", block.type);
    json.Key("labels");
    json.BeginArray();
    for (const std::string& label : block.labels) {
      json.String(label);
    }
    json.EndArray();
    json.Member("line", static_cast<int64_t>(block.range.start.line));
    json.Key("body");
    WriteBody(json, block.body);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

kinu_text Parse(std::string_view name, std::string_view text, kinu_problems** problems) {
  v1::Diagnostics found;
  const v1::File file = v1::File::Parse(name, text, found, v1::Syntax::kNative);
  const bool failed = v1::HasErrors(found);
  Give(problems, std::move(found));
  if (failed) {
    return {nullptr, 0};
  }
  std::string out;
  JsonWriter json(out, {.escape = JsonEscape::kPlain, .indent = {}, .prefix = {}});
  WriteBody(json, file.body());
  return Text(out);
}

/// Adds the members of a JSON object as variables. False after an error.
bool AddVariables(v1::Scope& scope, std::string_view variables, v1::Diagnostics& problems) {
  const std::optional<v1::Value> value = ReadVariables(variables, problems);
  if (!value) {
    return false;
  }
  const std::vector<std::string> names = value->keys();
  const std::vector<v1::Value> values = value->elements();
  for (size_t i = 0; i < names.size(); ++i) {
    scope.SetVariable(names[i], values[i]);
  }
  return true;
}

kinu_text Evaluate(std::string_view expression, std::string_view variables,
                   std::string_view directory, kinu_problems** problems) {
  v1::Diagnostics found;
  std::optional<v1::Scope> own;
  if (!variables.empty() || directory != ".") {
    own = directory == "." ? FunctionsHere() : Functions(directory);
  }
  const v1::Scope& scope = own ? *own : FunctionsHere();
  std::optional<std::string> json;
  if (!own || AddVariables(*own, variables, found)) {
    const v1::Expression parsed = v1::ParseExpression(expression, found);
    if (!v1::HasErrors(found)) {
      const v1::Value value = parsed.Evaluate(scope, found);
      // Without unknown variables nothing is unknown.
      json = v1::HasErrors(found) ? std::nullopt : value.ToJson();
    }
  }
  Give(problems, std::move(found));
  return json ? Text(*json) : kinu_text{nullptr, 0};
}

kinu_text Convert(std::string_view name, std::string_view text, std::string_view to,
                  kinu_problems** problems) {
  if (to != "json" && to != "native") {
    GiveError(problems, "Invalid syntax",
              "A file is converted to \"json\" or \"native\", not \"" + std::string(to) + "\".");
    return {nullptr, 0};
  }
  v1::Diagnostics found;
  const std::optional<std::string> result =
      v1::Convert(name, text, to == "json" ? v1::Syntax::kJson : v1::Syntax::kNative, found);
  Give(problems, std::move(found));
  return result ? Text(*result) : kinu_text{nullptr, 0};
}

}  // namespace
}  // namespace kinu::c

using kinu::c::Guarded;
using kinu::c::View;

extern "C" {

kinu_text kinu_parse(const char* name, const char* text, size_t size, kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    return kinu::c::Parse(name == nullptr ? "" : name, View(text, size), problems);
  });
}

kinu_text kinu_evaluate(const char* expression, size_t size, const char* variables,
                        size_t variables_size, const char* directory, kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    return kinu::c::Evaluate(View(expression, size), View(variables, variables_size),
                             directory == nullptr ? "." : directory, problems);
  });
}

kinu_text kinu_format(const char* text, size_t size) {
  return Guarded(kinu_text{nullptr, 0},
                 [&] { return kinu::c::Text(kinu::v1::Format(View(text, size))); });
}

kinu_text kinu_convert(const char* name, const char* text, size_t size, const char* to,
                       kinu_problems** problems) {
  return Guarded(kinu_text{nullptr, 0}, [&] {
    return kinu::c::Convert(name == nullptr ? "" : name, View(text, size), to == nullptr ? "" : to,
                            problems);
  });
}

}  // extern "C"
