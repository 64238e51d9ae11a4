// Unknown values and what is known about them. Ref: go-cty cty/unknown_refinement.go.

#include <algorithm>

#include "cty/collections.h"
#include "cty/normalize.h"
#include "cty/value_node.h"

namespace kinu {
namespace {

using Access = ValueAccess;

// Lists of unknown elements longer than this stay unknown as a whole.
constexpr int64_t kLongestUnknownList = 1 << 20;

// Keeps what applies to `type`, in one form for each meaning.
Refinements Applicable(const Type& type, Refinements wanted) {
  Refinements kept;
  kept.not_null = wanted.not_null;
  if (type == Type::String()) {
    std::string storage;
    kept.prefix = std::string(Normalized(wanted.prefix, storage));
  } else if (type == Type::Number()) {
    if (wanted.min && !(wanted.min->IsInfinite() && wanted.min->Sign() < 0)) {
      kept.min = wanted.min;
      kept.min_inclusive = wanted.min_inclusive;
    }
    if (wanted.max && !(wanted.max->IsInfinite() && wanted.max->Sign() > 0)) {
      kept.max = wanted.max;
      kept.max_inclusive = wanted.max_inclusive;
    }
  } else if (type.is_collection()) {
    kept.min_length = std::max<int64_t>(wanted.min_length, 0);
    kept.max_length = wanted.max_length;
  }
  return kept;
}

/// The node of unknown values of a primitive type of which only is known that they are not null.
/// Most refined values are such ones, so that they share a node, without counting references.
const RefinedNode* NotNullNode(const Type& primitive) {
  const auto make = [](const Type& type) {
    auto* node = new RefinedNode();  // never destroyed: values may outlive statics
    node->type = type;
    node->refinements.not_null = true;
    return node;
  };
  static const RefinedNode* const kBool = make(Type::Bool());
  static const RefinedNode* const kNumber = make(Type::Number());
  static const RefinedNode* const kString = make(Type::String());
  switch (primitive.kind()) {
    case TypeKind::kBool:
      return kBool;
    case TypeKind::kNumber:
      return kNumber;
    default:
      return kString;
  }
}

}  // namespace

bool Refinements::Contradictory() const {
  if (max_length < min_length) {
    return true;
  }
  if (min && max) {
    int order = Number::Compare(*min, *max);
    return min_inclusive == max_inclusive ? order > 0 : order >= 0;
  }
  return false;
}

Value Value::Unknown(const Type& type, Refinements refinements) {
  if (type.is_dynamic() || refinements.empty()) {
    return Unknown(type);
  }
  if (type.is_primitive() && refinements == Refinements{.not_null = true}) {
    return Access::Make(
        ValueTag::kUnknown, static_cast<uint8_t>(kRefined | kContainsUnknown), 0,
        reinterpret_cast<uint64_t>(static_cast<const SharedNode*>(NotNullNode(type))));
  }
  Refinements kept = Applicable(type, std::move(refinements));
  if (kept.Contradictory()) {
    Refinements nullness;
    nullness.not_null = kept.not_null;
    kept = nullness;
  }
  if (kept.empty()) {
    return Unknown(type);
  }
  if (kept.not_null) {
    if (kept.min && kept.max && kept.min_inclusive && kept.max_inclusive &&
        Number::Equal(*kept.min, *kept.max)) {
      return Of(*kept.min);
    }
    if (type.is_collection() && kept.min_length == kept.max_length) {
      int64_t length = kept.min_length;
      const Type& element = type.element();
      if (length == 0) {
        return EmptyCollection(type.kind(), element);
      }
      if (type.is_list() && length <= kLongestUnknownList) {
        return List(element, std::vector<Value>(static_cast<size_t>(length), Unknown(element)));
      }
      if (type.is_set() && length == 1) {
        return Set(element, {Unknown(element)});
      }
    }
  }
  auto* node = new RefinedNode();
  node->type = type.WithoutOptionalAttributes();
  node->refinements = std::move(kept);
  return Access::Make(ValueTag::kUnknown,
                      static_cast<uint8_t>(kCounted | kRefined | kContainsUnknown), 0,
                      reinterpret_cast<uint64_t>(static_cast<SharedNode*>(node)));
}

Refinements Value::refinements() const {
  const Value& plain = Access::Plain(*this);
  const ValueTag tag = Access::Tag(plain);
  if (tag == ValueTag::kUnknown && (plain.flags_ & kRefined) != 0) {
    return Access::Node<RefinedNode>(plain)->refinements;
  }
  if (tag == ValueTag::kUnknown || tag == ValueTag::kNull) {
    return {};
  }
  Refinements known;
  switch (tag) {
    case ValueTag::kString:
      known.prefix = std::string(plain.AsString());
      break;
    case ValueTag::kInt:
    case ValueTag::kNumber:
      known.min = known.max = plain.AsNumber();
      break;
    case ValueTag::kSet:
      known.min_length = known.max_length = static_cast<int64_t>(plain.size());
      if (plain.size() > 1 && !plain.IsWhollyKnown()) {
        known.min_length = 1;  // unknown elements may turn out to be equal to others
      }
      break;
    case ValueTag::kList:
    case ValueTag::kMap:
      known.min_length = known.max_length = static_cast<int64_t>(plain.size());
      break;
    default:
      break;
  }
  known.not_null = true;
  return known;
}

}  // namespace kinu
