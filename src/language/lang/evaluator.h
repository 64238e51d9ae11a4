// Evaluator: the implementation of Evaluate(), private to lang. One object per evaluation.
// Diagnostics are a parameter of each function, because conditionals and logical operators evaluate
// all their operands and drop the diagnostics of those that do not count.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lang/eval.h"

namespace kinu::lang {

class Evaluator {
 public:
  /// If `describe` is false, diagnostics have no values, for callers that drop them (`try`, `can`).
  /// If `literal` is true, templates in JSON strings are not processed.
  explicit Evaluator(const Scope& scope, bool describe = true, bool literal = false)
      : scope_(scope), describe_(describe), literal_(literal) {}

  Value Eval(const hcl::Expr& expr, const Binding* bindings, Diagnostics& diags) const;

 private:
  Value EvalTraversal(const hcl::TraversalExpr& expr, const Binding* bindings,
                      Diagnostics& diags) const;
  Value EvalRelative(const hcl::RelativeExpr& expr, const Binding* bindings,
                     Diagnostics& diags) const;
  Value EvalIndex(const hcl::IndexExpr& expr, const Binding* bindings, Diagnostics& diags) const;
  Value EvalTuple(const hcl::TupleExpr& expr, const Binding* bindings, Diagnostics& diags) const;
  Value EvalObject(const hcl::ObjectExpr& expr, const Binding* bindings, Diagnostics& diags) const;
  /// An object whose keys are words.
  Value EvalWords(const hcl::ObjectExpr& expr, const Binding* bindings, Diagnostics& diags) const;
  Value EvalJsonObject(const hcl::ObjectExpr& expr, const Binding* bindings,
                       Diagnostics& diags) const;
  Value EvalObjectKey(const hcl::ObjectKeyExpr& expr, const Binding* bindings,
                      Diagnostics& diags) const;
  Value EvalSplatItem(const hcl::SplatItemExpr& item, const Binding* bindings) const;

  // eval_for.cc
  class ForLoop;
  Value EvalFor(const hcl::ForExpr& expr, const Binding* bindings, Diagnostics& diags) const;
  /// Evaluates the condition of a `for` with unknown names (`inner`), so that a condition that is
  /// invalid for all elements is reported once. Returns its marks; nothing after an error.
  std::optional<MarkSet> ProbeForCondition(const hcl::ForExpr& expr, const Binding* inner,
                                           const Binding* bindings, Diagnostics& diags) const;
  Value EvalSplat(const hcl::SplatExpr& expr, const Binding* bindings, Diagnostics& diags) const;
  Type SplatType(const hcl::SplatExpr& expr, const Type& source, const Binding* bindings,
                 Diagnostics& diags) const;

  // eval_ops.cc
  Value EvalConditional(const hcl::ConditionalExpr& expr, const Binding* bindings,
                        Diagnostics& diags) const;
  Value EvalBinary(const hcl::BinaryExpr& expr, const Binding* bindings, Diagnostics& diags) const;
  Value EvalUnary(const hcl::UnaryExpr& expr, const Binding* bindings, Diagnostics& diags) const;

  // eval_template.cc
  Value EvalTemplate(const hcl::TemplateExpr& expr, const Binding* bindings,
                     Diagnostics& diags) const;
  Value EvalTemplateJoin(const hcl::WrapExpr& expr, const Binding* bindings,
                         Diagnostics& diags) const;

  // eval_call.cc
  Value EvalCall(const hcl::CallExpr& expr, const Binding* bindings, Diagnostics& diags) const;
  Value ReportUnknownFunction(const hcl::CallExpr& expr, const Binding* bindings,
                              Diagnostics& diags) const;
  struct Arguments;
  bool ExpandFinal(const hcl::CallExpr& expr, const functions::Callable& callable,
                   const Binding* bindings, Arguments& arguments, Diagnostics& diags) const;
  Value CallLazy(const hcl::CallExpr& expr, const Arguments& arguments,
                 const functions::Callable& callable, const Binding* bindings,
                 Diagnostics& diags) const;
  Value CallConvert(const hcl::CallExpr& expr, const Arguments& arguments,
                    const functions::Callable& callable, const Binding* bindings,
                    Diagnostics& diags) const;
  /// Sets Diagnostic::function_call.
  void SetFunctionCall(const hcl::CallExpr& expr, const functions::Callable& callable,
                       const Binding* bindings, Diagnostic& problem) const;
  void FailCall(const hcl::CallExpr& expr, const Arguments& arguments,
                const functions::Callable& callable, const functions::CallError& error,
                const Binding* bindings, Diagnostics& diags) const;

  /// Reports an error with the values of the references in `about`.
  Diagnostic& Fail(std::string_view summary, std::string detail, const SourceRange& subject,
                   const SourceRange& context, const hcl::Expr& about, const Binding* bindings,
                   Diagnostics& diags) const;
  /// Adds values to the diagnostics from `first` on that have none.
  void DescribeValuesSince(size_t first, const hcl::Expr& about, const Binding* bindings,
                           Diagnostics& diags) const;

  /// Reports the choice of a conditional, or keeps it until the one around it has chosen.
  void Choose(const hcl::ConditionalExpr& expr, bool true_branch) const;

  const Scope& scope_;
  using Choices = std::vector<std::pair<const hcl::ConditionalExpr*, bool>>;
  mutable Choices* choices_ = nullptr;  // of the branch that is evaluated; null: none is
  bool describe_;
  bool literal_;
};

/// The value; if it is unknown and its type is known, refined as not null.
Value RefinedNotNull(const Value& value);
/// `value` converted to `type`. Fast if it has that type.
ValueResult<Value> ConvertTo(const Value& value, const Type& type);
inline ValueResult<Value> ConvertTo(Value&& value, const Type& type) {
  if (type.is_dynamic() || value.type() == type) {
    return std::move(value);
  }
  return ConvertTo(std::as_const(value), type);
}

}  // namespace kinu::lang
