// What Values point to. Only the implementation of cty includes this.
//
// Every node is immutable once a Value points to it, and one allocation whatever it holds. A node
// whose Value lacks the `counted` flag is static.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "base/invariant.h"
#include "cty/number.h"
#include "cty/type.h"
#include "cty/value.h"

namespace kinu {

enum class ValueTag : uint8_t {
  kNull,     ///< word: TypeNode
  kUnknown,  ///< word: TypeNode, or RefinedNode
  kBool,     ///< aux
  kInt,      ///< word: the integer; aux: precision
  kNumber,   ///< word: BigFloat
  kString,   ///< word: TextNode
  kList,     ///< word: ElementsNode, up to kObject
  kSet,
  kMap,
  kTuple,
  kObject,
  kCapsule,  ///< word: CapsuleNode
};

/// Characters follow.
struct TextNode : SharedNode {
  constexpr explicit TextNode(uint32_t length) : size(length) {}
  uint32_t size;
  std::string_view text() const { return {reinterpret_cast<const char*>(this + 1), size}; }
};

/// Elements of any container; `count` Values follow, and for a map its keys (offsets, characters).
struct ElementsNode : SharedNode {
  constexpr ElementsNode(ValueTag container, const TypeNode* container_type, uint32_t size)
      : tag(container), count(size), type(container_type) {}
  ValueTag tag;
  uint8_t flags = 0;  ///< Value's kContainsMarks and kContainsUnknown
  uint32_t count;
  mutable std::atomic<uint32_t> hash{0};  ///< 0: not computed yet
  const TypeNode* type;                   ///< referenced; next in the list of nodes to free

  Value* values() { return reinterpret_cast<Value*>(this + 1); }
  const Value* values() const { return reinterpret_cast<const Value*>(this + 1); }
  const uint32_t* key_offsets() const {
    return reinterpret_cast<const uint32_t*>(values() + count);
  }
  uint32_t* key_offsets() { return reinterpret_cast<uint32_t*>(values() + count); }
  const char* key_text() const { return reinterpret_cast<const char*>(key_offsets() + count + 1); }
  char* key_text() { return reinterpret_cast<char*>(key_offsets() + count + 1); }
  std::string_view key(size_t index) const {
    const uint32_t* offsets = key_offsets();
    return {key_text() + offsets[index], offsets[index + 1] - offsets[index]};
  }
  std::string_view all_keys() const { return {key_text(), key_offsets()[count]}; }
};

struct RefinedNode : SharedNode {
  Type type;
  Refinements refinements;
};

struct MarkedNode : SharedNode {
  Value inner;  ///< without marks of its own
  MarkSet marks;
};

struct CapsuleNode : SharedNode {
  Type type;
  uint64_t payload = 0;
};

/// The attributes of an object type, without a reference to it.
std::span<const ObjectAttribute> AttributesOf(const TypeNode* node);

inline void AddTypeReference(const TypeNode* type) {
  type->AddCounted();
}

/// The representation behind the Value interface.
struct ValueAccess {
  static ValueTag Tag(const Value& value) { return static_cast<ValueTag>(value.tag_); }
  static uint8_t Flags(const Value& value) { return value.flags_; }
  static uint32_t Aux(const Value& value) { return value.aux_; }
  static uint64_t Word(const Value& value) { return Plain(value).word_; }

  /// The value behind a wrapper of rare marks. Bit marks are the only ones it can still have.
  static const Value& Plain(const Value& value) {
    return (value.flags_ & Value::kWrapped) != 0 ? Node<MarkedNode>(value)->inner : value;
  }
  template <typename Node_>
  static const Node_* Node(const Value& value) {
    return reinterpret_cast<const Node_*>(value.word_);
  }
  static const ElementsNode* Elements(const Value& value) {
    return Node<ElementsNode>(Plain(value));
  }
  static bool IsContainer(const Value& value) {
    return Tag(value) >= ValueTag::kList && Tag(value) <= ValueTag::kObject;
  }

  static Value Make(ValueTag tag, uint8_t flags, uint32_t aux, uint64_t word) {
    Value value;
    value.tag_ = static_cast<uint8_t>(tag);
    value.flags_ = flags;
    value.aux_ = aux;
    value.word_ = word;
    return value;
  }
  /// A null or unknown: counts a reference of the type.
  static Value OfType(ValueTag tag, const TypeNode* type);
  /// Type of a value without counting a reference.
  static const TypeNode* TypeOf(const Value& value);

