// Trees, ranges and diagnostics as texts that tests compare.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hcl/body.h"
#include "hcl/walk.h"

namespace kinu::hcl {

inline std::string Show(const SourceRange& range) {
  const Position begin = range.start_position();
  const Position end = range.end_position();
  return std::to_string(begin.line) + ":" + std::to_string(begin.column) + "-" +
         std::to_string(end.line) + ":" + std::to_string(end.column);
}

inline std::string Show(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& diagnostic : diags) {
    out += (out.empty() ? "" : "\n") + diagnostic.summary + " " + Show(diagnostic.subject);
  }
  return out;
}

/// The expression as text, with brackets around every operation.
inline std::string Show(const Expr& expr) {
  std::string children;
  ForEachChild(expr, [&](const Expr& child) { children += " " + Show(child); });
  const auto steps = [&](std::span<const TraversalStep> all) {
    std::string out;
    for (const TraversalStep& step : all) {
      out += expr.file()->text().substr(step.begin, step.end - step.begin);
    }
    return out;
  };
  switch (expr.kind) {
    case ExprKind::kLiteral: {
      const Value& value = *static_cast<const LiteralExpr&>(expr).value;
      return value.IsKnown() && !value.IsNull() && value.type() == Type::String()
                 ? "'" + std::string(value.AsString()) + "'"
                 : std::string(expr.range().text());
    }
    case ExprKind::kText:
      return "'" + std::string(expr.range().text()) + "'";
    case ExprKind::kTraversal:
      return std::string(static_cast<const TraversalExpr&>(expr).root) +
             steps(static_cast<const TraversalExpr&>(expr).steps);
    case ExprKind::kRelative:
      return "(rel" + children + " " + steps(static_cast<const RelativeExpr&>(expr).steps) + ")";
    case ExprKind::kCall:
      return "(call " + std::string(static_cast<const CallExpr&>(expr).name) + children + ")";
    case ExprKind::kConditional:
      return "(if" + children + ")";
    case ExprKind::kIndex:
      return "(index" + children + ")";
    case ExprKind::kTuple:
      return "[" + children + " ]";
    case ExprKind::kObject:
    case ExprKind::kJsonObject:
      return "{" + children + " }";
    case ExprKind::kObjectWord:
    case ExprKind::kObjectKey: {
      const std::string_view word = KeyWord(expr);
      return word.empty() ? "(key" + children + ")" : std::string(word);
    }
    case ExprKind::kFor:
      return "(for" + children + ")";
    case ExprKind::kSplat:
      return "(splat" + children + ")";
    case ExprKind::kSplatItem:
      return "@";
    case ExprKind::kQuoted:
    case ExprKind::kTemplate:
      return "(template" + children + ")";
    case ExprKind::kTemplateWrap:
      return "(wrap" + children + ")";
    case ExprKind::kTemplateJoin:
      return "(join" + children + ")";
    case ExprKind::kBinary:
      return "(op" + std::to_string(static_cast<int>(static_cast<const BinaryExpr&>(expr).op)) +
             children + ")";
    case ExprKind::kUnary:
      return "(unary" + children + ")";
    case ExprKind::kParentheses:
      return "(paren" + children + ")";
    case ExprKind::kInvalid:
      return "(invalid)";
    case ExprKind::kMissing:
      return "?";
  }
  return "";
}

/// The body as text: `name = expression` and `type label { … }`, with "; " between items.
inline std::string Show(const NativeBody& body) {
  std::string out;
  auto attribute = body.attributes.begin();
  auto block = body.blocks.begin();
  while (attribute != body.attributes.end() || block != body.blocks.end()) {
    out += out.empty() ? "" : "; ";
    if (block == body.blocks.end() ||
        (attribute != body.attributes.end() && attribute->begin < block->type_begin)) {
      out += std::string(attribute->name) + " = " + Show(*attribute->expr);
      ++attribute;
      continue;
    }
    out += block->type;
    for (const Label& label : block->labels) {
      out += " " + std::string(label.text.view());
    }
    const std::string inside = Show(*block->body);
    out += inside.empty() ? " {}" : " { " + inside + " }";
    ++block;
  }
  return out;
}

}  // namespace kinu::hcl
