// Type: the type of a Value. Hash-consed: two equal types are one node, so equality is a pointer
// comparison and a Type is 8 bytes. Ref: go-cty cty/type.go and its kin.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cty/shared_node.h"

namespace kinu {

enum class TypeKind : uint8_t {
  kDynamic,  ///< the pseudo-type of values whose type is not known yet
  kBool,
  kNumber,
  kString,
  kList,
  kSet,
  kMap,
  kTuple,
  kObject,
  kCapsule,
};

struct ObjectAttribute;
struct TypeAttribute;

/// What a Type points to. Element types, attributes or the capsule's name follow it in memory.
struct TypeNode : SharedNode {
  constexpr TypeNode(TypeKind kind_of_type, bool lives_forever, uint64_t hash_of_type)
      : kind(kind_of_type), immortal(lives_forever), hash(hash_of_type) {}

  /// Adds a reference that ReleaseCounted() takes back. A type with very many references lives
  /// forever from then on: threads that count them would fight for the memory of its count, which
  /// is that of its other members too.
  void AddCounted() const {
    constexpr uint32_t kVeryMany = 200;
    if (!is_immortal() && references.fetch_add(1, std::memory_order_relaxed) > kVeryMany) {
      immortal.store(true, std::memory_order_relaxed);  // keeps the reference that was just added
    }
  }
  /// True when this was the last reference.
  bool ReleaseCounted() const { return !is_immortal() && Release(); }
  /// Never counted, never freed.
  bool is_immortal() const { return immortal.load(std::memory_order_relaxed); }

  TypeKind kind;
  mutable std::atomic<bool> immortal;
  bool has_dynamic = kind == TypeKind::kDynamic;
  bool has_optional = false;
  uint32_t count = 0;  ///< element types, attributes, or bytes of the capsule's name
  uint64_t hash;
  TypeNode* next = nullptr;  ///< in the interning table, later in the list of nodes to free
};

/// Immutable handle of a type; never empty (default: dynamic). Thread-safe.
class Type {
 public:
  Type();
  Type(const Type& other) : node_(other.node_) { AddRef(); }
  Type(Type&& other) noexcept : Type() { std::swap(node_, other.node_); }
  Type& operator=(const Type& other) {
    Type copy(other);
    std::swap(node_, copy.node_);
    return *this;
  }
  Type& operator=(Type&& other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Type() {
    if (node_->ReleaseCounted()) {
      Destroy(node_);
    }
  }

  static Type Dynamic();
  static Type Bool();
  static Type Number();
  static Type String();
  static Type List(const Type& element);
  static Type Set(const Type& element);
  static Type Map(const Type& element);
  static Type Tuple(std::span<const Type> elements);
  /// An object type. Attributes may come in any order; a repeated name keeps the last. `optional`
  /// attributes occur only in type constraints.
  using Attribute = TypeAttribute;
  static Type Object(std::span<const Attribute> attributes);
  static Type EmptyObject();
  static Type EmptyTuple();
  /// A capsule type, equal only to one of the same name.
  static Type Capsule(std::string_view name);

  TypeKind kind() const { return node_->kind; }
  bool is_dynamic() const { return kind() == TypeKind::kDynamic; }
  bool is_primitive() const {
    return kind() == TypeKind::kBool || kind() == TypeKind::kNumber || kind() == TypeKind::kString;
  }
  bool is_list() const { return kind() == TypeKind::kList; }
  bool is_set() const { return kind() == TypeKind::kSet; }
  bool is_map() const { return kind() == TypeKind::kMap; }
  bool is_tuple() const { return kind() == TypeKind::kTuple; }
  bool is_object() const { return kind() == TypeKind::kObject; }
  bool is_capsule() const { return kind() == TypeKind::kCapsule; }
  /// List, set or map.
  bool is_collection() const { return is_list() || is_set() || is_map(); }
  /// Tuple or object.
  bool is_structural() const { return is_tuple() || is_object(); }
  /// Whether its values have elements.
  bool is_iterable() const { return is_collection() || is_structural(); }

  /// Element type of a list, set or map.
  const Type& element() const;
  /// Element types of a tuple.
  std::span<const Type> elements() const;
  /// Attributes of an object, sorted by name (bytes).
  std::span<const ObjectAttribute> attributes() const;
  /// Index of an attribute in attributes(), or -1.
  int FindAttribute(std::string_view name) const;
  /// Name of a capsule type.
  std::string_view capsule_name() const;

  /// True when a dynamic type occurs anywhere inside. O(1).
  bool has_dynamic() const { return node_->has_dynamic; }
  /// True when an optional attribute occurs anywhere inside. O(1).
  bool has_optional_attributes() const { return node_->has_optional; }
  /// The same type with no attribute optional, at any depth.
  Type WithoutOptionalAttributes() const;

  /// Whether a value of this type is accepted where `wanted` is required: equal except where
  /// `wanted` is dynamic. Ref: go-cty Type.TestConformance.
  bool ConformsTo(const Type& wanted) const;

  /// The name for people: "string", "list of string", "object", as in reference messages.
  /// Ref: go-cty Type.FriendlyName.
  std::string FriendlyName() const;
  /// As FriendlyName, for constraints ("any type", "list of any single type").
  std::string FriendlyNameForConstraint() const;

  friend bool operator==(const Type& a, const Type& b) { return a.node_ == b.node_; }
  uint64_t Hash() const { return node_->hash; }
  const TypeNode* node() const { return node_; }
  /// Wraps a node that another owner keeps alive (adds a reference).
  static Type FromNode(const TypeNode* node) {
    Type type(node, AdoptTag());
    type.AddRef();
    return type;
  }
  /// Frees a node whose last reference is gone.
  static void Destroy(const TypeNode* node);

 private:
  friend class TypeTable;  // type.cc
  struct AdoptTag {};
  Type(const TypeNode* node, AdoptTag) : node_(node) {}
  void AddRef() const { node_->AddCounted(); }
  const TypeNode* node_;
};

/// The nodes of types that need no table.
extern TypeNode kDynamicTypeNode, kBoolTypeNode, kNumberTypeNode, kStringTypeNode,
    kEmptyObjectTypeNode, kEmptyTupleTypeNode;

inline Type::Type() : node_(&kDynamicTypeNode) {
}
inline Type Type::Dynamic() {
  return Type(&kDynamicTypeNode, AdoptTag());
}
inline Type Type::Bool() {
  return Type(&kBoolTypeNode, AdoptTag());
}
inline Type Type::Number() {
  return Type(&kNumberTypeNode, AdoptTag());
}
inline Type Type::String() {
  return Type(&kStringTypeNode, AdoptTag());
}
inline Type Type::EmptyObject() {
  return Type(&kEmptyObjectTypeNode, AdoptTag());
}
inline Type Type::EmptyTuple() {
  return Type(&kEmptyTupleTypeNode, AdoptTag());
}

/// An attribute that an object type shall have (Type::Attribute).
struct TypeAttribute {
  std::string_view name;
  Type type;
  bool optional = false;
};

/// One attribute of an object type. The name lives as long as the type.
struct ObjectAttribute {
  std::string_view name;
  Type type;
  bool optional = false;
};

/// cty's JSON notation of a type: "string", ["list","string"], ["object",{"a":"number"}]; optional
/// attributes as third element. Ref: go-cty cty/json, type.MarshalJSON.
std::string TypeToJson(const Type& type);

}  // namespace kinu
