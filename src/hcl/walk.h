// Walking over expressions: direct children and the range that stands for a whole expression.
#pragma once

#include "hcl/ast.h"

namespace kinu::hcl {

/// Where a diagnostic about the whole expression points, so that a snippet shows its start: an
/// opening bracket, a call's name, an operator's left operand.
/// Ref: hclsyntax Expression.StartRange.
SourceRange StartRange(const Expr& expr);

/// The word that an object key consists of, when it is to be read as a string: `a` in `{a = 1}`,
/// but nothing in `{(a) = 1}`. Ref: hclsyntax ObjectConsKeyExpr.literalName.
std::string_view KeyWord(const ObjectKeyExpr& key);

/// Calls visit(const Expr&) for each direct child, in the order of the source. The parts of a `for`
/// that see its names are children like others. A key that is a bare word has no children.
template <typename Visit>
void ForEachChild(const Expr& expr, Visit&& visit) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
    case ExprKind::kTraversal:
    case ExprKind::kSplatItem:
    case ExprKind::kInvalid:
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
