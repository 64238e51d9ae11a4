#include "hcl/node_at.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>

#include "hcl/lexer.h"

namespace kinu::hcl {
namespace {

bool Touches(const Expr& expr, uint32_t offset) {
  return expr.begin <= offset && offset <= expr.end;
}

/// The first of the items in source order that does not end before the offset; their number if all
/// do.
template <typename Items, typename EndOf>
size_t FirstEndingAt(const Items& items, uint32_t offset, EndOf&& end_of) {
  const auto found = std::partition_point(items.begin(), items.end(),
                                          [&](const auto& item) { return end_of(item) < offset; });
  return static_cast<size_t>(found - items.begin());
}

size_t FirstEndingAt(std::span<const Expr* const> exprs, uint32_t offset) {
  return FirstEndingAt(exprs, offset, [](const Expr* expr) { return expr->end; });
}

/// The one of the expressions in source order that touches the offset, or null.
const Expr* TouchedOf(std::span<const Expr* const> exprs, uint32_t offset) {
  const size_t at = FirstEndingAt(exprs, offset);
  return at < exprs.size() && Touches(*exprs[at], offset) ? exprs[at] : nullptr;
}

/// The same for a few, some of which may be null.
const Expr* TouchedOfFew(std::initializer_list<const Expr*> exprs, uint32_t offset) {
  for (const Expr* expr : exprs) {
    if (expr != nullptr && Touches(*expr, offset)) {
      return expr;
    }
  }
  return nullptr;
}

template <typename T>
const T& As(const Expr& expr) {
  return static_cast<const T&>(expr);
}

/// The direct child that touches the offset, or null.
const Expr* ChildAt(const Expr& expr, uint32_t offset) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
    case ExprKind::kText:
    case ExprKind::kTraversal:
    case ExprKind::kObjectWord:
    case ExprKind::kSplatItem:
    case ExprKind::kInvalid:
    case ExprKind::kMissing:
      return nullptr;
    case ExprKind::kQuoted:
      return TouchedOfFew({&As<QuotedExpr>(expr).part}, offset);
    case ExprKind::kRelative:
      return TouchedOfFew({As<RelativeExpr>(expr).source}, offset);
    case ExprKind::kCall:
      return TouchedOf(As<CallExpr>(expr).arguments, offset);
    case ExprKind::kConditional: {
      const auto& conditional = As<ConditionalExpr>(expr);
      return TouchedOfFew(
          {conditional.condition, conditional.true_result, conditional.false_result}, offset);
    }
    case ExprKind::kIndex:
      return TouchedOfFew({As<IndexExpr>(expr).collection, As<IndexExpr>(expr).key}, offset);
    case ExprKind::kTuple:
      return TouchedOf(As<TupleExpr>(expr).elements, offset);
    case ExprKind::kObject:
    case ExprKind::kJsonObject: {
      const auto& items = As<ObjectExpr>(expr).items;
      const size_t at =
          FirstEndingAt(items, offset, [](const ObjectItem& item) { return item.value->end; });
      return at == items.size() ? nullptr : TouchedOfFew({items[at].key, items[at].value}, offset);
    }
    case ExprKind::kObjectKey:
      return TouchedOfFew({As<ObjectKeyExpr>(expr).wrapped}, offset);
    case ExprKind::kFor: {
      const auto& loop = As<ForExpr>(expr);
      return TouchedOfFew({loop.collection, loop.key_result, loop.value_result, loop.condition},
                          offset);
    }
    case ExprKind::kSplat:
      return TouchedOfFew({As<SplatExpr>(expr).source, As<SplatExpr>(expr).each}, offset);
    case ExprKind::kTemplate:
      return TouchedOf(As<TemplateExpr>(expr).parts, offset);
    case ExprKind::kTemplateWrap:
    case ExprKind::kTemplateJoin:
    case ExprKind::kParentheses:
      return TouchedOfFew({As<WrapExpr>(expr).wrapped}, offset);
    case ExprKind::kBinary:
      return TouchedOfFew({As<BinaryExpr>(expr).left, As<BinaryExpr>(expr).right}, offset);
    case ExprKind::kUnary:
      return TouchedOfFew({As<UnaryExpr>(expr).operand}, offset);
  }
  return nullptr;
}

ExprPart StepAt(std::span<const TraversalStep> steps, uint32_t offset) {
  const size_t at =
      FirstEndingAt(steps, offset, [](const TraversalStep& step) { return step.end; });
  const bool is_touched = at < steps.size() && steps[at].begin <= offset;
  return is_touched ? ExprPart{ExprPart::Kind::kStep, at} : ExprPart{};
}

ExprPart PartOfCall(const CallExpr& call, uint32_t offset) {
  if (offset <= call.name_end) {
    return {ExprPart::Kind::kFunctionName, 0};
  }
  if (offset <= call.open_paren || offset > call.close_paren) {
    return {};
  }
  const size_t next = FirstEndingAt(call.arguments, offset);
  if (next < call.arguments.size() && Touches(*call.arguments[next], offset)) {
    return {ExprPart::Kind::kArgument, next};
  }
  if (next == 0) {
    return {ExprPart::Kind::kArgument, 0};
  }
  // Between two arguments, or behind the last one: a comma decides.
  const uint32_t end = call.arguments[next - 1]->end;
  const auto between = Lex(call.file()->text().substr(end, offset - end), LexMode::kNormal);
  const bool has_comma = std::any_of(between.begin(), between.end(), [](const Token& token) {
    return token.kind == TokenKind::kComma;
  });
  return {ExprPart::Kind::kArgument, has_comma ? next : next - 1};
}

