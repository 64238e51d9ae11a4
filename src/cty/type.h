// Type: the type of a Value. Hash-consed: two equal types are one node, so equality is a pointer
// comparison and a Type is 8 bytes. Ref: go-cty cty/type.go and its kin.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

struct TypeNode;
struct ObjectAttribute;

/// Immutable handle of a type; never empty (default: dynamic). Thread-safe.
class Type {
 public:
  Type() : Type(Dynamic()) {}
  Type(const Type& other);
  Type(Type&& other) noexcept;
  Type& operator=(const Type& other);
  Type& operator=(Type&& other) noexcept;
  ~Type();

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
  struct Attribute {
    std::string_view name;
    Type type;
    bool optional = false;
  };
  static Type Object(std::span<const Attribute> attributes);
  static Type EmptyObject();
  static Type EmptyTuple();
  /// A capsule type, equal only to one of the same name.
  static Type Capsule(std::string_view name);

  TypeKind kind() const;
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
  bool has_dynamic() const;
  /// True when an optional attribute occurs anywhere inside. O(1).
  bool has_optional_attributes() const;
  /// The same type with no attribute optional, at any depth.
  Type WithoutOptionalAttributes() const;

  /// The name for people: "string", "list of string", "object", as in reference messages.
  /// Ref: go-cty Type.FriendlyName.
  std::string FriendlyName() const;
  /// As FriendlyName, for constraints ("any type", "list of any single type").
  std::string FriendlyNameForConstraint() const;

  friend bool operator==(const Type& a, const Type& b) { return a.node_ == b.node_; }
  uint64_t Hash() const;
  const TypeNode* node() const { return node_; }
  /// Wraps a node that somebody keeps alive (adds a reference).
  static Type FromNode(const TypeNode* node);

 private:
  struct AdoptTag {};
  Type(const TypeNode* node, AdoptTag) : node_(node) {}
  const TypeNode* node_;
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
