// Evaluation of expressions: a walk over the syntax tree. Results carry unknowns and marks; errors
// are diagnostics with the reference's summaries and ranges, and the values involved. Ref: hcl v2
// hclsyntax/expression.go, expression_template.go, expression_ops.go.
#pragma once

#include <span>

#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"
#include "lang/scope.h"

namespace kinu::lang {

/// Names bound around an expression from outside: the iterator of a `dynamic` block, `self`. Inner
/// ones hide outer ones and both hide the scope's. A chain on the stack.
struct Binding {
  std::string_view name;
  const Value* value;
  const Binding* outer;
  /// Set when this binds the element of a splat instead of a name (then `name` is empty).
  const hcl::SplatItemExpr* item = nullptr;
};

/// Evaluates. With errors the result is what could be computed, usually dynamic unknown.
Value Evaluate(const hcl::Expr& expr, const Scope& scope, Diagnostics& diags,
               const Binding* bindings = nullptr);

/// As Evaluate(), but a string of JSON is its text and no template ("literal only" in the
/// specification of HCL's JSON syntax). Native expressions have no such mode.
Value EvaluateLiteral(const hcl::Expr& expr, const Scope& scope, Diagnostics& diags,
                      const Binding* bindings = nullptr);

/// Evaluates and converts to `type`; a failing conversion is "Incorrect value type"-style
/// diagnostics of the caller, so the ValueError is returned instead of printed.
Value EvaluateTo(const hcl::Expr& expr, const Type& type, const Scope& scope, Diagnostics& diags,
                 const Binding* bindings = nullptr);

/// Applies traversal steps to a value with the reference's diagnostics ("Unsupported attribute",
/// "Invalid index", …). Used by scopes after they have consumed the first steps.
Value ApplySteps(Value value, std::span<const hcl::TraversalStep> steps, const hcl::Expr& whole,
                 Diagnostics& diags);

/// The start of an expression, where diagnostics about a whole argument or element point.
/// Ref: hclsyntax Expression.StartRange.
SourceRange StartRange(const hcl::Expr& expr);

/// Fills Diagnostic::values for an expression: each traversal in it and what its value is, as the
/// snippet shows them. Never shows a sensitive value.
void DescribeValues(const hcl::Expr& expr, const Scope& scope, const Binding* bindings,
                    Diagnostic& diagnostic);

}  // namespace kinu::lang
