// `variable` blocks. Ref: opentofu internal/configs/named_values.go decodeVariableBlock.
#include <algorithm>

#include "config/blocks/blocks.h"
#include "config/dropped_attributes.h"
#include "config/reference_syntax.h"
#include "cty/conversion.h"
#include "hcl/walk.h"
#include "lang/type_expr.h"

namespace kinu::config {
namespace {

constexpr hcl::AttributeSchema kArguments[] = {{"description"}, {"default"},   {"type"},
                                               {"sensitive"},   {"ephemeral"}, {"const"},
                                               {"deprecated"},  {"nullable"}};
constexpr hcl::BlockSchema kBlocks[] = {{"validation"}};

/// Reports a type in quotes, as configurations of 0.11 write it.
void ReportQuotedType(const hcl::Expr& expr, Variable& variable, Diagnostics& diags) {
  variable.constraint = {};
  variable.parse_as_expression = true;
  const size_t errors = diags.error_count();
  const Value value = EvaluateConstant(expr, diags);
  if (diags.error_count() != errors) {
    return;
  }
  const std::string word(value.type() == Type::String() && !value.IsNull() ? value.AsString() : "");
  if (word == "string" || word == "list" || word == "map") {
    variable.parse_as_expression = word != "string";
    diags.Error(
        "Invalid quoted type constraints",
        "A type is written without quotes: " + (word == "string" ? word : word + "(string)") + ".",
        expr.range());
    return;
  }
  diags.Error("Invalid legacy variable type hint",
              "To provide a full type expression, remove the surrounding quotes and give the type "
              "expression directly.",
              expr.range());
}

void ReadType(BlockReader& reader, const hcl::Expr& expr, Variable& variable) {
  variable.has_type = true;
  if (IsNativeQuotedString(expr)) {
    ReportQuotedType(expr, variable, reader.diags);
    return;
  }
  variable.parse_as_expression = true;
  const std::string_view word = hcl::AsKeyword(expr, reader.tree);
  if (word == "list" || word == "map") {
    variable.constraint = {
        word == "list" ? Type::List(Type::Dynamic()) : Type::Map(Type::Dynamic()), nullptr};
    return;
  }
  const size_t errors = reader.diags.error_count();
  lang::TypeConstraint constraint = lang::ParseTypeConstraint(expr, reader.tree, reader.diags);
  if (reader.diags.error_count() != errors) {
    variable.constraint = {};
    return;
  }
  variable.parse_as_expression = !constraint.type.is_primitive();
  variable.constraint = std::move(constraint);
}

void ReadDefault(BlockReader& reader, const hcl::Expr& expr, Variable& variable) {
  Diagnostics& diags = reader.diags;
  Value value = EvaluateConstant(expr, diags);
  // An override file may leave the type to the variable that it overrides: the merge converts then.
  if (!reader.is_override || variable.has_type) {
    if (variable.constraint.defaults != nullptr && !value.IsNull()) {
      value = lang::ApplyDefaults(value, *variable.constraint.defaults);
    }
    auto converted = Convert(value, variable.constraint.type);
    if (converted) {
      value = *std::move(converted);
    } else {
      diags.Error("Invalid default value for variable",
                  "This default value is not compatible with the variable's type constraint: " +
                      converted.error().ToText() + ".",
                  expr.range());
      value = Value::DynamicUnknown();
    }
    WarnAboutDroppedAttributes(
        expr, variable.constraint.type,
        [](const Path& place) { return place.empty() ? "this variable" : place.ToText(); }, diags);
  }
  if (!variable.nullable && value.IsNull()) {
    diags.Error("Invalid default value for variable",
                "A null default value is not valid when nullable=false.", expr.range());
  }
  variable.default_value = std::move(value);
}

void ReadValidation(BlockReader& reader, const hcl::Block& block, std::string_view name,
                    Variable& variable) {
  Condition condition = ReadCondition(reader, block);
  if (condition.condition != nullptr) {
    std::vector<const hcl::TraversalExpr*> traversals;
    hcl::CollectTraversals(*condition.condition, traversals);
    const bool about_itself =
        std::any_of(traversals.begin(), traversals.end(), [&](const hcl::TraversalExpr* traversal) {
          const ParsedReference ref = ParseReference(*traversal, nullptr);
          return ref.kind == ReferenceKind::kVariable && ref.name == name;
        });
    if (!about_itself) {
      reader.diags.Error("Invalid variable validation condition",
                         "The condition for variable " + Quoted(name) + " must refer to var." +
                             std::string(name) + " in order to test incoming values.",
                         condition.condition->range());
    }
  }
  variable.validations.push_back(condition);
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

}  // namespace

void ReadVariableBlock(BlockReader& reader, const hcl::Block& block) {
  Diagnostics& diags = reader.diags;
  Variable variable;
  const std::string_view name = block.labels[0];
  variable.name = reader.Intern(name);
  variable.range = block.def_range;
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kArguments, .blocks = kBlocks}, hcl::Strictness::kExact, diags);
  CheckName(reader, name, "Invalid variable name", block.label_range(0));
  if (std::find(kModuleMetaNames.begin(), kModuleMetaNames.end(), name) != kModuleMetaNames.end()) {
    diags.Error("Invalid variable name",
                "The variable name " + Quoted(name) +
                    " is reserved due to its special meaning inside module blocks.",
                block.label_range(0));
  }
  if (const hcl::Attribute* a = content.Find("description")) {
    ReadString(*a->expr, variable.description, diags);
    variable.has_description = true;
  }
  if (const hcl::Attribute* a = content.Find("type")) {
    ReadType(reader, *a->expr, variable);
  }
  if (const hcl::Attribute* a = content.Find("sensitive")) {
    ReadBool(*a->expr, variable.sensitive, diags);
    variable.has_sensitive = true;
  }
  if (const hcl::Attribute* a = content.Find("deprecated")) {
    if (ReadString(*a->expr, variable.deprecated, diags) && IsBlank(variable.deprecated)) {
      diags.Error("Invalid `deprecated` value",
                  "The \"deprecated\" argument must not be empty, and should provide instructions "
                  "on how to migrate away from usage of this deprecated variable.",
                  block.label_range(0));
    }
  }
  if (const hcl::Attribute* a = content.Find("ephemeral")) {
    ReadBool(*a->expr, variable.ephemeral, diags);
    variable.has_ephemeral = true;
  }
  if (const hcl::Attribute* a = content.Find("nullable")) {
    variable.nullable = false;
    ReadBool(*a->expr, variable.nullable, diags);
    variable.has_nullable = true;
  }
  if (const hcl::Attribute* a = content.Find("const")) {
    ReadBool(*a->expr, variable.is_const, diags);
    variable.has_const = true;
  }
  if (const hcl::Attribute* a = content.Find("default")) {
    ReadDefault(reader, *a->expr, variable);
  }
  for (const hcl::Block& nested : content.blocks) {
    ReadValidation(reader, nested, name, variable);
  }
  reader.out.variables.push_back(std::move(variable));
}

}  // namespace kinu::config
