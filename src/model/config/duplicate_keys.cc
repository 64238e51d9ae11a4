#include "config/duplicate_keys.h"

#include "config/decode.h"
#include "cty/conversion.h"
#include "hcl/body.h"
#include "hcl/walk.h"
#include "text/quote.h"

namespace kinu::config {
namespace {

/// The text of a key that needs no evaluation, or nothing.
std::optional<std::string> ConstantKey(const hcl::Expr& key) {
  Diagnostics ignored;
  const Value value = EvaluateConstant(key, ignored);
  if (ignored.has_errors() || !value.IsKnown() || value.IsNull()) {
    return std::nullopt;
  }
  const ValueResult<Value> text = Convert(value, Type::String());
  return text ? std::optional(std::string(text->AsString())) : std::nullopt;
}

void WarnInObject(const hcl::ObjectExpr& object, Diagnostics& diags) {
  FlatMap<std::string, const hcl::ObjectItem*> items;
  for (const hcl::ObjectItem& item : object.items) {
    const std::optional<std::string> key = ConstantKey(*item.key);
    if (!key) {
      continue;
    }
    const auto [found, added] = items.try_emplace(*key, &item);
    if (added) {
      continue;
    }
    const SourceRange first = found->second->key->range();
    diags.Warning("Duplicate object key",
                  "This object has the key " + text::GoQuote(*key) + " already in line " +
                      std::to_string(first.file->PositionAt(first.begin).line) +
                      ". The last one counts: the value there is not used.",
                  item.key->range(), object.range());
    found.value() = &item;
  }
}

void WarnInExpression(const hcl::Expr& expr, Diagnostics& diags) {
  if (expr.kind == hcl::ExprKind::kObject) {
    WarnInObject(static_cast<const hcl::ObjectExpr&>(expr), diags);
  }
  hcl::ForEachChild(expr, [&](const hcl::Expr& child) { WarnInExpression(child, diags); });
}

void WarnInBody(const hcl::NativeBody& body, Diagnostics& diags) {
  for (const hcl::NativeAttribute& attribute : body.attributes) {
    WarnInExpression(*attribute.expr, diags);
  }
  for (const hcl::NativeBlock& block : body.blocks) {
    WarnInBody(*block.body, diags);
  }
}

void WarnInModule(const Module& module, Diagnostics& diags) {
  for (const ParsedSource& file : module.files) {
    // In JSON syntax it is an error already.
    if (const auto* body = dynamic_cast<const hcl::NativeBody*>(file.body)) {
      WarnInBody(*body, diags);
    }
  }
}

}  // namespace

void WarnOfDuplicateKeys(const Config& config, Diagnostics& diags) {
  std::vector<bool> own(config.nodes.size());
  FlatSet<std::string> seen;
  for (const auto& node : config.nodes) {  // callers come before the modules that they call
    const bool local = node->source.starts_with("./") || node->source.starts_with("../");
    own[node->index] = node->parent == nullptr || (local && own[node->parent->index]);
    if (own[node->index] && seen.insert(node->module->dir).second) {
      WarnInModule(*node->module, diags);
    }
  }
}

}  // namespace kinu::config
