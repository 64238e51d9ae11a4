#include "ide/bound_names.h"

#include <algorithm>
#include <span>
#include <utility>

#include "diag/json_offsets.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "ide/json_dynamic.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

/// Finds the names that are bound in a file.
class BoundWalk {
 public:
  void Body(const hcl::Body& body);
  std::vector<BoundNamePlaces> Take() { return std::move(found_); }

 private:
  void NativeItems(const hcl::NativeBody& body);
  void Dynamic(const hcl::NativeBody& around, const hcl::NativeBlock& block);
  void JsonDynamicBlocks(std::span<const JsonDynamic> blocks);
  void Argument(std::string_view name, const Expr& value);
  void Expression(const Expr& expr);
  void Loop(const hcl::ForExpr& loop);
  void Traversal(const hcl::TraversalExpr& traversal);
  void Bind(BoundNamePlaces name);
  void Unbind(size_t count) { bound_.resize(bound_.size() - count); }
  void BindLoop(const hcl::ForExpr& loop, std::string_view name);

  std::vector<BoundNamePlaces> found_;
  std::vector<size_t> bound_;  // those around, as places in `found_`
};

void BoundWalk::Bind(BoundNamePlaces name) {
  for (const size_t around : bound_) {
    found_[around].others.push_back(name.name);
  }
  bound_.push_back(found_.size());
  found_.push_back(std::move(name));
}

/// Names of loops are views of the text.
void BoundWalk::BindLoop(const hcl::ForExpr& loop, std::string_view name) {
  const SourceFile& source = *loop.file();
  const auto begin = static_cast<uint32_t>(name.data() - source.text().data());
  const auto end = begin + static_cast<uint32_t>(name.size());
  Bind({.name = name,
        .declaration = {OffsetInRoot(source, begin), OffsetInRoot(source, end)},
        .touched = {},
        .uses = {},
        .others = {}});
}

void BoundWalk::Loop(const hcl::ForExpr& loop) {
  Expression(*loop.collection);
  size_t count = 1;
  if (!loop.key_name.empty()) {
    BindLoop(loop, loop.key_name);
    ++count;
  }
  BindLoop(loop, loop.value_name);
  for (const Expr* part : {loop.key_result, loop.value_result, loop.condition}) {
    if (part != nullptr) {
      Expression(*part);
    }
  }
  if (count == 2) {
    found_[bound_.back()].others.push_back(loop.key_name);
  }
  Unbind(count);
}

void BoundWalk::Traversal(const hcl::TraversalExpr& traversal) {
  const std::string_view root = traversal.root;
  bool is_found = false;
  for (size_t i = bound_.size(); i-- > 0;) {
    BoundNamePlaces& name = found_[bound_[i]];
    if (name.name != root) {
      name.others.push_back(root);
    } else if (!std::exchange(is_found, true)) {
      name.uses.push_back(SpanOf(traversal.root_range()));
    }
  }
}

void BoundWalk::Expression(const Expr& expr) {
  if (expr.kind == ExprKind::kTraversal) {
    return Traversal(static_cast<const hcl::TraversalExpr&>(expr));
  }
  if (expr.kind == ExprKind::kFor) {
    return Loop(static_cast<const hcl::ForExpr&>(expr));
  }
  if (expr.kind == ExprKind::kJsonObject) {
    for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(expr).items) {
      Expression(*item.key);
      Argument(hcl::AsLiteralString(*item.key).value_or(""), *item.value);
    }
    return;
  }
  hcl::ForEachChild(expr, [&](const Expr& child) { Expression(child); });
}

/// A member of the JSON syntax.
void BoundWalk::Argument(std::string_view name, const Expr& value) {
  const std::vector<JsonDynamic> blocks = JsonDynamicsOf(name, value);
  if (blocks.empty()) {
    return Expression(value);
  }
  JsonDynamicBlocks(blocks);
}

void BoundWalk::JsonDynamicBlocks(std::span<const JsonDynamic> blocks) {
  for (const JsonDynamic& block : blocks) {
    if (block.for_each != nullptr) {
      Expression(*block.for_each);
    }
    Bind({.name = block.iterator,
          .declaration = block.declaration,
          .touched = {},
          .uses = {},
          .is_label = block.is_label,
          .block_open = block.block_open,
          .is_json = true,
          .others = {}});
    for (const Expr* inside : block.inside) {
      Expression(*inside);
    }
    Unbind(1);
  }
}

void BoundWalk::Dynamic(const hcl::NativeBody& around, const hcl::NativeBlock& block) {
  const hcl::NativeAttribute* iterator = nullptr;
  for (const hcl::NativeAttribute& attribute : block.body->attributes) {
    if (attribute.expr.get() == nullptr) {
      continue;
    }
    const bool is_iterator = attribute.name.view() == "iterator";
    if (is_iterator && attribute.expr.get()->kind == ExprKind::kTraversal) {
      iterator = &attribute;
    } else if (attribute.name.view() == "for_each") {
      Expression(*attribute.expr.get());
    }
  }
  BoundNamePlaces name;
  if (iterator != nullptr) {
    const auto& word = static_cast<const hcl::TraversalExpr&>(*iterator->expr.get());
    name.name = word.root.view();
    name.declaration = SpanOf(word.root_range());
  } else {
    const hcl::Label& label = block.labels[0];
    name.name = label.text.view();
    name.declaration = InsideQuotes(around.file->text(), {label.begin, label.end});
    const bool has_brace = around.file->text().substr(block.body->begin, 1) == "{";
    name.block_open = has_brace ? block.body->begin + 1 : 0;
    name.is_label = true;
  }
  Bind(std::move(name));
  for (const hcl::NativeAttribute& attribute : block.body->attributes) {
    const std::string_view argument = attribute.name.view();
    if (attribute.expr.get() != nullptr && argument != "iterator" && argument != "for_each") {
      Expression(*attribute.expr.get());
    }
  }
  for (const hcl::NativeBlock& nested : block.body->blocks) {
    NativeItems(*nested.body);
  }
  Unbind(1);
}

void BoundWalk::NativeItems(const hcl::NativeBody& body) {
  for (const hcl::NativeAttribute& attribute : body.attributes) {
    if (attribute.expr.get() != nullptr) {
      Expression(*attribute.expr.get());
    }
  }
  for (const hcl::NativeBlock& block : body.blocks) {
    if (block.type.view() == "dynamic" && !block.labels.empty()) {
      Dynamic(body, block);
    } else {
      NativeItems(*block.body);
    }
  }
}

void BoundWalk::Body(const hcl::Body& body) {
  if (!body.is_json()) {
    return NativeItems(static_cast<const hcl::NativeBody&>(body));
  }
  Diagnostics ignored;
  for (const hcl::Attribute& attribute : body.JustAttributes({}, ignored)) {
    if (attribute.expr != nullptr) {
      Argument(attribute.name, *attribute.expr);
    }
  }
}

}  // namespace

std::optional<BoundNamePlaces> BoundNameAt(const ParsedFile& file, uint32_t offset) {
  if (file.body == nullptr) {
    return std::nullopt;
  }
  BoundWalk walk;
  walk.Body(*file.body);
  for (BoundNamePlaces& name : walk.Take()) {
    std::vector<Span> places = name.uses;
    places.push_back(name.declaration);
    const auto at = std::ranges::find_if(
        places, [&](const Span& span) { return span.Touches(offset) && span.begin < span.end; });
    if (at != places.end()) {
      name.touched = *at;
      std::ranges::sort(name.uses);
      return std::move(name);
    }
  }
  return std::nullopt;
}

}  // namespace kinu::ide
