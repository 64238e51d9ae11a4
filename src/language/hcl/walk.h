// Traversal of expression trees, and the ranges that diagnostics about an expression use.
#pragma once

#include "hcl/ast.h"

namespace kinu::hcl {

/// The subject of a diagnostic about a whole expression, so that a snippet shows its start: the
/// opening bracket, the name of a call, the left operand of an operator.
/// Ref: hclsyntax Expression.StartRange.
SourceRange StartRange(const Expr& expr);

/// The name that an object key stands for as a string: `a` in `{a = 1}`, empty in `{(a) = 1}`.
/// Ref: hclsyntax ObjectConsKeyExpr.literalName.
std::string_view KeyWord(const Expr& key);

/// Calls visit(const Expr&) for each direct child in source order. The result and condition of a
/// `for` are children too. An object key that is a bare name has no children.
template <typename Visit>
void ForEachChild(const Expr& expr, Visit&& visit) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
    case ExprKind::kText:
    case ExprKind::kTraversal:
    case ExprKind::kObjectWord:
    case ExprKind::kSplatItem:
    case ExprKind::kInvalid:
    case ExprKind::kMissing:
      return;
    case ExprKind::kQuoted:
      visit(static_cast<const QuotedExpr&>(expr).part);
      return;
    case ExprKind::kRelative:
      visit(*static_cast<const RelativeExpr&>(expr).source);
      return;
    case ExprKind::kCall:
      for (const Expr* argument : static_cast<const CallExpr&>(expr).arguments) {
        visit(*argument);
      }
      return;
    case ExprKind::kConditional: {
      const auto& conditional = static_cast<const ConditionalExpr&>(expr);
      visit(*conditional.condition);
      visit(*conditional.true_result);
      visit(*conditional.false_result);
      return;
    }
    case ExprKind::kIndex:
      visit(*static_cast<const IndexExpr&>(expr).collection);
      visit(*static_cast<const IndexExpr&>(expr).key);
      return;
    case ExprKind::kTuple:
      for (const Expr* element : static_cast<const TupleExpr&>(expr).elements) {
        visit(*element);
      }
      return;
    case ExprKind::kObject:
    case ExprKind::kJsonObject:
      for (const ObjectItem& item : static_cast<const ObjectExpr&>(expr).items) {
        visit(*item.key);
        visit(*item.value);
      }
      return;
    case ExprKind::kObjectKey: {
      const auto& key = static_cast<const ObjectKeyExpr&>(expr);
      if (KeyWord(key).empty()) {
        visit(*key.wrapped);
      }
      return;
    }
    case ExprKind::kFor: {
      const auto& loop = static_cast<const ForExpr&>(expr);
      visit(*loop.collection);
      for (const Expr* part : {loop.key_result, loop.value_result, loop.condition}) {
        if (part != nullptr) {
          visit(*part);
        }
      }
      return;
    }
    case ExprKind::kSplat:
      visit(*static_cast<const SplatExpr&>(expr).source);
      visit(*static_cast<const SplatExpr&>(expr).each);
      return;
    case ExprKind::kTemplate:
      for (const Expr* part : static_cast<const TemplateExpr&>(expr).parts) {
        visit(*part);
      }
      return;
    case ExprKind::kTemplateWrap:
    case ExprKind::kTemplateJoin:
    case ExprKind::kParentheses:
      visit(*static_cast<const WrapExpr&>(expr).wrapped);
      return;
    case ExprKind::kBinary:
      visit(*static_cast<const BinaryExpr&>(expr).left);
      visit(*static_cast<const BinaryExpr&>(expr).right);
      return;
    case ExprKind::kUnary:
      visit(*static_cast<const UnaryExpr&>(expr).operand);
      return;
  }
}

}  // namespace kinu::hcl
