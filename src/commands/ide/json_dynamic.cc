#include "ide/json_dynamic.h"

#include <optional>

#include "hcl/static.h"

namespace kinu::ide {
namespace {

using hcl::Expr;
using hcl::ExprKind;

/// Visits the objects that a value is, or an array has.
template <typename Visit>
void ForEachObject(const Expr& value, const Visit& visit) {
  if (value.kind == ExprKind::kJsonObject) {
    visit(static_cast<const hcl::ObjectExpr&>(value));
  } else if (value.kind == ExprKind::kTuple) {
    for (const Expr* element : static_cast<const hcl::TupleExpr&>(value).elements) {
      if (element->kind == ExprKind::kJsonObject) {
        visit(static_cast<const hcl::ObjectExpr&>(*element));
      }
    }
  }
}

/// The bytes of a string without its quotes.
Span TextSpan(const Expr& string) {
  const Span span = SpanOf(string.range());
  return span.end - span.begin < 2 ? span : Span{span.begin + 1, span.end - 1};
}

/// Nothing: the object is no block.
std::optional<JsonDynamic> ReadBlock(const Expr& label, const hcl::ObjectExpr& object) {
  const auto name = hcl::AsLiteralString(label);
  if (!name) {
    return std::nullopt;
  }
  JsonDynamic out{.label = *name,
                  .iterator = *name,
                  .declaration = TextSpan(label),
                  .is_label = true,
                  .block_open = object.open_end};
  bool has_content = false;
  for (const hcl::ObjectItem& item : object.items) {
    const auto key = hcl::AsLiteralString(*item.key);
    if (!key) {
      continue;
    }
    if (*key == "for_each") {
      out.for_each = item.value;
    } else if (*key == "content" || *key == "labels") {
      has_content = has_content || *key == "content";
      out.inside.push_back(item.value);
    } else if (*key == "iterator") {
      if (const auto iterator = hcl::AsLiteralString(*item.value)) {
        out.iterator = *iterator;
        out.declaration = TextSpan(*item.value);
        out.is_label = false;
      }
    }
  }
  return has_content || out.for_each != nullptr ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::vector<JsonDynamic> JsonDynamicsOf(std::string_view name, const Expr& value) {
  std::vector<JsonDynamic> out;
  if (name != "dynamic" || !hcl::IsJsonExpr(value)) {
    return out;
  }
  ForEachObject(value, [&](const hcl::ObjectExpr& labels) {
    for (const hcl::ObjectItem& item : labels.items) {
      ForEachObject(*item.value, [&](const hcl::ObjectExpr& object) {
        if (auto block = ReadBlock(*item.key, object)) {
          out.push_back(*std::move(block));
        }
      });
    }
  });
  return out;
}

}  // namespace kinu::ide
