#include "lang/eval.h"

#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "base/invariant.h"
#include "cty/conversion.h"
#include "cty/ops.h"
#include "hcl/stack_guard.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "lang/access.h"
#include "lang/evaluator.h"

namespace kinu::lang {

using hcl::Expr;
using hcl::ExprKind;

namespace {

template <typename Node>
const Node& As(const Expr& expr) {
  return static_cast<const Node&>(expr);
}

// The name of an object key without quotes: a bare name or a keyword; empty for other expressions.
std::string_view LiteralKey(const Expr& expr) {
  if (expr.kind == ExprKind::kTraversal && As<hcl::TraversalExpr>(expr).steps.empty()) {
    return As<hcl::TraversalExpr>(expr).root;
  }
  if (expr.kind == ExprKind::kLiteral) {
    const Value& value = *As<hcl::LiteralExpr>(expr).value;
    if (value.IsNull()) {
      return "null";
    }
    if (value.type() == Type::Bool()) {
      return value.AsBool() ? "true" : "false";
    }
  }
  return {};
}

}  // namespace

Value RefinedNotNull(const Value& value) {
  if (value.IsKnown()) {
    return value;
  }
  const Type type = value.type();
  if (type.is_dynamic()) {
    return value;
  }
  Refinements refinements = value.refinements();
  if (refinements.not_null) {
    return value;
  }
  refinements.not_null = true;
  return Value::Unknown(type, std::move(refinements)).WithMarks(value.marks());
}

ValueResult<Value> ConvertTo(const Value& value, const Type& type) {
  if (type.is_dynamic() || value.type() == type) {
    return value;
  }
  return Convert(value, type);
}

Value Evaluate(const Expr& expr, const Scope& scope, Diagnostics& diags, const Binding* bindings) {
  return Evaluator(scope).Eval(expr, bindings, diags);
}

Value EvaluateLiteral(const Expr& expr, const Scope& scope, Diagnostics& diags,
                      const Binding* bindings) {
  // The templates in JSON strings are not evaluated, so diagnostics must not show their references.
  const bool is_json = hcl::IsJsonExpr(expr);
  return Evaluator(scope, /*describe=*/!is_json, is_json).Eval(expr, bindings, diags);
}

Value EvaluateTo(const Expr& expr, const Type& type, const Scope& scope, Diagnostics& diags,
                 const Binding* bindings) {
  Value value = Evaluator(scope).Eval(expr, bindings, diags);
  ValueResult<Value> converted = ConvertTo(value, type);
  if (converted) {
    return *std::move(converted);
  }
  Diagnostic& problem =
      diags.Error("Incorrect value type",
                  "Invalid expression value: " + converted.error().message + ".", expr.range());
  DescribeValues(expr, scope, bindings, problem);
  return Value::Unknown(type.WithoutOptionalAttributes());
}

Value Evaluator::Eval(const Expr& expr, const Binding* bindings, Diagnostics& diags) const {
  const bool is_leaf = expr.kind == ExprKind::kLiteral || expr.kind == ExprKind::kQuoted ||
                       expr.kind == ExprKind::kTraversal;
  if (!is_leaf && hcl::StackNearlyExhausted()) {
    // The parser's own check is not enough: evaluation needs more stack per level.
    diags.Error("Nesting too deep",
                "This expression is nested deeper than can be evaluated on this thread's stack.",
                expr.range());
    return Value::DynamicUnknown();
  }
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return *As<hcl::LiteralExpr>(expr).value;
    case ExprKind::kText:
      return As<hcl::TextExpr>(expr).value();
    case ExprKind::kQuoted:
      return As<hcl::QuotedExpr>(expr).part.value();
    case ExprKind::kTraversal:
      return EvalTraversal(As<hcl::TraversalExpr>(expr), bindings, diags);
    case ExprKind::kRelative:
      return EvalRelative(As<hcl::RelativeExpr>(expr), bindings, diags);
    case ExprKind::kCall:
      return EvalCall(As<hcl::CallExpr>(expr), bindings, diags);
    case ExprKind::kConditional:
      return EvalConditional(As<hcl::ConditionalExpr>(expr), bindings, diags);
    case ExprKind::kIndex:
      return EvalIndex(As<hcl::IndexExpr>(expr), bindings, diags);
    case ExprKind::kTuple:
      return EvalTuple(As<hcl::TupleExpr>(expr), bindings, diags);
    case ExprKind::kObject:
      return EvalObject(As<hcl::ObjectExpr>(expr), bindings, diags);
    case ExprKind::kJsonObject:
      return EvalJsonObject(As<hcl::ObjectExpr>(expr), bindings, diags);
    case ExprKind::kObjectWord:
      return Value::String(As<hcl::ObjectWordExpr>(expr).name());
    case ExprKind::kObjectKey:
      return EvalObjectKey(As<hcl::ObjectKeyExpr>(expr), bindings, diags);
    case ExprKind::kFor:
      return EvalFor(As<hcl::ForExpr>(expr), bindings, diags);
    case ExprKind::kSplat:
      return EvalSplat(As<hcl::SplatExpr>(expr), bindings, diags);
    case ExprKind::kSplatItem:
      return EvalSplatItem(As<hcl::SplatItemExpr>(expr), bindings);
    case ExprKind::kTemplate:
      return EvalTemplate(As<hcl::TemplateExpr>(expr), bindings, diags);
    case ExprKind::kTemplateJoin:
      return EvalTemplateJoin(As<hcl::WrapExpr>(expr), bindings, diags);
    case ExprKind::kTemplateWrap:
      if (literal_) {
        if (const std::optional<std::string_view> text = hcl::AsLiteralString(expr)) {
          return Value::String(*text);
        }
      }
      [[fallthrough]];
    case ExprKind::kParentheses:
      return Eval(*As<hcl::WrapExpr>(expr).wrapped, bindings, diags);
    case ExprKind::kBinary:
      return EvalBinary(As<hcl::BinaryExpr>(expr), bindings, diags);
    case ExprKind::kUnary:
      return EvalUnary(As<hcl::UnaryExpr>(expr), bindings, diags);
    case ExprKind::kInvalid:
      diags.Append(*As<hcl::InvalidExpr>(expr).problems);
      return Value::DynamicUnknown();
    case ExprKind::kMissing:
      return Value::DynamicUnknown();
  }
  KINU_INVARIANT(false, "unknown kind of expression");
}

