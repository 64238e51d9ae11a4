#include "config/dropped_attributes.h"

#include <string>
#include <vector>

#include "config/decode.h"
#include "hcl/ast.h"
#include "text/quote.h"
#include "text/suggest.h"

namespace kinu::config {
namespace {

void Warn(const hcl::Expr& expr, const Type& type, const Path& place, const NameDroppingType& name,
          Diagnostics& diags) {
  constexpr size_t kDeepest = 200;
  if (place.size() > kDeepest || hcl::IsJsonExpr(expr)) {
    return;
  }
  if (expr.kind == hcl::ExprKind::kObject && (type.is_object() || type.is_map())) {
    const auto& object = static_cast<const hcl::ObjectExpr&>(expr);
    for (const hcl::ObjectItem& item : object.items) {
      Diagnostics ignored;
      const Value key = EvaluateConstant(*item.key, ignored);
      if (ignored.has_errors() || key.type() != Type::String() || key.IsNull() || !key.IsKnown()) {
        continue;
      }
      if (type.is_map()) {
        Warn(*item.value, type.element(), place.Index(key), name, diags);
        continue;
      }
      const int index = type.FindAttribute(key.AsString());
      if (index >= 0) {
        Warn(*item.value, type.attributes()[static_cast<size_t>(index)].type,
             place.Attribute(key.AsString()), name, diags);
        continue;
      }
      std::vector<std::string_view> names;
      for (const ObjectAttribute& attribute : type.attributes()) {
        names.push_back(attribute.name);
      }
      std::string detail = "The object type for " + name(place) +
                           " does not include an attribute named " + Quoted(key.AsString()) +
                           ", so this definition is unused.";
      if (std::string_view similar = text::SuggestName(key.AsString(), names); !similar.empty()) {
        detail += " Did you mean to set attribute " + Quoted(similar) + " instead?";
      }
      diags.Warning("Object attribute is ignored", std::move(detail), item.key->range(),
                    expr.range());
    }
    return;
  }
  if (expr.kind == hcl::ExprKind::kTuple) {
    const auto& tuple = static_cast<const hcl::TupleExpr&>(expr);
    for (size_t i = 0; i < tuple.elements.size(); ++i) {
      const Path at = place.Index(static_cast<int64_t>(i));
      if (type.is_list() || type.is_set()) {
        Warn(*tuple.elements[i], type.element(), at, name, diags);
      } else if (type.is_tuple() && i < type.elements().size()) {
        Warn(*tuple.elements[i], type.elements()[i], at, name, diags);
      }
    }
    return;
  }
  if (expr.kind == hcl::ExprKind::kFor) {
    const auto& loop = static_cast<const hcl::ForExpr&>(expr);
    const bool makes_map = loop.key_result != nullptr;
    if ((makes_map && type.is_map() && !loop.grouping) ||
        (!makes_map && (type.is_list() || type.is_set()))) {
      Warn(*loop.value_result, type.element(), place, name, diags);
    }
  }
}

}  // namespace

void WarnAboutDroppedAttributes(const hcl::Expr& expr, const Type& type,
                                const NameDroppingType& name, Diagnostics& diags) {
  Warn(expr, type, Path(), name, diags);
}

}  // namespace kinu::config
