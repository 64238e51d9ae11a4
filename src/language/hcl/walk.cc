#include "hcl/walk.h"

#include "hcl/json_syntax.h"

namespace kinu::hcl {

SourceRange StartRange(const Expr& expr) {
  const Expr* at = &expr;
  for (;;) {
    switch (at->kind) {
      case ExprKind::kCall:
        return {at->file(), at->begin, static_cast<const CallExpr&>(*at).open_paren + 1};
      case ExprKind::kIndex: {
        const uint32_t open = static_cast<const IndexExpr&>(*at).open_bracket;
        return {at->file(), open, open + 1};
      }
      case ExprKind::kTuple:
        return {at->file(), at->begin, static_cast<const TupleExpr&>(*at).open_end};
      case ExprKind::kObject:
      case ExprKind::kJsonObject:
        return {at->file(), at->begin, static_cast<const ObjectExpr&>(*at).open_end};
      case ExprKind::kFor:
        return {at->file(), at->begin, static_cast<const ForExpr&>(*at).open_end};
      case ExprKind::kSplat: {
        const auto& splat = static_cast<const SplatExpr&>(*at);
        return {at->file(), splat.marker_begin, splat.marker_end};
      }
      case ExprKind::kUnary:
        return {at->file(), at->begin, static_cast<const UnaryExpr&>(*at).symbol_end};
      case ExprKind::kConditional:
        at = static_cast<const ConditionalExpr&>(*at).condition;
        break;
      case ExprKind::kBinary:
        at = static_cast<const BinaryExpr&>(*at).left;
        break;
      case ExprKind::kObjectKey:
        at = static_cast<const ObjectKeyExpr&>(*at).wrapped;
        break;
      case ExprKind::kTemplate: {
        const auto parts = static_cast<const TemplateExpr&>(*at).parts;
        if (parts.empty()) {
          return at->range();
        }
        at = parts.front();
        break;
      }
      case ExprKind::kTemplateJoin:
      case ExprKind::kParentheses:
        at = static_cast<const WrapExpr&>(*at).wrapped;
        break;
      case ExprKind::kQuoted:
        at = &static_cast<const QuotedExpr&>(*at).part;
        break;
      case ExprKind::kLiteral:
      case ExprKind::kText:
      case ExprKind::kTraversal:
      case ExprKind::kRelative:
      case ExprKind::kObjectWord:
      case ExprKind::kSplatItem:
      case ExprKind::kTemplateWrap:
      case ExprKind::kInvalid:
      case ExprKind::kMissing:
        return at->range();
    }
  }
}

std::string_view KeyWord(const Expr& key) {
  const bool is_key = key.kind == ExprKind::kObjectWord || key.kind == ExprKind::kObjectKey;
  return is_key ? NativeKeyword(key) : std::string_view();
}

}  // namespace kinu::hcl
