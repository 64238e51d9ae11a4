// Lists, sets and maps by the kind of their type.
#pragma once

#include <optional>
#include <string_view>

#include "cty/value.h"

namespace kinu {

/// "list", "set" or "map".
std::string_view CollectionName(TypeKind kind);
/// The kind of collection with this name.
std::optional<TypeKind> CollectionNamed(std::string_view name);
/// The type of collections of a kind.
Type CollectionOf(TypeKind kind, const Type& element);
/// A collection of a kind that has no elements.
Value EmptyCollection(TypeKind kind, const Type& element);

/// The type of an element of a collection, a tuple or an object.
inline const Type& ElementType(const Type& type, size_t index) {
  if (type.is_collection()) {
    return type.element();
  }
  return type.is_tuple() ? type.elements()[index] : type.attributes()[index].type;
}

}  // namespace kinu