Value Evaluator::EvalTraversal(const hcl::TraversalExpr& expr, const Binding* bindings,
                               Diagnostics& diags) const {
  const size_t first = diags.size();
  bool any_name = false;
  for (const Binding* binding = bindings; binding != nullptr; binding = binding->outer) {
    if (binding->item != nullptr) {
      continue;
    }
    any_name = true;
    if (binding->name != expr.root) {
      continue;
    }
    if (expr.steps.empty()) {
      return *binding->value;
    }
    Value value = ApplySteps(*binding->value, expr.steps, expr, diags);
    DescribeValuesSince(first, expr, bindings, diags);
    return value;
  }
  if (any_name && !scope_.variables_allowed()) {
    diags.Error("Unknown variable",
                "There is no variable named \"" + std::string(expr.root) + "\".",
                expr.root_range());
    DescribeValuesSince(first, expr, bindings, diags);
    return Value::DynamicUnknown();
  }
  Value value = scope_.Resolve(expr, diags);
  if (diags.size() != first) [[unlikely]] {
    DescribeValuesSince(first, expr, bindings, diags);
  }
  return value;
}

Value Evaluator::EvalRelative(const hcl::RelativeExpr& expr, const Binding* bindings,
                              Diagnostics& diags) const {
  Value source = Eval(*expr.source, bindings, diags);
  const size_t first = diags.size();
  Value value = ApplySteps(std::move(source), expr.steps, expr, diags);
  DescribeValuesSince(first, expr, bindings, diags);
  return value;
}

