// Static analysis: reading an expression's form instead of its value, in both syntaxes. In JSON a
// string's content is then read as an expression or taken as a word.
// Ref: hcl v2 expr_list.go, expr_map.go, expr_call.go, traversal_for_expr.go.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hcl/ast.h"

namespace kinu::hcl {

/// A traversal with its root as first step's name, as static analysis gives it.
struct StaticTraversal {
  std::string_view root;
  SourceRange root_range;
  std::span<const TraversalStep> steps;
  SourceRange range;
};

/// `a.b[0]`, or in JSON a string that holds one. Nothing (and no diagnostic) when it is not one.
/// `tree` receives what a JSON string parses to.
std::optional<StaticTraversal> AsTraversal(const Expr& expr, SyntaxTree& tree);
/// The single word of an expression ("string", "all"), or empty. Ref: hcl.ExprAsKeyword.
std::string_view AsKeyword(const Expr& expr, SyntaxTree& tree);
/// Elements of a tuple constructor, or nothing.
std::optional<std::span<const Expr* const>> AsList(const Expr& expr);
/// Items of an object constructor, or nothing.
std::optional<std::span<const ObjectItem>> AsMap(const Expr& expr);
struct StaticCall {
  std::string_view name;
  SourceRange name_range;
  std::span<const Expr* const> arguments;
  SourceRange arguments_range;
};
std::optional<StaticCall> AsCall(const Expr& expr, SyntaxTree& tree);

/// A JSON literal behind an expression: the string exactly as written, without template parsing.
/// Native syntax: a string literal without interpolation. Nothing otherwise.
std::optional<std::string_view> AsLiteralString(const Expr& expr);
/// True when the expression was written in a JSON file.
bool IsJsonExpr(const Expr& expr);

/// Every traversal in the expression that is not a name bound by an enclosing `for`, in the order
/// of the reference's Variables(): depth first, source order.
void CollectTraversals(const Expr& expr, std::vector<const TraversalExpr*>& out);
/// Every function call in the expression.
void CollectCalls(const Expr& expr, std::vector<const CallExpr*>& out);

}  // namespace kinu::hcl
