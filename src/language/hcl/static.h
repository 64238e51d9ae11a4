// Static analysis: functions that examine the form of an expression without evaluating it, in both
// syntaxes. They parse the content of a JSON string as an expression or keyword.
// Ref: hcl v2 expr_list.go, expr_map.go, expr_call.go, traversal_for_expr.go.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hcl/ast.h"

namespace kinu::hcl {

/// A traversal, of either syntax.
struct StaticTraversal {
  std::string_view root;
  SourceRange root_range;
  std::span<const TraversalStep> steps;
  SourceRange range;
};

/// What a splat is in a static traversal.
enum class Splats : uint8_t {
  kRefused,
  kSteps,  ///< a step of a pattern: `a.b[*].c`. Ref: hcl AbsTraversalPatternForExpr
};
/// The traversal `a.b[0]`, or in JSON the one in a string. Nothing, without a diagnostic, for other
/// expressions. `tree` owns the nodes parsed from a JSON string.
std::optional<StaticTraversal> AsTraversal(const Expr& expr, SyntaxTree& tree,
                                           Splats splats = Splats::kRefused);
/// The single word of an expression ("string", "all"), or empty. Ref: hcl.ExprAsKeyword.
std::string_view AsKeyword(const Expr& expr, SyntaxTree& tree);
/// Elements of a tuple constructor, or nothing.
std::optional<std::span<const Expr* const>> AsList(const Expr& expr);
/// Items of an object constructor, or nothing.
std::optional<std::span<const ObjectItem>> AsMap(const Expr& expr);
/// A function call, of either syntax.
struct StaticCall {
  std::string_view name;
  SourceRange name_range;
  std::span<const Expr* const> arguments;
  SourceRange arguments_range;
};
/// The function call that the expression is, or nothing. `tree` as for AsTraversal().
std::optional<StaticCall> AsCall(const Expr& expr, SyntaxTree& tree);

/// JSON: the string without template processing. Native syntax: a string literal without template
/// sequences. Nothing for other expressions.
std::optional<std::string_view> AsLiteralString(const Expr& expr);
/// The text of a part of a template; nothing for a sequence.
std::optional<std::string_view> TextOfPart(const Expr& part);
/// Whether the expression is in a JSON file.
bool IsJsonExpr(const Expr& expr);

/// What to do with the second argument of the function `convert`, a type whose words look like
/// traversals.
enum class TypeArgument : uint8_t {
  kSkip,  ///< it refers to nothing
  kKeep,  ///< as HCL does, which knows no functions. Ref: hclsyntax.Variables
};

/// Appends every traversal in the expression whose root is not bound by an enclosing `for`, depth
/// first in source order.
void CollectTraversals(const Expr& expr, std::vector<const TraversalExpr*>& out,
                       TypeArgument types = TypeArgument::kSkip);
/// Appends what CollectTraversals() does, and every function call in the expression.
void CollectTraversalsAndCalls(const Expr& expr, std::vector<const TraversalExpr*>& traversals,
                               std::vector<const CallExpr*>& calls);

}  // namespace kinu::hcl
