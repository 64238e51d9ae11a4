#include "eval/kinds.h"

#include <algorithm>
#include <string>
#include <vector>

#include "codec/base64.h"
#include "cty/conversion.h"
#include "cty/json.h"
#include "cty/msgpack.h"
#include "cty/tagged.h"
#include "eval/address.h"
#include "eval/spec.h"
#include "hcl/body.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "hcl/writer/format.h"
#include "hcl/writer/tokens.h"
#include "json/texts.h"
#include "lang/console_text.h"
#include "lang/eval.h"
#include "lang/type_expr.h"

namespace kinu::eval {
namespace {

// --- Expressions ---

const hcl::Expr* Parse(Request& request, Response& response) {
  const std::string_view syntax = request.Text("syntax");
  hcl::SyntaxTree& tree = request.tree();
  Diagnostics& diags = response.diags;
  if (syntax == "json") {
    return hcl::ParseJsonExpression(request.source(), tree, diags);
  }
  if (syntax == "template") {
    return hcl::ParseTemplate(request.source(), tree, diags);
  }
  return hcl::ParseExpression(request.source(), tree, diags);
}

void Evaluate(const hcl::Expr* expr, Request& request, Response& response) {
  if (!response.diags.has_errors()) {
    response.value = lang::Evaluate(*expr, request.scope(), response.diags);
  }
}

Result<void> Expression(Request& request, Response& response) {
  Evaluate(hcl::ParseExpression(request.source(), request.tree(), response.diags), request,
           response);
  return {};
}

Result<void> Template(Request& request, Response& response) {
  Evaluate(hcl::ParseTemplate(request.source(), request.tree(), response.diags), request, response);
  return {};
}

Result<void> Console(Request& request, Response& response) {
  const hcl::Expr* expr = hcl::ParseExpression(request.source(), request.tree(), response.diags);
  if (response.diags.has_errors()) {
    return {};
  }
  const lang::ConsoleScope scope(request.scope());
  const Value value = lang::Evaluate(*expr, scope, response.diags);
  if (!response.diags.has_errors()) {
    response.text = scope.Print(value, response.diags);
  }
  return {};
}

Result<void> JsonExpression(Request& request, Response& response) {
  const hcl::Expr* expr =
      hcl::ParseJsonExpression(request.source(), request.tree(), response.diags);
  if (request.has_scope()) {
    Evaluate(expr, request, response);
  } else if (!response.diags.has_errors()) {
    response.value = lang::EvaluateLiteral(*expr, request.scope(), response.diags);
  }
  return {};
}

void WriteSteps(JsonWriter& json, const hcl::TraversalExpr& traversal) {
  json.BeginArray();
  json.BeginObject();
  json.Member("root", traversal.root);
  json.EndObject();
  for (const hcl::TraversalStep& step : traversal.steps) {
    json.BeginObject();
    switch (step.kind) {
      case hcl::TraversalStep::Kind::kAttribute:
        json.Member("attr", step.name());
        break;
      case hcl::TraversalStep::Kind::kIndex:
        json.Key("index");
        WriteTagged(json, *step.key());
        break;
      case hcl::TraversalStep::Kind::kSplat:
        json.Member("splat", true);
        break;
    }
    json.EndObject();
  }
  json.EndArray();
}

/// Appends the traversals in types that `convert` converts to, which refer to nothing in a
/// configuration, but are variables of an expression.
void AddTypeWords(const hcl::Expr& expr, std::vector<const hcl::TraversalExpr*>& traversals) {
  if (expr.kind == hcl::ExprKind::kCall) {
    const auto& call = static_cast<const hcl::CallExpr&>(expr);
    if (call.arguments.size() > 1 && (call.name == "convert" || call.name == "core::convert")) {
      hcl::CollectTraversals(*call.arguments[1], traversals);
    }
  }
  hcl::ForEachChild(expr,
                    [&traversals](const hcl::Expr& child) { AddTypeWords(child, traversals); });
}

Result<void> Variables(Request& request, Response& response) {
  const hcl::Expr* expr = Parse(request, response);
  if (response.diags.has_errors()) {
    return {};
  }
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(*expr, traversals);
  AddTypeWords(*expr, traversals);
  struct Found {
    const hcl::TraversalExpr* traversal;
    SourceRange range;
    uint32_t begin;
    uint32_t end;
  };
  std::vector<Found> found;
  for (const hcl::TraversalExpr* traversal : traversals) {
    SourceRange range = traversal->root_range();
    if (!traversal->steps.empty()) {
      range.end = traversal->steps.back().end;
    }
    found.push_back({traversal, range, range.start_position().byte, range.end_position().byte});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  JsonWriter json(response.content);
  json.BeginArray();
  for (const Found& one : found) {
    json.BeginObject();
    json.Key("traversal");
    WriteSteps(json, *one.traversal);
    json.Key("range");
    WriteRange(json, one.range);
    json.EndObject();
  }
  json.EndArray();
  return {};
}

Result<void> Traversal(Request& request, Response& response) {
  const hcl::TraversalExpr* traversal = hcl::ParseTraversal(
      request.source(), request.tree(), request.Flag("partial"), response.diags);
  if (traversal != nullptr && !response.diags.has_errors()) {
    JsonWriter json(response.traversal);
    WriteSteps(json, *traversal);
  }
  return {};
}

// --- Types and values ---

void FailWith(const ValueError& error, Response& response) {
  response.Fail(error.ToText());
}

Result<void> TypeConstraint(Request& request, Response& response) {
  const hcl::Expr* expr = Parse(request, response);
  if (response.diags.has_errors()) {
    return {};
  }
  const lang::TypeConstraint constraint =
      lang::ParseTypeConstraint(*expr, request.tree(), response.diags);
  if (response.diags.has_errors()) {
    return {};
  }
  response.type = constraint.type;
  response.text = lang::TypeString(constraint.type);
  if (request.Find("defaults_apply") == nullptr) {
    return {};
  }
  response.keep_parts = true;
  KINU_TRY(Value value, request.ReadValue("defaults_apply"));
  if (constraint.defaults != nullptr && !value.IsNull()) {
    value = lang::ApplyDefaults(value, *constraint.defaults);
  }
  ValueResult<Value> converted = kinu::Convert(value, constraint.type);
  if (converted) {
    response.value = *std::move(converted);
  } else {
    FailWith(converted.error(), response);
  }
  return {};
}

Result<void> Convert(Request& request, Response& response) {
  KINU_TRY(const Value value, request.ReadValue("value"));
  KINU_TRY(const Type type, request.ReadType("to"));
  ValueResult<Value> converted = kinu::Convert(value, type);
  if (converted) {
    response.value = *std::move(converted);
  } else {
    FailWith(converted.error(), response);
  }
  return {};
}

Result<void> Unify(Request& request, Response& response) {
  std::vector<Type> types;
  if (const JsonNode* values = request.Find("values")) {
    for (const JsonNode& node : values->elements()) {
      KINU_TRY(Type type, TypeFromTagged(node));
      types.push_back(std::move(type));
    }
  }
  if (const std::optional<Type> unified = kinu::Unify(types)) {
    response.type = *unified;
  } else {
    response.Fail("no common type");
  }
  return {};
}

Result<void> SetOrder(Request& request, Response& response) {
  KINU_TRY(const Type type, request.ReadType("of"));
  std::vector<Value> values;
  if (const JsonNode* list = request.Find("values")) {
    for (const JsonNode& node : list->elements()) {
      KINU_TRY(Value value, ValueFromTagged(node));
      values.push_back(std::move(value));
    }
  }
  response.value = Value::Set(type, std::move(values));
  return {};
}

Result<void> JsonEncode(Request& request, Response& response) {
  KINU_TRY(const Value value, request.ReadValue("value"));
  KINU_TRY(const Type type, request.ReadType("type"));
  ValueResult<std::string> text = ValueToJson(value, type);
  if (text) {
    response.text = *std::move(text);
  } else {
    FailWith(text.error(), response);
  }
  return {};
}

Result<void> JsonDecode(Request& request, Response& response) {
  const std::string_view source = request.source()->text();
  ValueResult<Type> type = Type::Dynamic();
  if (request.Find("type") != nullptr) {
    KINU_TRY(*type, request.ReadType("type"));
  } else {
    type = ImpliedTypeOfJson(source);
  }
  const ValueResult<Value> value =
      type ? ValueFromJson(source, *type) : ValueResult<Value>(std::unexpected(type.error()));
  if (value) {
    response.value = *value;
  } else {
    response.diags.Error("Invalid JSON value", value.error().ToText() + ".");
  }
  return {};
}

Result<void> MsgpackEncode(Request& request, Response& response) {
  KINU_TRY(const Value value, request.ReadValue("value"));
  KINU_TRY(const Type type, request.ReadType("type"));
  const ValueResult<std::string> bytes = ValueToMsgpack(value, type);
  if (bytes) {
    response.text = EncodeHex(*bytes);
  } else {
    FailWith(bytes.error(), response);
  }
  return {};
}

Result<void> MsgpackDecode(Request& request, Response& response) {
  KINU_TRY(const std::string bytes, DecodeHex(request.Text("hex")));
  KINU_TRY(const Type type, request.ReadType("type"));
  ValueResult<Value> value = ValueFromMsgpack(bytes, type);
  if (value) {
    response.value = *std::move(value);
  } else {
    response.diags.Error("Invalid msgpack value", value.error().ToText() + ".");
  }
  return {};
}

// --- Bodies ---

// A body schema as a request gives it, with all that its views point to.
struct GivenSchema {
  std::vector<hcl::AttributeSchema> attributes;
  std::vector<hcl::BlockSchema> blocks;
  std::vector<std::vector<std::string_view>> labels;

  explicit GivenSchema(const JsonNode& json) {
    if (const JsonNode* list = json.Find("attributes")) {
      for (const JsonNode& node : list->elements()) {
        const JsonNode* required = node.Find("required");
        attributes.push_back(
            {node.Find("name")->text(), required != nullptr && required->boolean()});
      }
    }
    if (const JsonNode* list = json.Find("blocks")) {
      labels.reserve(list->elements().size());
      for (const JsonNode& node : list->elements()) {
        std::vector<std::string_view>& names = labels.emplace_back();
        if (const JsonNode* given = node.Find("labels")) {
          for (const JsonNode& label : given->elements()) {
            names.push_back(label.text());
          }
        }
        blocks.push_back({node.Find("type")->text(), names});
      }
    }
  }
};

std::vector<std::string_view> SortedNames(const std::vector<hcl::Attribute>& attributes) {
  std::vector<std::string_view> names;
  for (const hcl::Attribute& attribute : attributes) {
    names.push_back(attribute.name);
  }
  std::ranges::sort(names);
  return names;
}

void ReadConfig(const hcl::Body& body, Request& request, Response& response) {
  if (request.Flag("just_attributes")) {
    const auto attributes = body.JustAttributes({}, response.diags);
    JsonWriter json(response.content);
    json.BeginObject();
    WriteTexts(json, "attributes", SortedNames(attributes));
    json.EndObject();
    return;
  }
  const JsonNode* given = request.Find("schema");
  if (given == nullptr) {
    return;
  }
  const GivenSchema schema(*given);
  const hcl::BodyContent content =
      body.Content({.attributes = schema.attributes, .blocks = schema.blocks},
                   request.Flag("partial") ? hcl::Strictness::kPartial : hcl::Strictness::kExact,
                   response.diags);
  JsonWriter json(response.content);
  json.BeginObject();
  WriteTexts(json, "attributes", SortedNames(content.attributes));
  json.Key("blocks");
  json.BeginArray();
  for (const hcl::Block& block : content.blocks) {
    json.BeginObject();
    json.Member("type", block.type);
    WriteTexts(json, "labels", block.labels);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

Result<void> Config(Request& request, Response& response) {
  const hcl::NativeBody* body = hcl::ParseNative(request.source(), request.tree(), response.diags);
  if (!response.diags.has_errors()) {
    ReadConfig(*body, request, response);
  }
  return {};
}

Result<void> JsonConfig(Request& request, Response& response) {
  const hcl::Body* body = hcl::ParseJson(request.source(), request.tree(), response.diags);
  if (!response.diags.has_errors()) {
    ReadConfig(*body, request, response);
  }
  return {};
}

void WriteStructure(JsonWriter& json, const hcl::NativeBody& body) {
  const auto range = [&](std::string_view key, uint32_t begin, uint32_t end) {
    json.Key(key);
    WriteRange(json, {body.file, begin, end});
  };
  json.BeginObject();
  json.Key("attributes");
  json.BeginObject();
  for (const hcl::NativeAttribute& attribute : body.attributes) {
    json.Key(attribute.name.view());
    json.BeginObject();
    range("range", attribute.begin, attribute.end);
    range("name_range", attribute.begin, attribute.name_end());
    json.Key("expr_range");
    WriteRange(json, attribute.expr->range());
    json.EndObject();
  }
  json.EndObject();
  json.Key("blocks");
  json.BeginArray();
  for (const hcl::NativeBlock& block : body.blocks) {
    json.BeginObject();
    json.Member("type", block.type.view());
    WriteTexts(json, "labels", block.labels);
    range("type_range", block.type_begin, block.type_end());
    json.Key("label_ranges");
    json.BeginArray();
    for (const hcl::Label& label : block.labels) {
      WriteRange(json, {body.file, label.begin, label.end});
    }
    json.EndArray();
    range("open_brace_range", block.open_brace, block.open_brace + 1);
    range("close_brace_range", block.close_brace, block.close_brace + 1);
    range("def_range", block.type_begin, block.header_end());
    json.Key("body");
    WriteStructure(json, *block.body);
    json.EndObject();
  }
  json.EndArray();
  range("end_range", body.end, body.end);
  json.EndObject();
}

Result<void> Structure(Request& request, Response& response) {
  const hcl::NativeBody* body = hcl::ParseNative(request.source(), request.tree(), response.diags);
  if (!response.diags.has_errors()) {
    JsonWriter json(response.content);
    WriteStructure(json, *body);
  }
  return {};
}

Result<void> Decode(Request& request, Response& response) {
  const JsonNode* given = request.Find("spec");
  if (given == nullptr) {
    return Fail(ErrorCode::kInvalid, "the request has no \"spec\"");
  }
  KINU_TRY(const hcldec::Spec spec, ReadSpec(*given));
  const bool json = request.Text("syntax") == "json";
  const hcl::Body* body = json ? hcl::ParseJson(request.source(), request.tree(), response.diags)
                               : hcl::ParseNative(request.source(), request.tree(), response.diags);
  if (response.diags.has_errors()) {
    return {};
  }
  const hcldec::DecodeOptions options{request.Flag("dynamic"), !request.has_scope()};
  response.value = hcldec::DecodeSpec(spec, *body, request.scope(), options, response.diags);
  return {};
}

// --- Writing ---

Result<void> FormatText(Request& request, Response& response) {
  response.text = hcl::writer::Format(request.source()->text());
  return {};
}

Result<void> Fmt(Request& request, Response& response) {
  response.text = hcl::writer::FormatFile(request.source(), response.diags);
  return {};
}

Result<void> Generate(Request& request, Response& response) {
  KINU_TRY(const Value value, request.ReadValue("value"));
  if (Result<std::string> text = hcl::writer::ValueText(value)) {
    response.text = *std::move(text);
  } else {
    response.Fail(text.error().message);
  }
  return {};
}

struct KindRow {
  std::string_view name;
  KindFunction run;
};
constexpr KindRow kKinds[] = {
    {"address", &Address},
    {"expression", &Expression},
    {"template", &Template},
    {"console", &Console},
    {"json-expression", &JsonExpression},
    {"variables", &Variables},
    {"traversal", &Traversal},
    {"type", &TypeConstraint},
    {"convert", &Convert},
    {"unify", &Unify},
    {"set-order", &SetOrder},
    {"config", &Config},
    {"json-config", &JsonConfig},
    {"structure", &Structure},
    {"decode", &Decode},
    {"format", &FormatText},
    {"fmt", &Fmt},
    {"generate", &Generate},
    {"json-encode", &JsonEncode},
    {"json-decode", &JsonDecode},
    {"msgpack-encode", &MsgpackEncode},
    {"msgpack-decode", &MsgpackDecode},
};

}  // namespace

KindFunction FindKind(std::string_view name) {
  for (const KindRow& row : kKinds) {
    if (row.name == name) {
      return row.run;
    }
  }
  return nullptr;
}

}  // namespace kinu::eval