Value Evaluator::EvalIndex(const hcl::IndexExpr& expr, const Binding* bindings,
                           Diagnostics& diags) const {
  const Value collection = Eval(*expr.collection, bindings, diags);
  const Value key = Eval(*expr.key, bindings, diags);
  const size_t first = diags.size();
  Value value =
      IndexElement(collection, key, {expr.file(), expr.open_bracket, expr.bracket_end}, diags);
  DescribeValuesSince(first, expr, bindings, diags);
  return value;
}

Value Evaluator::EvalTuple(const hcl::TupleExpr& expr, const Binding* bindings,
                           Diagnostics& diags) const {
  std::vector<Value> elements;
  elements.reserve(expr.elements.size());
  for (const Expr* element : expr.elements) {
    elements.push_back(Eval(*element, bindings, diags));
  }
  return Value::Tuple(std::move(elements));
}

Value Evaluator::EvalWords(const hcl::ObjectExpr& expr, const Binding* bindings,
                           Diagnostics& diags) const {
  std::vector<std::pair<std::string_view, Value>> attributes;
  attributes.reserve(expr.items.size());
  for (const hcl::ObjectItem& item : expr.items) {
    attributes.emplace_back(As<hcl::ObjectWordExpr>(*item.key).name(),
                            Eval(*item.value, bindings, diags));
  }
  return Value::ObjectOfWords(std::move(attributes));
}

Value Evaluator::EvalObject(const hcl::ObjectExpr& expr, const Binding* bindings,
                            Diagnostics& diags) const {
  if (std::ranges::all_of(expr.items, [](const hcl::ObjectItem& item) {
        return item.key->kind == ExprKind::kObjectWord;
      })) {
    return EvalWords(expr, bindings, diags);
  }
  std::vector<std::pair<std::string, Value>> attributes;
  attributes.reserve(expr.items.size());
  MarkSet marks;
  // If a key fails or is unknown, so is the type of the object; the other items are evaluated only
  // for their diagnostics.
  bool complete = true;
  for (const hcl::ObjectItem& item : expr.items) {
    if (item.key->kind == ExprKind::kObjectWord) {
      attributes.emplace_back(As<hcl::ObjectWordExpr>(*item.key).name(),
                              Eval(*item.value, bindings, diags));
      continue;
    }
    const size_t errors = diags.error_count();
    Value key = Eval(*item.key, bindings, diags);
    const bool key_failed = diags.error_count() != errors;
    Value value = Eval(*item.value, bindings, diags);
    if (key_failed) {
      complete = false;
      continue;
    }
    if (key.IsNull()) {
      Fail("Null value as key", "Can't use a null value as a key.", item.value->range(), {},
           *item.key, bindings, diags);
      complete = false;
      continue;
    }
    if (key.IsMarked()) {
      marks = marks.Union(key.marks());
      key = key.Unmark();
    }
    ValueResult<Value> name = ConvertTo(key, Type::String());
    if (!name) {
      Fail("Incorrect key type", "Can't use this value as a key: " + name.error().message + ".",
           item.key->range(), {}, *item.key, bindings, diags);
      complete = false;
      continue;
    }
    if (!name->IsKnown()) {
      complete = false;
      continue;
    }
    attributes.emplace_back(name->AsString(), std::move(value));
  }
  if (!complete) {
    return Value::DynamicUnknown();
  }
  Value object = Value::Object(std::move(attributes));
  return marks.empty() ? object : object.WithMarks(marks);
}

