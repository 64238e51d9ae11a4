#include "schema/object_parts.h"

#include <string>

namespace kinu::schema {
namespace {

Value Unrefined(const Value& value) {
  if (value.IsWhollyKnown()) {
    return value;
  }
  Path path;
  return TransformValue(value, path, [](const Path&, const Value& part) {
    return part.IsKnown() ? part : Value::Unknown(part.type());
  });
}

bool OneType(const std::vector<Value>& values) {
  for (const Value& value : values) {
    if (!(value.type() == values.front().type())) {
      return false;
    }
  }
  return true;
}

}  // namespace

Value ObjectLike(const Type& like, std::vector<Value> values) {
  const auto attributes = like.attributes();
  bool same = true;
  for (size_t i = 0; i < values.size() && same; ++i) {
    same = values[i].type() == attributes[i].type;
  }
  if (same) {
    return Value::ObjectOf(like, std::move(values));
  }
  std::vector<std::pair<std::string, Value>> named;
  named.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    named.emplace_back(attributes[i].name, std::move(values[i]));
  }
  return Value::Object(std::move(named));
}

Value SequenceLike(const Value& like, std::vector<Value> values) {
  const Type type = like.type();
  const bool keyed = type.is_map() || type.is_object();
  if (keyed) {
    std::vector<std::pair<std::string, Value>> entries;
    entries.reserve(values.size());
    const bool uniform = OneType(values);
    const Type element = values.empty() ? Type() : values.front().type();
    for (size_t i = 0; i < values.size(); ++i) {
      entries.emplace_back(like.key(i), std::move(values[i]));
    }
    return type.is_map() && uniform ? Value::Map(element, std::move(entries))
                                    : Value::Object(std::move(entries));
  }
  if (type.is_tuple() || !OneType(values)) {
    return Value::Tuple(std::move(values));
  }
  const Type element = values.empty() ? type.element() : values.front().type();
  return type.is_set() ? Value::Set(element, std::move(values))
                       : Value::List(element, std::move(values));
}

bool EqualUnrefined(const Value& a, const Value& b) {
  if (a.SameRepresentation(b)) {
    return true;
  }
  return Value::RawEquals(Unrefined(a), Unrefined(b));
}

}  // namespace kinu::schema
