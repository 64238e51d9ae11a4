// Templates. Ref: hclsyntax expression_template.go.
#include <string>
#include <string_view>
#include <utility>

#include "base/invariant.h"
#include "cty/conversion.h"
#include "lang/evaluator.h"
#include "text/unicode.h"

namespace kinu::lang {

using hcl::Expr;

namespace {

// Limit of the known prefix of an unknown string, in bytes.
constexpr size_t kMaxPrefix = 128;

// Limit of a template's result in bytes. Without it, a few lines that double a string exhaust the
// memory.
constexpr size_t kMaxText = size_t{256} << 20;
constexpr const char* kTooLong =
    "The template makes a string of more than 256 MiB, which is the most that a string can have.";

}  // namespace

Value Evaluator::EvalTemplate(const hcl::TemplateExpr& expr, const Binding* bindings,
                              Diagnostics& diags) const {
  if (expr.parts.size() == 1 && expr.parts[0]->kind == hcl::ExprKind::kText) {
    return static_cast<const hcl::TextExpr*>(expr.parts[0])->value();
  }
  if (expr.parts.size() == 1 && expr.parts[0]->kind == hcl::ExprKind::kLiteral) {
    const Value& text = *static_cast<const hcl::LiteralExpr*>(expr.parts[0])->value;
    if (text.IsKnown() && !text.IsNull() && text.type() == Type::String()) {
      return text;
    }
  }
  std::string buffer;
  MarkSet marks;
  const size_t errors = diags.error_count();
  const auto failed = [&] { return diags.error_count() != errors; };
  bool known = true;
  const auto append = [&](std::string_view text, const Expr& part) {
    if (!known || failed()) {
      return;
    }
    if (text.size() > kMaxText - buffer.size()) {
      diags.Error("Template result too long", kTooLong, part.range(), expr.range());
      return;
    }
    buffer += text;
  };
  for (const Expr* part : expr.parts) {
    if (part->kind == hcl::ExprKind::kText) {
      append(static_cast<const hcl::TextExpr&>(*part).text(), *part);
      continue;
    }
    Value value = Eval(*part, bindings, diags);
    if (value.IsNull()) {
      Fail("Invalid template interpolation value",
           "The expression result is null. Cannot include a null value in a string template.",
           part->range(), expr.range(), *part, bindings, diags);
      continue;
    }
    if (value.IsMarked()) {
      marks = marks.Union(value.marks());
      value = value.Unmark();
    }
    if (!value.IsKnown()) {
      known = false;
      continue;
    }
    const ValueResult<Value> piece = ConvertTo(std::move(value), Type::String());
    if (!piece) {
      Fail("Invalid template interpolation value",
           "Cannot include the given value in a string template: " + piece.error().message + ".",
           part->range(), expr.range(), *part, bindings, diags);
      continue;
    }
    append(piece->AsString(), *part);
  }
  Value result;
  if (known) {
    result = Value::String(buffer);
  } else {
    Refinements refinements;
    refinements.not_null = true;
    if (!failed() && !buffer.empty()) {
      refinements.prefix = text::SafePrefix(std::string_view(buffer).substr(0, kMaxPrefix));
    }
    result = Value::Unknown(Type::String(), std::move(refinements));
  }
  return marks.empty() ? result : result.WithMarks(marks);
}

Value Evaluator::EvalTemplateJoin(const hcl::WrapExpr& expr, const Binding* bindings,
                                  Diagnostics& diags) const {
  Value tuple = Eval(*expr.wrapped, bindings, diags);
  const Type type = tuple.type();
  if (type.is_dynamic() || !tuple.IsKnown()) {
    return Value::Unknown(Type::String());
  }
  KINU_INVARIANT(type.is_tuple() && !tuple.IsNull(), "kTemplateJoin needs the tuple of a for");
  const MarkSet tuple_marks = tuple.marks();
  MarkSet marks = tuple_marks;
  std::string joined;
  for (const Value& element : tuple.elements()) {
    if (element.IsNull()) {
      Fail("Invalid template interpolation value",
           "An iteration result is null. Cannot include a null value in a string template.",
           expr.wrapped->range(), {}, expr, bindings, diags);
      continue;
    }
    if (element.type().is_dynamic()) {
      return Value::Unknown(Type::String()).WithMarks(tuple_marks);
    }
    const ValueResult<Value> piece = ConvertTo(element, Type::String());
    if (!piece) {
      Fail("Invalid template interpolation value",
           "Cannot include one of the interpolation results into the string template: " +
               piece.error().message + ".",
           expr.wrapped->range(), {}, expr, bindings, diags);
      continue;
    }
    if (!element.IsKnown()) {
      return Value::Unknown(Type::String()).WithMarks(tuple_marks);
    }
    if (piece->IsMarked()) {
      marks = marks.Union(piece->marks());
    }
    const std::string_view text = piece->AsString();
    if (text.size() > kMaxText - joined.size()) {
      diags.Error("Template result too long", kTooLong, expr.wrapped->range());
      break;
    }
    joined += text;
  }
  Value result = Value::String(joined);
  return marks.empty() ? result : result.WithMarks(marks);
}

}  // namespace kinu::lang
