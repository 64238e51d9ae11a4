#include "config/decode.h"

#include <algorithm>
#include <array>

#include "addrs/provider_source.h"
#include "addrs/version.h"
#include "base/invariant.h"
#include "config/reference_syntax.h"
#include "cty/conversion.h"
#include "hcl/parse.h"
#include "hcl/walk.h"
#include "lang/eval.h"

namespace kinu::config {
namespace {

constexpr std::string_view kNameRule =
    "A name must start with a letter or underscore and may contain only letters, digits, "
    "underscores, and dashes.";

}  // namespace

bool CheckName(BlockReader& reader, std::string_view name, std::string_view summary,
               const SourceRange& range) {
  if (hcl::IsIdentifier(name)) {
    return true;
  }
  reader.diags.Error(std::string(summary), std::string(kNameRule), range);
  return false;
}

bool CheckProviderName(BlockReader& reader, std::string_view name, const SourceRange& range) {
  auto normal = ParseProviderPart(name);
  if (!normal) {
    reader.diags.Error("Invalid provider local name",
                       std::string(name) + " is an invalid provider local name: " + normal.error(),
                       range);
    return false;
  }
  if (*normal != name) {
    reader.diags.Error("Invalid provider local name",
                       "Provider names must be normalized. Replace " + Quoted(name) + " with " +
                           Quoted(*normal) + " to fix this error.",
                       range);
    return false;
  }
  return true;
}

Value EvaluateConstant(const hcl::Expr& expr, Diagnostics& diags) {
  static const functions::CallContext kNoSurroundings;
  const lang::VariableScope nothing(nullptr, nullptr, kNoSurroundings);
  return lang::EvaluateLiteral(expr, nothing, diags);
}

Result<Value> ConvertToKnown(const Value& value, const Type& type) {
  const auto converted = Convert(value, type);
  if (!converted) {
    return Fail(ErrorCode::kInvalid, converted.error().message);
  }
  if (converted->IsNull()) {
    return Fail(ErrorCode::kInvalid, "null value is not allowed");
  }
  if (!converted->IsKnown()) {
    return Fail(ErrorCode::kInvalid, "value must be known");
  }
  return converted->Unmark();
}

std::optional<Value> ConvertKnownValue(const Value& value, const Type& type, const hcl::Expr& expr,
                                       Diagnostics& diags) {
  Result<Value> converted = ConvertToKnown(value, type);
  if (!converted) {
    diags.Error("Unsuitable value type", "Unsuitable value: " + converted.error().message,
                hcl::StartRange(expr), expr.range());
    return std::nullopt;
  }
  return *std::move(converted);
}

bool ValueToString(const Value& value, const hcl::Expr& expr, std::string& out,
                   Diagnostics& diags) {
  std::optional<Value> text = ConvertKnownValue(value, Type::String(), expr, diags);
  if (!text) {
    return false;
  }
  out = text->AsString();
  return true;
}

bool ReadString(const hcl::Expr& expr, std::string& out, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const Value value = EvaluateConstant(expr, diags);
  return diags.error_count() == errors && ValueToString(value, expr, out, diags);
}

bool ReadBool(const hcl::Expr& expr, bool& out, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const Value value = EvaluateConstant(expr, diags);
  if (diags.error_count() != errors) {
    return false;
  }
  std::optional<Value> flag = ConvertKnownValue(value, Type::Bool(), expr, diags);
  if (!flag) {
    return false;
  }
  out = flag->AsBool();
  return true;
}

std::optional<std::string> ReadVersionConstraint(const hcl::Attribute& attribute,
                                                 Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const Value value = EvaluateConstant(*attribute.expr, diags);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  auto text = Convert(value, Type::String());
  if (!text) {
    diags.Error("Invalid version constraint",
                "A string value is required for " + std::string(attribute.name) + ".",
                attribute.expr->range());
    return std::nullopt;
  }
  if (text->IsNull() || !text->IsWhollyKnown()) {
    return std::nullopt;
  }
  std::string constraint(text->AsString());
  if (!VersionConstraints::Parse(constraint)) {
    diags.Error("Invalid version constraint",
                "This string does not use correct version constraint syntax.",
                attribute.expr->range());
    return std::nullopt;
  }
  return constraint;
}

bool IsNativeQuotedString(const hcl::Expr& expr) {
  if (hcl::IsJsonExpr(expr)) {
    return false;
  }
  return expr.kind == hcl::ExprKind::kTemplate || expr.kind == hcl::ExprKind::kQuoted ||
         (expr.kind == hcl::ExprKind::kLiteral && expr.range().text().starts_with('"'));
}

namespace {

/// The first name of a text, as a reference. It replaces a reference that does not parse, so that
/// only the parse error is reported. Null if the text begins with no name.
const hcl::TraversalExpr* LeadingName(BlockReader& reader, const SourceFile* source) {
  const std::string_view text = source->text();
  const std::string_view name = text.substr(0, text.find_first_of(" .["));
  if (!hcl::IsIdentifier(name)) {
    return nullptr;
  }
  const auto end = static_cast<uint32_t>(name.size());
  return reader.tree.New<hcl::TraversalExpr>(hcl::ExprKind::kTraversal, {source, 0, end}, name,
                                             std::span<const hcl::TraversalStep>(), end);
}

}  // namespace

const hcl::Expr* Unquote(BlockReader& reader, const hcl::Expr& expr, bool keyword) {
  if (expr.kind == hcl::ExprKind::kObjectKey) {
    return Unquote(reader, *static_cast<const hcl::ObjectKeyExpr&>(expr).wrapped, keyword);
  }
  if (!IsNativeQuotedString(expr)) {
    return &expr;
  }
  Diagnostics ignored;
  const Value value = EvaluateConstant(expr, ignored);
  if (ignored.has_errors() || value.type() != Type::String() || value.IsNull() ||
      !value.IsKnown()) {
    return &expr;
  }
  Position start = expr.range().start_position();
  start.column++;
  start.byte++;
  const SourceFile* inner = reader.tree.KeepSource(
      SourceFile::Make(expr.file()->name(), std::string(value.AsString()), start, expr.file()));
  const hcl::TraversalExpr* traversal =
      hcl::ParseTraversal(inner, reader.tree, false, reader.diags);
  if (traversal == nullptr) {
    traversal = LeadingName(reader, inner);
  }
  if (keyword) {
    reader.diags.Warning("Quoted keywords are deprecated",
                         "In this context, keywords are expected literally rather than in quotes. "
                         "Remove the quotes to silence this warning.",
                         expr.range());
  } else {
    reader.diags.Warning("Quoted references are deprecated",
                         "In this context, references are expected literally rather than in "
                         "quotes. Remove the quotes to silence this warning.",
                         expr.range());
  }
  return traversal == nullptr ? &expr : traversal;
}

namespace {

const hcl::TraversalExpr* ReadTraversalWith(BlockReader& reader, const hcl::Expr& expr,
                                            hcl::Splats splats, std::string_view wanted) {
  if (expr.kind == hcl::ExprKind::kTraversal) {
    return static_cast<const hcl::TraversalExpr*>(&expr);
  }
  std::optional<hcl::StaticTraversal> found = hcl::AsTraversal(expr, reader.tree, splats);
  if (!found) {
    reader.diags.Error("Invalid expression",
                       "A single static variable reference is required: only " +
                           std::string(wanted) +
                           ". No calculations, function calls, template expressions, etc are "
                           "allowed here.",
                       expr.range());
    return nullptr;
  }
  return reader.tree.New<hcl::TraversalExpr>(hcl::ExprKind::kTraversal, found->range, found->root,
                                             found->steps, found->root_range.end);
}

}  // namespace

const hcl::TraversalExpr* ReadTraversal(BlockReader& reader, const hcl::Expr& expr) {
  return ReadTraversalWith(reader, expr, hcl::Splats::kRefused,
                           "attribute access and indexing with constant keys");
}

const hcl::TraversalExpr* ReadTraversalPattern(BlockReader& reader, const hcl::Expr& expr) {
  return ReadTraversalWith(reader, expr, hcl::Splats::kSteps,
                           "attribute access, indexing with constant keys and [*] for all keys");
}

std::span<const hcl::Expr* const> ReadList(const hcl::Expr& expr, Diagnostics& diags) {
  if (auto list = hcl::AsList(expr)) {
    return *list;
  }
  diags.Error("Invalid expression", "A static list expression is required.", hcl::StartRange(expr));
  return {};
}

std::vector<const hcl::TraversalExpr*> ReadDependsOn(BlockReader& reader,
                                                     const hcl::Attribute& attribute) {
  std::vector<const hcl::TraversalExpr*> out;
  for (const hcl::Expr* element : ReadList(*attribute.expr, reader.diags)) {
    if (const hcl::TraversalExpr* traversal =
            ReadTraversal(reader, *Unquote(reader, *element, false))) {
      out.push_back(traversal);
    }
  }
  return out;
}

const hcl::Expr* ExpressionInString(BlockReader& reader, const hcl::Expr& expr, size_t errors) {
  if (!hcl::IsJsonExpr(expr)) {
    return &expr;
  }
  const Value value = EvaluateConstant(expr, reader.diags);
  if (reader.diags.error_count() != errors) {
    return nullptr;
  }
  if (value.type() != Type::String() || value.IsNull()) {
    reader.diags.Error("Expected string expression",
                       "This value must be a string, but got " + value.type().FriendlyName() + ".",
                       expr.range());
    return nullptr;
  }
  const SourceFile* inner =
      reader.tree.KeepSource(SourceFile::Make(expr.file()->name(), std::string(value.AsString()),
                                              expr.range().start_position(), expr.file()));
  const hcl::Expr* parsed = hcl::ParseExpression(inner, reader.tree, reader.diags);
  return reader.diags.error_count() == errors ? parsed : nullptr;
}

std::optional<ProviderRef> ReadProviderRef(BlockReader& reader, const hcl::Expr& given,
                                           std::string_view argument) {
  const auto wrong = [&](const SourceRange& range, std::string detail) {
    reader.diags.Error("Invalid provider configuration reference", std::move(detail), range);
  };
  const size_t errors = reader.diags.error_count();
  const hcl::Expr* expr = ExpressionInString(reader, given, errors);
  if (expr == nullptr) {
    return std::nullopt;
  }
  size_t most_steps = 2;  // .alias[key]
  ProviderRef ref;
  if (expr->kind == hcl::ExprKind::kIndex) {
    const auto& index = static_cast<const hcl::IndexExpr&>(*expr);
    ref.key = index.key;
    expr = index.collection;
    most_steps = 1;
  }
  expr = Unquote(reader, *expr, false);
  std::optional<hcl::StaticTraversal> name = hcl::AsTraversal(*expr, reader.tree);
  if (!name || name->steps.size() > most_steps) {
    wrong(expr->range(),
          IsNativeQuotedString(*expr)
              ? "A provider configuration reference must not be given in quotes."
              : "The " + std::string(argument) +
                    " argument requires a provider type name, optionally followed by a period and "
                    "then a configuration alias and optional instance key.");
    return std::nullopt;
  }
  if (!CheckProviderName(reader, name->root, name->root_range) ||
      reader.diags.error_count() != errors) {
    return std::nullopt;
  }
  ref.local_name = reader.Intern(name->root);
  ref.range = name->root_range;
  const auto step_range = [&](const hcl::TraversalStep& step) {
    return SourceRange{name->range.file, step.begin, step.end};
  };
  if (!name->steps.empty()) {
    const hcl::TraversalStep& alias = name->steps[0];
    if (alias.kind != hcl::TraversalStep::Kind::kAttribute) {
      wrong(step_range(alias),
            "Provider name must either stand alone or be followed by a period and then a "
            "configuration alias.");
      return ref;
    }
    ref.alias = reader.Intern(alias.name());
  }
  if (name->steps.size() > 1) {
    const hcl::TraversalStep& key = name->steps[1];
    if (key.kind != hcl::TraversalStep::Kind::kIndex) {
      wrong(step_range(key), "After the alias only an instance key in brackets may follow.");
      return ref;
    }
    ref.key = reader.tree.New<hcl::LiteralExpr>(hcl::ExprKind::kLiteral, name->range, key.key());
  }
  if (ref.alias.empty() && ref.key != nullptr) {
    wrong(name->range,
          "Provider assignment requires an alias when specifying an instance key, in the form of "
          "provider.name[instance_key]");
  }
  return ref;
}

Condition ReadCondition(BlockReader& reader, const hcl::Block& block) {
  Condition out;
  out.range = block.def_range;
  if (reader.is_override) {
    reader.diags.Error("Can't override " + std::string(block.type) + " blocks",
                       "Override files cannot override " + Quoted(block.type) + " blocks.",
                       out.range);
    return out;
  }
  static constexpr hcl::AttributeSchema kAttributes[] = {{"condition", true},
                                                         {"error_message", true}};
  const hcl::BodyContent content =
      block.body->Content({.attributes = kAttributes}, hcl::Strictness::kExact, reader.diags);
  if (const hcl::Attribute* condition = content.Find("condition")) {
    out.condition = condition->expr;
    std::vector<const hcl::TraversalExpr*> references;
    hcl::CollectTraversals(*out.condition, references);
    if (references.empty()) {
      reader.diags.Error("Invalid " + std::string(block.type) + " expression",
                         "The condition expression must refer to at least one object from "
                         "elsewhere in the configuration, or else its result would not be checking "
                         "anything.",
                         out.condition->range());
    }
  }
  if (const hcl::Attribute* message = content.Find("error_message")) {
    out.error_message = message->expr;
  }
  return out;
}

void CheckSelfReferences(BlockReader& reader, const Condition& condition, std::string_view type,
                         const ResourceName& name) {
  for (const hcl::Expr* expr : {condition.condition, condition.error_message}) {
    if (expr == nullptr) {
      continue;
    }
    std::vector<const hcl::TraversalExpr*> references;
    hcl::CollectTraversals(*expr, references);
    for (const hcl::TraversalExpr* traversal : references) {
      const ParsedReference ref = ParseReference(*traversal, nullptr);
      if (ref.kind == ReferenceKind::kResource && ref.mode == name.mode &&
          reader.program.Find(ref.type) == name.type &&
          reader.program.Find(ref.name) == name.name) {
        reader.diags.Error(
            "Invalid reference in " + std::string(type),
            "Configuration for " + reader.program.ToText(name) + " may not refer to itself.",
            expr->range());
        break;
      }
    }
  }
}

void ExclusiveArguments::Add(std::string_view name, const SourceRange& name_range) {
  KINU_INVARIANT(count_ < std::size(given_), "three arguments at most");
  given_[count_++] = {name, name_range};
}

void ExclusiveArguments::Check(std::string_view what, Diagnostics& diags) const {
  if (count_ < 2) {
    return;
  }
  std::array<Given, 4> sorted;
  std::copy(given_, given_ + count_, sorted.begin());
  const auto order = [](std::string_view name) {
    if (name == "count") {
      return 0;
    }
    return name == "enabled" ? 1 : 2;
  };
  std::sort(sorted.begin(), sorted.begin() + count_,
            [&](const Given& a, const Given& b) { return order(a.name) < order(b.name); });
  std::string names;
  for (size_t i = 0; i < count_; ++i) {
    if (i > 0) {
      names += count_ > 2 ? ", " : " ";
    }
    if (i + 1 == count_) {
      names += "and ";
    }
    names += Quoted(sorted[i].name);
  }
  std::sort(sorted.begin(), sorted.begin() + count_,
            [](const Given& a, const Given& b) { return a.range.begin < b.range.begin; });
  diags.Error("Invalid combination of " + names,
              "The " + names +
                  " meta-arguments are mutually-exclusive. Only one can say how many " +
                  std::string(what) + " there shall be.",
              SourceRange::Between(sorted[0].range, sorted[count_ - 1].range));
}

}  // namespace kinu::config
