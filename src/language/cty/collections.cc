#include "cty/collections.h"

namespace kinu {

std::string_view CollectionName(TypeKind kind) {
  switch (kind) {
    case TypeKind::kList:
      return "list";
    case TypeKind::kSet:
      return "set";
    default:
      return "map";
  }
}

std::optional<TypeKind> CollectionNamed(std::string_view name) {
  for (const TypeKind kind : {TypeKind::kList, TypeKind::kSet, TypeKind::kMap}) {
    if (name == CollectionName(kind)) {
      return kind;
    }
  }
  return std::nullopt;
}

Type CollectionOf(TypeKind kind, const Type& element) {
  switch (kind) {
    case TypeKind::kList:
      return Type::List(element);
    case TypeKind::kSet:
      return Type::Set(element);
    default:
      return Type::Map(element);
  }
}

Value EmptyCollection(TypeKind kind, const Type& element) {
  switch (kind) {
    case TypeKind::kList:
      return Value::List(element, {});
    case TypeKind::kSet:
      return Value::Set(element, {});
    default:
      return Value::Map(element, {});
  }
}

}  // namespace kinu
