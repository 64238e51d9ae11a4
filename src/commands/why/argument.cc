#include "why/argument.h"

#include <algorithm>

#include "hcl/static.h"
#include "hcl/walk.h"
#include "schema/decode.h"

namespace kinu::why {
namespace {

void AddExpr(Argument& out, const hcl::Expr& expr) {
  hcl::CollectTraversalsAndCalls(expr, out.traversals, out.calls);
}

void AddText(Argument& out, const SourceRange& range) {
  if (!out.range.valid()) {
    out.range = range;
  }
  out.text += (out.text.empty() ? "" : "\n") + std::string(range.text());
}

void AddIndexed(std::vector<IndexedAccess>& out, const hcl::Expr& expr) {
  const hcl::Expr* inner = &expr;
  std::span<const hcl::TraversalStep> steps;
  if (expr.kind == hcl::ExprKind::kRelative) {
    const auto& relative = static_cast<const hcl::RelativeExpr&>(expr);
    inner = relative.source;
    steps = relative.steps.subspan(0);
  }
  if (inner->kind == hcl::ExprKind::kIndex) {
    const auto& index = static_cast<const hcl::IndexExpr&>(*inner);
    if (index.collection->kind == hcl::ExprKind::kTraversal) {
      // The access around this index, which has more steps, came before it.
      out.push_back({static_cast<const hcl::TraversalExpr*>(index.collection), index.key, steps});
    }
  }
  hcl::ForEachChild(expr, [&](const hcl::Expr& child) { AddIndexed(out, child); });
}

/// The source of a block: its header and, in the native syntax, its body.
SourceRange WholeBlock(const hcl::Block& block) {
  SourceRange range = block.def_range;
  if (!block.body->is_json()) {
    range.end = std::max(range.end, static_cast<const hcl::NativeBody*>(block.body)->end);
  }
  return range;
}

/// A `dynamic` block. Its iterator is no reference of the configuration, and names no block.
void AddDynamic(Argument& out, const hcl::Block& block, const schema::Block& inner) {
  static constexpr hcl::AttributeSchema kAttributes[] = {{"for_each"}, {"iterator"}, {"labels"}};
  static constexpr hcl::BlockSchema kBlocks[] = {{"content"}};
  Diagnostics ignored;
  const hcl::BodyContent content = block.body->Content(
      {.attributes = kAttributes, .blocks = kBlocks}, hcl::Strictness::kPartial, ignored);
  if (const hcl::Attribute* items = content.Find("for_each")) {
    AddExpr(out, *items->expr);
  }
  for (const hcl::Block& made : content.blocks) {
    schema::CollectBodyTraversals(inner, *made.body, {}, out.traversals, out.calls);
  }
}

}  // namespace

const IndexedAccess* Argument::IndexAfter(const hcl::TraversalExpr* traversal) const {
  const auto found = std::ranges::find(indexed, traversal, &IndexedAccess::collection);
  return found == indexed.end() ? nullptr : &*found;
}

Argument ArgumentOf(const hcl::Expr& expr) {
  Argument out;
  AddText(out, expr.range());
  AddExpr(out, expr);
  AddIndexed(out.indexed, expr);
  return out;
}

Argument FindArgument(const config::Resource& resource, const schema::Block& block,
                      std::string_view name) {
  Argument out;
  if (resource.body == nullptr) {
    return out;
  }
  const std::string_view label[] = {"type"};
  const hcl::AttributeSchema attributes[] = {{name}};
  const hcl::BlockSchema blocks[] = {{name}, {"dynamic", label}};
  const schema::NestedBlock* nested = block.FindBlock(name);
  Diagnostics ignored;
  const hcl::BodyContent content = resource.body->Content(
      {.attributes = std::span(attributes, nested == nullptr ? 1U : 0U), .blocks = blocks},
      hcl::Strictness::kPartial, ignored);
  if (const hcl::Attribute* attribute = content.Find(name)) {
    return ArgumentOf(*attribute->expr);
  }
  for (const hcl::Block& found : content.blocks) {
    if (found.type == name) {
      AddText(out, WholeBlock(found));
      if (nested != nullptr) {
        schema::CollectBodyTraversals(nested->block, *found.body, {}, out.traversals, out.calls);
      }
    } else if (nested != nullptr && found.labels[0] == name) {
      AddText(out, WholeBlock(found));
      AddDynamic(out, found, nested->block);
    }
  }
  return out;
}

}  // namespace kinu::why
