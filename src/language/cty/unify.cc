// Unification: one type for values of several. Ref: go-cty cty/convert/unify.go, compare_types.go,
// sort_types.go.

#include <algorithm>
#include <functional>

#include "base/sign.h"
#include "cty/collections.h"
#include "cty/conversion.h"

namespace kinu {
namespace {

bool Convertible(const Type& from, const Type& to, bool unsafe) {
  return unsafe ? CanConvert(from, to) : CanConvertSafely(from, to);
}

int CompareTypes(const Type& a, const Type& b);

// Compares member by member: a side is above the other when it is nowhere below.
template <typename Members, typename TypeOf>
int CompareMembers(const Members& a, const Members& b, TypeOf&& type_of) {
  bool a_above = false;
  bool b_above = false;
  for (size_t i = 0; i < a.size(); ++i) {
    int order = CompareTypes(type_of(a[i]), type_of(b[i]));
    a_above = a_above || order < 0;
    b_above = b_above || order > 0;
  }
  return SignOf(b_above <=> a_above);
}

// Negative when `a` is the more general type (everything of b converts to it), positive when b is,
// 0 when neither or both.
int CompareTypes(const Type& a, const Type& b) {
  if (a.is_dynamic() || b.is_dynamic()) {
    return SignOf(a.is_dynamic() <=> b.is_dynamic());
  }
  if (a.is_primitive() && b.is_primitive()) {
    return SignOf((b == Type::String()) <=> (a == Type::String()));
  }
  if (a.is_collection() && a.kind() == b.kind()) {
    return CompareTypes(a.element(), b.element());
  }
  auto is_sequence = [](const Type& type) { return type.is_tuple() || type.is_list(); };
  if (b.is_set() && is_sequence(a)) {
    return -1;
  }
  if (a.is_set() && is_sequence(b)) {
    return 1;
  }
  if ((a.is_list() && b.is_tuple()) || (a.is_map() && b.is_object())) {
    return -1;
  }
  if ((a.is_tuple() && b.is_list()) || (a.is_object() && b.is_map())) {
    return 1;
  }
  if (a.is_object() && b.is_object()) {
    auto x = a.attributes();
    auto y = b.attributes();
    bool same_names = std::equal(x.begin(), x.end(), y.begin(), y.end(),
                                 [](const auto& m, const auto& n) { return m.name == n.name; });
    return same_names ? CompareMembers(x, y, [](const auto& m) -> const Type& { return m.type; })
                      : 0;
  }
  if (a.is_tuple() && b.is_tuple()) {
    auto x = a.elements();
    auto y = b.elements();
    return x.size() == y.size() ? CompareMembers(x, y, std::identity()) : 0;
  }
  return 0;
}

// Indices of `types`, more general ones first, otherwise in the order given.
std::vector<size_t> ByPreference(std::span<const Type> types) {
  std::vector<std::vector<size_t>> below(types.size());
  std::vector<size_t> above_count(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    for (size_t j = i + 1; j < types.size(); ++j) {
      int order = types[i] == types[j] ? 0 : CompareTypes(types[i], types[j]);
      if (order < 0) {
        below[i].push_back(j);
        ++above_count[j];
      } else if (order > 0) {
        below[j].push_back(i);
        ++above_count[i];
      }
    }
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < types.size(); ++i) {
    if (above_count[i] == 0) {
      order.push_back(i);
    }
  }
  for (size_t next = 0; next < order.size(); ++next) {
    for (size_t j : below[order[next]]) {
      if (--above_count[j] == 0) {
        order.push_back(j);
      }
    }
  }
  return order;
}

std::optional<Type> UnifyTypes(std::span<const Type> types, bool unsafe);

bool AllConvertible(std::span<const Type> types, const Type& to, bool unsafe) {
  return std::all_of(types.begin(), types.end(),
                     [&](const Type& type) { return type == to || Convertible(type, to, unsafe); });
}

// The common type of all attributes of all object types (elements of tuple types), as a map (list).
std::optional<Type> UnifyMembers(std::span<const Type> types, bool unsafe, bool objects) {
  std::vector<Type> members;
  for (const Type& type : types) {
    if (objects) {
      for (const ObjectAttribute& attribute : type.attributes()) {
        members.push_back(attribute.type);
      }
    } else {
      members.insert(members.end(), type.elements().begin(), type.elements().end());
    }
  }
  std::optional<Type> element = UnifyTypes(members, unsafe);
  if (!element) {
    return std::nullopt;
  }
  Type result = objects ? Type::Map(*element) : Type::List(*element);
  return AllConvertible(types, result, unsafe) ? std::optional<Type>(result) : std::nullopt;
}

std::optional<Type> UnifyCollections(std::span<const Type> types, bool unsafe) {
  std::vector<Type> elements;
  for (const Type& type : types) {
    elements.push_back(type.element());
  }
  std::optional<Type> element = UnifyTypes(elements, unsafe);
  if (!element) {
    return std::nullopt;
  }
  Type result = CollectionOf(types[0].kind(), *element);
  return AllConvertible(types, result, unsafe) ? std::optional<Type>(result) : std::nullopt;
}

std::optional<Type> UnifyObjects(std::span<const Type> types, bool unsafe) {
  auto first = types[0].attributes();
  for (const Type& type : types) {
    auto other = type.attributes();
    if (!std::equal(first.begin(), first.end(), other.begin(), other.end(),
                    [](const auto& a, const auto& b) { return a.name == b.name; })) {
      return UnifyMembers(types, unsafe, true);
    }
  }
  std::vector<Type::Attribute> attributes;
  std::vector<Type> across(types.size());
  for (size_t i = 0; i < first.size(); ++i) {
    for (size_t j = 0; j < types.size(); ++j) {
      across[j] = types[j].attributes()[i].type;
    }
    std::optional<Type> type = UnifyTypes(across, unsafe);
    if (!type) {
      return std::nullopt;
    }
    attributes.push_back({first[i].name, *std::move(type), false});
  }
  Type result = Type::Object(attributes);
  return AllConvertible(types, result, unsafe) ? std::optional<Type>(result)
                                               : UnifyMembers(types, unsafe, true);
}

std::optional<Type> UnifyTuples(std::span<const Type> types, bool unsafe) {
  size_t length = types[0].elements().size();
  for (const Type& type : types) {
    if (type.elements().size() != length) {
      return UnifyMembers(types, unsafe, false);
    }
  }
  std::vector<Type> elements;
  std::vector<Type> across(types.size());
  for (size_t i = 0; i < length; ++i) {
    for (size_t j = 0; j < types.size(); ++j) {
      across[j] = types[j].elements()[i];
    }
    std::optional<Type> type = UnifyTypes(across, unsafe);
    if (!type) {
      return std::nullopt;
    }
    elements.push_back(*std::move(type));
  }
  Type result = Type::Tuple(elements);
  return AllConvertible(types, result, unsafe) ? std::optional<Type>(result)
                                               : UnifyMembers(types, unsafe, false);
}

// Objects among maps are first taken as maps, tuples among lists as lists.
std::optional<Type> UnifyAsCollections(std::span<const Type> types, bool unsafe, bool objects) {
  auto is_structural = [&](const Type& type) {
    return objects ? type.is_object() : type.is_tuple();
  };
  std::vector<Type> structural;
  std::copy_if(types.begin(), types.end(), std::back_inserter(structural), is_structural);
  std::optional<Type> collection = UnifyMembers(structural, unsafe, objects);
  if (!collection) {
    return std::nullopt;
  }
  std::vector<Type> replaced(types.begin(), types.end());
  std::replace_if(replaced.begin(), replaced.end(), is_structural, *collection);
  std::optional<Type> result = UnifyTypes(replaced, unsafe);
  bool fits = result && (objects ? result->is_map() : result->is_list());
  return fits ? result : std::nullopt;
}

std::optional<Type> UnifyTypes(std::span<const Type> types, bool unsafe) {
  if (types.empty()) {
    return std::nullopt;
  }
  if (std::all_of(types.begin(), types.end(), [&](const Type& type) { return type == types[0]; }) &&
      !types[0].has_dynamic()) {
    // Every step below would come to the same type, except that it drops optional attributes.
    if (!types[0].has_optional_attributes()) {
      return types[0];
    }
  }
  size_t count[static_cast<size_t>(TypeKind::kCapsule) + 1] = {};
  for (const Type& type : types) {
    ++count[static_cast<size_t>(type.kind())];
  }
  auto of = [&](TypeKind kind) { return count[static_cast<size_t>(kind)]; };
  size_t dynamic = of(TypeKind::kDynamic);
  auto only = [&](TypeKind kind) { return of(kind) > 0 && of(kind) + dynamic == types.size(); };
  auto mixed = [&](TypeKind kind, TypeKind other) {
    return of(kind) > 0 && of(kind) + of(other) + dynamic == types.size();
  };

  if (only(TypeKind::kMap) || only(TypeKind::kList) || only(TypeKind::kSet)) {
    return dynamic > 0 ? Type::Dynamic() : UnifyCollections(types, unsafe);
  }
  if (mixed(TypeKind::kMap, TypeKind::kObject)) {
    if (std::optional<Type> type = UnifyAsCollections(types, unsafe, true)) {
      return type;
    }
  } else if (mixed(TypeKind::kList, TypeKind::kTuple)) {
    if (std::optional<Type> type = UnifyAsCollections(types, unsafe, false)) {
      return type;
    }
  } else if (only(TypeKind::kObject)) {
    return dynamic > 0 ? Type::Dynamic() : UnifyObjects(types, unsafe);
  } else if (only(TypeKind::kTuple)) {
    return dynamic > 0 ? Type::Dynamic() : UnifyTuples(types, unsafe);
  } else if (of(TypeKind::kObject) > 0 && of(TypeKind::kTuple) > 0) {
    return std::nullopt;
  }
  for (size_t index : ByPreference(types)) {
    if (AllConvertible(types, types[index], unsafe)) {
      return types[index];
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Type> Unify(std::span<const Type> types) {
  return UnifyTypes(types, false);
}
std::optional<Type> UnifyUnsafe(std::span<const Type> types) {
  return UnifyTypes(types, true);
}

}  // namespace kinu