/// Whether the name, which is a part of the text, touches the offset.
bool NameTouches(std::string_view text, std::string_view name, uint32_t offset) {
  if (name.empty()) {
    return false;
  }
  const auto begin = static_cast<size_t>(name.data() - text.data());
  return begin <= offset && offset <= begin + name.size();
}

ExprPart PartAt(const Expr& expr, uint32_t offset) {
  switch (expr.kind) {
    case ExprKind::kTraversal: {
      const auto& traversal = As<TraversalExpr>(expr);
      return offset <= traversal.root_end ? ExprPart{ExprPart::Kind::kRoot, 0}
                                          : StepAt(traversal.steps, offset);
    }
    case ExprKind::kRelative: {
      const auto& relative = As<RelativeExpr>(expr);
      return offset <= relative.source->end ? ExprPart{} : StepAt(relative.steps, offset);
    }
    case ExprKind::kCall:
      return PartOfCall(As<CallExpr>(expr), offset);
    case ExprKind::kFor: {
      const auto& loop = As<ForExpr>(expr);
      const std::string_view text = expr.file()->text();
      if (NameTouches(text, loop.key_name, offset)) {
        return {ExprPart::Kind::kForKeyName, 0};
      }
      return NameTouches(text, loop.value_name, offset) ? ExprPart{ExprPart::Kind::kForValueName, 0}
                                                        : ExprPart{};
    }
    default:
      return {};
  }
}

/// Whether the text is white space of one line.
bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

/// The last of the items in source order that begins at the offset or before, or null.
template <typename Items, typename BeginOf>
auto LastBeginningAt(const Items& items, uint32_t offset, BeginOf&& begin_of) {
  const auto after = std::partition_point(
      items.begin(), items.end(), [&](const auto& item) { return begin_of(item) <= offset; });
  return after == items.begin() ? nullptr : &*(after - 1);
}

bool HasBrace(const NativeBlock& block) {
  return block.open_brace != block.type_begin;
}

bool IsInBody(const NativeBlock& block, uint32_t offset) {
  return HasBrace(block) && offset > block.open_brace && offset <= block.close_brace;
}

/// Sets the place if the header touches the offset.
bool FindInHeader(const NativeBlock& block, std::string_view text, uint32_t offset, NodeAt& out) {
  const uint32_t end = block.header_end();
  const bool in_gap = HasBrace(block) ? offset <= block.open_brace
                                      : offset <= end || IsBlank(text.substr(end, offset - end));
  if (!in_gap) {
    return false;
  }
  out.block = &block;
  if (offset <= block.type_end()) {
    out.place = NodeAt::Place::kBlockType;
    return true;
  }
  out.label = FirstEndingAt(block.labels, offset, [](const Label& label) { return label.end; });
  const bool in_label = out.label < block.labels.size() && block.labels[out.label].begin <= offset;
  out.place = in_label ? NodeAt::Place::kBlockLabel : NodeAt::Place::kBlockHeader;
  return true;
}

/// Sets the place if the attribute touches the offset or ends before it on its line.
void FindInAttribute(const NativeAttribute& attribute, std::string_view text, uint32_t offset,
                     NodeAt& out) {
  if (offset > attribute.end) {
    if (IsBlank(text.substr(attribute.end, offset - attribute.end))) {
      out.attribute = &attribute;
      out.place = NodeAt::Place::kAfterAttribute;
    }
    return;
  }
  out.attribute = &attribute;
  if (offset <= attribute.name_end()) {
    out.place = NodeAt::Place::kAttributeName;
    return;
  }
  out.exprs = ExprsAt(*attribute.expr, offset);
  out.place = out.exprs.empty() ? NodeAt::Place::kAttributeEqual : NodeAt::Place::kAttributeValue;
}

}  // namespace

std::vector<EnclosingExpr> ExprsAt(const Expr& expr, uint32_t offset) {
  std::vector<EnclosingExpr> found;
  const Expr* at = Touches(expr, offset) ? &expr : nullptr;
  while (at != nullptr) {
    const Expr* child = ChildAt(*at, offset);
    const bool has_part = child == nullptr || at->kind == ExprKind::kCall;
    found.push_back({at, has_part ? PartAt(*at, offset) : ExprPart{}});
    at = child;
  }
  return found;
}

NodeAt FindNodeAt(const NativeBody& body, uint32_t offset) {
  NodeAt out;
  out.body = &body;
  const std::string_view text = body.file->text();
  for (;;) {
    const NativeBlock* block =
        LastBeginningAt(out.body->blocks, offset,
                        [](const NativeBlock& candidate) { return candidate.type_begin; });
    if (block != nullptr && IsInBody(*block, offset)) {
      out.blocks.push_back(block);
      out.body = block->body.get();
      continue;
    }
    if (block != nullptr && FindInHeader(*block, text, offset, out)) {
      return out;
    }
    const NativeAttribute* attribute =
        LastBeginningAt(out.body->attributes, offset,
                        [](const NativeAttribute& candidate) { return candidate.begin; });
    if (attribute != nullptr) {
      FindInAttribute(*attribute, text, offset, out);
    }
    return out;
  }
}

}  // namespace kinu::hcl