  /// A container of `values`, whose types agree with `type`.
  static Value Container(ValueTag tag, const Type& type, std::span<Value> values);
  /// A map; keys sorted, unique and normalised. `key(i)` returns key i.
  template <typename KeyAt>
  static Value MapOf(const Type& type, std::span<Value> values, KeyAt&& key);
  /// As Container, but moves the bytes of the values: the caller must not destroy them.
  static Value TakeOver(ValueTag tag, const Type& type, std::span<Value> values) {
    ElementsNode* node = NewElements(tag, type, values.size(), 0);
    TakeIn(node, values);
    return Counted(node);
  }
  static Value TakeOverMap(const Type& type, std::span<Value> values,
                           std::span<const std::string_view> keys) {
    ElementsNode* node = NewMap(type, values.size(), [&](size_t i) { return keys[i]; });
    TakeIn(node, values);
    return Counted(node);
  }
  /// The container with `values` in place of its elements, which have the same types.
  static Value SameShape(const Value& container, std::span<Value> values);

  static constexpr uint8_t kInnerFlags = Value::kContainsMarks | Value::kContainsUnknown;
  static void Free(Value& value);

 private:
  /// A container without its elements.
  static ElementsNode* NewElements(ValueTag tag, const Type& type, size_t count,
                                   size_t extra_bytes) {
    KINU_INVARIANT(count < UINT32_MAX, "too many elements");
    void* memory = ::operator new(sizeof(ElementsNode) + count * sizeof(Value) + extra_bytes);
    AddTypeReference(type.node());
    return new (memory) ElementsNode(tag, type.node(), static_cast<uint32_t>(count));
  }
  static void MoveIn(ElementsNode* node, std::span<Value> values);
  static void TakeIn(ElementsNode* node, std::span<Value> values) {
    auto* out = reinterpret_cast<std::byte*>(node->values());
    unsigned flags = 0;
    unsigned marks = 0;
    for (const Value& value : values) {
      flags |= value.flags_;
      marks |= value.marks_;
      std::memcpy(out, static_cast<const void*>(&value), sizeof(Value));
      out += sizeof(Value);
    }
    node->flags = InnerFlags(flags, marks);
  }
  /// The flags of a container whose elements have these flags and marks among them.
  static uint8_t InnerFlags(unsigned flags, unsigned marks) {
    const bool marked = marks != 0 || (flags & Value::kWrapped) != 0;
    return static_cast<uint8_t>((flags & kInnerFlags) | (marked ? Value::kContainsMarks : 0));
  }
  static Value Counted(const ElementsNode* node) {
    return Make(node->tag, static_cast<uint8_t>(Value::kCounted | node->flags), 0,
                reinterpret_cast<uint64_t>(static_cast<const SharedNode*>(node)));
  }

  template <typename KeyAt>
  static ElementsNode* NewMap(const Type& type, size_t count, KeyAt&& key);
};

template <typename KeyAt>
ElementsNode* ValueAccess::NewMap(const Type& type, size_t count, KeyAt&& key) {
  size_t chars = 0;
  for (size_t i = 0; i < count; ++i) {
    chars += key(i).size();
  }
  ElementsNode* node =
      NewElements(ValueTag::kMap, type, count, (count + 1) * sizeof(uint32_t) + chars);
  uint32_t* offsets = node->key_offsets();
  char* text = node->key_text();
  uint32_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    std::string_view name = key(i);
    offsets[i] = at;
    std::memcpy(text + at, name.data(), name.size());
    at += static_cast<uint32_t>(name.size());
  }
  offsets[count] = at;
  return node;
}

template <typename KeyAt>
Value ValueAccess::MapOf(const Type& type, std::span<Value> values, KeyAt&& key) {
  ElementsNode* node = NewMap(type, values.size(), key);
  MoveIn(node, values);
  return Counted(node);
}

/// Bytes by which the reference orders and distinguishes the elements of a set.
void AppendSetHash(std::string& out, const Value& value);

}  // namespace kinu
