// Taking objects apart and putting them together again, private to schema.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "cty/ops.h"
#include "cty/value.h"

namespace kinu::schema {

/// An attribute of a value of object type, which may be null (then null) or unknown (then unknown).
inline Value Part(const Value& object, std::string_view name) {
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

/// As Part for element `index` of an object's attributes; `name` is used when the object has not
/// `count` attributes, which only a value of another type has.
inline Value PartAt(const Value& object, size_t index, size_t count, std::string_view name) {
  if (object.IsKnown() && !object.IsNull() && object.size() == count) {
    return object.elements()[index];
  }
  return Part(object, name);
}

/// An object with the attribute names of `like`, whose values are `values` in order. Shares the
/// type when the values' types allow it.
Value ObjectLike(const Type& like, std::vector<Value> values);

/// A list, set or map of `values`, of the kind and with the keys of `like`; a tuple or object where
/// the types differ.
Value SequenceLike(const Value& like, std::vector<Value> values);

/// Equality that takes two unknowns of one type for equal, whatever is known about them.
bool EqualUnrefined(const Value& a, const Value& b);

}  // namespace kinu::schema
