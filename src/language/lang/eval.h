// Evaluation of expressions. Results may be unknown and marked; errors are diagnostics with the
// reference's summaries and ranges, and the values involved. Ref: hcl v2 hclsyntax/expression.go,
// expression_template.go, expression_ops.go.
#pragma once

#include <span>

#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"
#include "lang/scope.h"

namespace kinu::lang {

/// A name with a value that hides names of the scope: the iterator of a `dynamic` block, `self`, a
/// name of a `for`. Bindings form a linked list, innermost first; inner ones hide outer ones.
struct Binding {
  std::string_view name;
  const Value* value;
  const Binding* outer;
  /// Not null if this binds the element of a splat; `name` is then empty.
  const hcl::SplatItemExpr* item = nullptr;
};

/// Evaluates an expression. After errors the result is partial, usually an unknown value of dynamic
/// type.
Value Evaluate(const hcl::Expr& expr, const Scope& scope, Diagnostics& diags,
               const Binding* bindings = nullptr);

/// Like Evaluate(), but does not process templates in JSON strings ("literal-only mode" in the
/// specification of HCL's JSON syntax). No difference for native expressions.
Value EvaluateLiteral(const hcl::Expr& expr, const Scope& scope, Diagnostics& diags,
                      const Binding* bindings = nullptr);

/// Evaluates an expression and converts the result to `type`. Reports a failed conversion as
/// "Incorrect value type" and returns an unknown value of that type.
Value EvaluateTo(const hcl::Expr& expr, const Type& type, const Scope& scope, Diagnostics& diags,
                 const Binding* bindings = nullptr);

/// Applies traversal steps to a value, with the reference's diagnostics ("Unsupported attribute",
/// "Invalid index", …). Scopes call it for the steps after those that they resolve. `whole` is the
/// traversal; only its source is used.
Value ApplySteps(Value value, std::span<const hcl::TraversalStep> steps, const hcl::Expr& whole,
                 Diagnostics& diags);

/// Fills Diagnostic::values with the traversals in an expression and statements about their values.
/// Never shows a sensitive value.
void DescribeValues(const hcl::Expr& expr, const Scope& scope, const Binding* bindings,
                    Diagnostic& diagnostic);

}  // namespace kinu::lang
