// Whether two values are the same in every respect, and the hash that goes with it.
#include <algorithm>

#include "base/flat_map.h"
#include "cty/value.h"
#include "cty/value_node.h"

namespace kinu {
namespace {

using Access = ValueAccess;

}  // namespace

bool Value::RawEquals(const Value& a, const Value& b) {
  if (a.SameRepresentation(b)) {
    return true;
  }
  if (a.marks_ != b.marks_ || ((a.flags_ | b.flags_) & kWrapped) != 0) {
    if (a.marks() != b.marks()) {
      return false;
    }
  }
  const Value& x = Access::Plain(a);
  const Value& y = Access::Plain(b);
  if (Access::TypeOf(x) != Access::TypeOf(y) ||
      (x.flags_ & Access::kInnerFlags) != (y.flags_ & Access::kInnerFlags)) {
    return false;
  }
  ValueTag tag = Access::Tag(x);
  if (tag == ValueTag::kNumber || (tag == ValueTag::kInt && Access::Tag(y) != tag)) {
    bool both = Access::Tag(y) == ValueTag::kNumber || Access::Tag(y) == ValueTag::kInt;
    return both && Number::Equal(x.AsNumber(), y.AsNumber());
  }
  if (tag != Access::Tag(y)) {
    return false;
  }
  switch (tag) {
    case ValueTag::kNull:
      return true;
    case ValueTag::kUnknown:
      return ((x.flags_ | y.flags_) & kRefined) == 0 || x.refinements() == y.refinements();
    case ValueTag::kBool:
      return x.aux_ == y.aux_;
    case ValueTag::kInt:
      return x.word_ == y.word_;
    case ValueTag::kString:
      return x.AsString() == y.AsString();
    case ValueTag::kCapsule:
      return x.AsCapsule() == y.AsCapsule();
    default:
      break;
  }
  const ElementsNode* left = Access::Elements(x);
  const ElementsNode* right = Access::Elements(y);
  if (left == right) {
    return true;
  }
  uint32_t left_hash = left->hash.load(std::memory_order_relaxed);
  uint32_t right_hash = right->hash.load(std::memory_order_relaxed);
  if (left->count != right->count ||
      (left_hash != 0 && right_hash != 0 && left_hash != right_hash)) {
    return false;
  }
  if (tag == ValueTag::kMap) {
    if (left->all_keys() != right->all_keys() ||
        std::memcmp(left->key_offsets(), right->key_offsets(), left->count * sizeof(uint32_t)) !=
            0) {
      return false;
    }
  }
  for (uint32_t i = 0; i < left->count; ++i) {
    if (!RawEquals(left->values()[i], right->values()[i])) {
      return false;
    }
  }
  return true;
}

uint64_t Value::Hash() const {
  const Value& plain = Access::Plain(*this);
  switch (Access::Tag(plain)) {
    case ValueTag::kNull:
      return HashCombine(1, Access::TypeOf(plain)->hash);
    case ValueTag::kUnknown:
      return HashCombine(2, Access::TypeOf(plain)->hash);
    case ValueTag::kBool:
      return HashCombine(3, plain.aux_);
    case ValueTag::kInt:
    case ValueTag::kNumber:
      return plain.AsNumber().Hash();
    case ValueTag::kString:
      return HashBytes(plain.AsString());
    case ValueTag::kCapsule:
      return HashCombine(4, plain.AsCapsule());
    default:
      break;
  }
  const ElementsNode* node = Access::Elements(plain);
  uint32_t cached = node->hash.load(std::memory_order_relaxed);
  if (cached == 0) {
    uint64_t hash = node->type->hash;
    for (uint32_t i = 0; i < node->count; ++i) {
      hash = HashCombine(hash, node->values()[i].Hash());
    }
    if (node->tag == ValueTag::kMap) {
      hash = HashCombine(hash, HashBytes(node->all_keys()));
    }
    cached = static_cast<uint32_t>(hash ^ (hash >> 32));
    cached = cached == 0 ? 1 : cached;
    node->hash.store(cached, std::memory_order_relaxed);
  }
  return HashCombine(5, cached);
}

}  // namespace kinu