Value Evaluator::EvalJsonObject(const hcl::ObjectExpr& expr, const Binding* bindings,
                                Diagnostics& diags) const {
  std::vector<std::pair<std::string, Value>> attributes;
  attributes.reserve(expr.items.size());
  // Finds the first attribute of a name by a hash map in large objects and by comparison in small
  // ones. What has none is the next attribute.
  constexpr size_t kSmall = 16;
  FlatMap<std::string, size_t> places;
  const auto place_of = [&](std::string_view name) -> size_t {
    if (expr.items.size() > kSmall) {
      return places.try_emplace(std::string(name), attributes.size()).first->second;
    }
    const auto found = std::ranges::find(
        attributes, name, [](const auto& attribute) { return std::string_view(attribute.first); });
    return static_cast<size_t>(found - attributes.begin());
  };
  std::vector<SourceRange> key_ranges;
  // The values in the object, which each error about a repeated name has.
  std::optional<std::vector<ExpressionValue>> described;
  bool complete = true;
  MarkSet marks;
  for (const hcl::ObjectItem& item : expr.items) {
    Value key = Eval(*item.key, bindings, diags);
    Value value = Eval(*item.value, bindings, diags);
    const SourceRange key_range = item.key->range();
    if (key.IsMarked()) {
      marks = marks.Union(key.marks());
      key = key.Unmark();
    }
    ValueResult<Value> name = ConvertTo(key, Type::String());
    if (!name) {
      Fail("Invalid object key expression",
           "Cannot use this expression as an object key: " + name.error().message + ".", key_range,
           {}, *item.value, bindings, diags);
      continue;
    }
    if (name->IsNull()) {
      Fail("Invalid object key expression", "Cannot use null value as an object key.", key_range,
           {}, *item.value, bindings, diags);
      continue;
    }
    if (!name->IsKnown()) {
      complete = false;
      continue;
    }
    if (const size_t place = place_of(name->AsString()); place < attributes.size()) {
      Diagnostic& problem =
          diags.Error("Duplicate object attribute",
                      "An attribute named \"" + std::string(name->AsString()) +
                          "\" was already defined at " + ToText(key_ranges[place]) + ".",
                      key_range);
      if (describe_ && !described) {
        DescribeValues(expr, scope_, bindings, problem);
        described = problem.values;
      } else if (described) {
        problem.values = *described;
      }
      continue;
    }
    attributes.emplace_back(name->AsString(), std::move(value));
    key_ranges.push_back(key_range);
  }
  if (!complete) {
    return Value::DynamicUnknown();
  }
  Value object = Value::Object(std::move(attributes));
  return marks.empty() ? object : object.WithMarks(marks);
}

Value Evaluator::EvalObjectKey(const hcl::ObjectKeyExpr& expr, const Binding* bindings,
                               Diagnostics& diags) const {
  const Expr& wrapped = *expr.wrapped;
  if (!expr.force_non_literal) {
    if (wrapped.kind == ExprKind::kTraversal && !As<hcl::TraversalExpr>(wrapped).steps.empty()) {
      diags.Error("Ambiguous attribute key",
                  "If this expression is intended to be a reference, wrap it in parentheses. For a "
                  "literal name that contains dots, put it in quotes.",
                  wrapped.range());
      return Value::DynamicUnknown();
    }
    if (const std::string_view word = LiteralKey(wrapped); !word.empty()) {
      return Value::String(word);
    }
  }
  return Eval(wrapped, bindings, diags);
}

Value Evaluator::EvalSplatItem(const hcl::SplatItemExpr& item, const Binding* bindings) const {
  for (const Binding* binding = bindings; binding != nullptr; binding = binding->outer) {
    if (binding->item == &item) {
      return *binding->value;
    }
  }
  return Value::DynamicUnknown();
}

Diagnostic& Evaluator::Fail(std::string_view summary, std::string detail,
                            const SourceRange& subject, const SourceRange& context,
                            const Expr& about, const Binding* bindings, Diagnostics& diags) const {
  Diagnostic& problem = diags.Error(std::string(summary), std::move(detail), subject, context);
  if (describe_) {
    DescribeValues(about, scope_, bindings, problem);
  }
  return problem;
}

void Evaluator::DescribeValuesSince(size_t first, const Expr& about, const Binding* bindings,
                                    Diagnostics& diags) const {
  if (!describe_) {
    return;
  }
  for (size_t i = first; i < diags.size(); ++i) {
    Diagnostic& problem = diags.list()[i];
    if (problem.values.empty() && problem.subject.file == about.file()) {
      DescribeValues(about, scope_, bindings, problem);
    }
  }
}

}  // namespace kinu::lang
