// Takes objects apart and builds them again. Private to schema.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "cty/ops.h"
#include "cty/value.h"

namespace kinu::schema {

/// The attribute `name` of an object. A null object has null attributes, an unknown one has unknown
/// attributes, and a value of another type has the null value of dynamic type.
inline Value AttributeOf(const Value& object, std::string_view name) {
  const Type type = object.type();
  const int at = type.is_object() ? type.FindAttribute(name) : -1;
  if (at < 0) {
    return Value();
  }
  if (object.IsNull()) {
    return Value::Null(type.attributes()[static_cast<size_t>(at)].type);
  }
  if (!object.IsKnown()) {
    return Value::Unknown(type.attributes()[static_cast<size_t>(at)].type);
  }
  return object.elements()[static_cast<size_t>(at)];
}

/// As AttributeOf(), but looks at element `index` first. `name` is searched only when the object
/// does not have `count` attributes, that is, when its type is not the schema's.
inline Value AttributeAt(const Value& object, size_t index, size_t count, std::string_view name) {
  if (object.IsKnown() && !object.IsNull() && object.size() == count) {
    return object.elements()[index];
  }
  return AttributeOf(object, name);
}

/// An object with the attribute names of `like` and `values` in their order. It has the type `like`
/// when the types of all values allow that.
Value ObjectLike(const Type& like, std::vector<Value> values);

/// A list, set or map of `values`, of the kind and with the keys of `like`. If the types of the
/// values differ it is a tuple or an object.
Value SequenceLike(const Value& like, std::vector<Value> values);

/// Compares two values, ignoring refinements: two unknown values of one type are equal.
bool EqualUnrefined(const Value& a, const Value& b);

}  // namespace kinu::schema
