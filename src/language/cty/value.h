// Value: an immutable value of the configuration language, 16 bytes, shared by reference count.
//
// Every value has a Type, may be null or unknown (with refinements), and may carry marks at any
// level. Values never change and may be read from any thread. Whether a value contains marks or
// unknowns anywhere inside is a flag, so "is it wholly known?" never walks.
//
// The one thing people get wrong: accessors such as AsString() require a known, non-null value and
// look through marks silently. Code that shows or stores something must ask marks first.
//
// Views (AsString, elements, key) stay valid as long as any Value that shares the content lives,
// wherever that Value moves to.
// Ref: go-cty cty/value.go, marks.go, unknown.go, unknown_refinement.go.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cty/marks.h"
#include "cty/number.h"
#include "cty/type.h"

namespace kinu {

class Path;
struct PathMarks;

/// Decoders refuse to make values and types that nest deeper, so that code may recurse into
/// values from outside.
inline constexpr int kMaxValueDepth = 1000;

/// What is known about an unknown value; also the builder of it.
struct Refinements {
  bool not_null = false;
  std::string prefix;  ///< known prefix of a string
  std::optional<Number> min, max;
  bool min_inclusive = true, max_inclusive = true;
  int64_t min_length = 0;
  int64_t max_length = INT64_MAX;

  bool empty() const {
    return !not_null && prefix.empty() && !min && !max && min_length == 0 &&
           max_length == INT64_MAX;
  }
  /// No value can have these bounds.
  bool Contradictory() const;
  friend bool operator==(const Refinements&, const Refinements&) = default;
};

class Value {
 public:
  /// Null of dynamic type.
  Value() noexcept
      : tag_(0),
        flags_(0),
        marks_(0),
        aux_(0),
        word_(reinterpret_cast<uint64_t>(&kDynamicTypeNode)) {}
  Value(const Value& other) noexcept { CopyFrom(other); }
  Value(Value&& other) noexcept : Value() { Swap(other); }
  Value& operator=(const Value& other) noexcept {
    Value copy(other);
    Swap(copy);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~Value() {
    if ((flags_ & kCounted) != 0 && Shared()->Release()) {
      Destroy();
    }
  }

  // --- Making values. Element vectors are consumed. ---
  static Value Null(const Type& type);
  static Value Unknown(const Type& type);
  /// An unknown value with refinements. Contradictory or complete refinements have the results
  /// of go-cty (a length of exactly 0 becomes the empty collection, and so on). Dynamic: unrefined.
  static Value Unknown(const Type& type, Refinements refinements);
  static Value DynamicUnknown() { return Unknown(Type::Dynamic()); }
  static Value Bool(bool value);
  static Value True() { return Bool(true); }
  static Value False() { return Bool(false); }
  static Value Int(int64_t value, uint16_t precision = kIntPrecision);
  static Value Of(Number number);
  /// A string; it is normalised to NFC. Invalid UTF-8 must not get here.
  static Value String(std::string_view text);
  /// A string that is known to be in NFC already (ASCII, or taken from another value).
  static Value NormalizedString(std::string_view text);
  /// A list; all elements must have type `element`. Untyped nulls and unknowns take it on; when
  /// `element` is dynamic the elements' common type takes its place. Sets and maps likewise.
  static Value List(const Type& element, std::vector<Value> values);
  /// A set: equal elements merge, order is the reference's iteration order, marks of elements move
  /// to the set.
  static Value Set(const Type& element, std::vector<Value> values);
  /// A map; entries in any order, a repeated key keeps the last.
  static Value Map(const Type& element, std::vector<std::pair<std::string, Value>> entries);
  static Value Tuple(std::vector<Value> values);
  /// An object whose type follows from the attributes; in any order, a repeated name keeps the
  /// last.
  static Value Object(std::vector<std::pair<std::string, Value>> attributes);
  /// As Object(), without copies of the names.
  static Value ObjectOfWords(std::vector<std::pair<std::string_view, Value>> attributes);
  /// The type that all values have, leaving out untyped nulls and unknowns (dynamic when there are
  /// only those); nothing when they differ, so that no collection can be made of them.
  static std::optional<Type> CommonElementType(std::span<const Value> values);
  /// An object of a given type: one value per attribute, in the type's (sorted) order. A value of
  /// another type than its attribute (which is dynamic, then) makes that the attribute's type.
  static Value ObjectOf(const Type& object_type, std::vector<Value> values);
  static Value EmptyObject();
  static Value EmptyTuple();
  static Value Capsule(const Type& capsule_type, uint64_t payload);

  // --- Asking. ---
  /// The type; for an untyped null or unknown, dynamic.
  Type type() const;
  /// type().kind(), without a reference to the type.
  TypeKind kind() const;
  bool IsNull() const { return tag_ == kNullTag; }
  /// Known at this level (a list with unknown elements is known).
  bool IsKnown() const { return tag_ != kUnknownTag; }
  bool IsWhollyKnown() const { return (flags_ & kContainsUnknown) == 0; }
  /// Whether the final type is known too: no unknown of dynamic type here or inside.
  /// Ref: go-cty HasWhollyKnownType.
  bool HasWhollyKnownType() const;
  bool IsMarked() const { return marks_ != 0 || (flags_ & kWrapped) != 0; }  ///< at this level
  bool ContainsMarked() const {                                              ///< here or inside
    return marks_ != 0 || (flags_ & (kWrapped | kContainsMarks)) != 0;
  }
  MarkSet marks() const;  ///< at this level
  /// Union of the marks here and inside.
  MarkSet MarksDeep() const;
  bool HasMarkDeep(const MarkSet& mark) const;

  // --- Content. For known, non-null values of the right type; marks are looked through. ---
  bool AsBool() const;
  std::string_view AsString() const;
  Number AsNumber() const;
  uint64_t AsCapsule() const;
  /// The number as int64 when it is one exactly.
  std::optional<int64_t> AsInt64() const;
  /// Number of elements (list, set, map, tuple) or attributes (object).
  size_t size() const;
  /// Elements: list and tuple by index, set in iteration order, map in key order, object in
  /// attribute-name order. They carry their own marks only, not the container's.
  std::span<const Value> elements() const;
  /// Key i of a map (sorted by bytes) or attribute name i of an object.
  std::string_view key(size_t index) const;
  /// Element of a map, attribute of an object, or null pointer when absent.
  const Value* Find(std::string_view name) const;
  /// The attribute of an object, which must exist.
  const Value& Attribute(std::string_view name) const;
  /// Refinements of an unknown value (empty when none), or what is known of a known one (exact).
  Refinements refinements() const;

  // --- Marks. ---
  /// Without the marks of this level.
  Value Unmark() const;
  /// Without any marks; `marks`, if given, receives the union of them.
  Value UnmarkDeep(MarkSet* marks = nullptr) const;
  /// Without any marks; `paths` receives where each was, in the order of a walk.
  Value UnmarkDeepWithPaths(std::vector<PathMarks>* paths) const;
  Value WithMarks(const MarkSet& marks) const;
  /// Marks put (back) at paths; paths that do not exist are skipped.
  Value MarkWithPaths(std::span<const PathMarks> paths) const;

  /// Same type, value, unknownness, refinements and marks (null equals null, unknown equals
  /// unknown). Ref: go-cty RawEquals.
  static bool RawEquals(const Value& a, const Value& b);
  /// Hash consistent with RawEquals of unmarked values.
  uint64_t Hash() const;
  /// True when both share one representation (a quick "certainly equal").
  bool SameRepresentation(const Value& other) const;

  /// The same container (type, keys, own marks) with other elements, as many as it has, in the
  /// order of elements(). Types follow the new elements as when the container is made anew.
  Value WithElements(std::vector<Value> values) const;

  /// Order of two set elements of one type. Ref: go-cty set_internals.go Less.
  static bool SetLess(const Value& a, const Value& b);

 private:
  friend struct ValueAccess;  // value.cc and its neighbours
  static constexpr uint8_t kNullTag = 0;
  static constexpr uint8_t kUnknownTag = 1;
  static constexpr uint8_t kCounted = 1;          // word_ holds a reference to a SharedNode
  static constexpr uint8_t kContainsMarks = 2;    // something inside is marked
  static constexpr uint8_t kContainsUnknown = 4;  // this or something inside is unknown
  static constexpr uint8_t kRefined = 8;          // an unknown whose word_ is a RefinedNode
  static constexpr uint8_t kWrapped = 16;         // rare marks: word_ is a MarkedNode

  const SharedNode* Shared() const { return reinterpret_cast<const SharedNode*>(word_); }
  void CopyFrom(const Value& other) noexcept {
    tag_ = other.tag_;
    flags_ = other.flags_;
    marks_ = other.marks_;
    aux_ = other.aux_;
    word_ = other.word_;
    if ((flags_ & kCounted) != 0) {
      Shared()->AddRef();
    }
  }
  void Swap(Value& other) noexcept {
    std::swap(tag_, other.tag_);
    std::swap(flags_, other.flags_);
    std::swap(marks_, other.marks_);
    std::swap(aux_, other.aux_);
    std::swap(word_, other.word_);
  }
  void Destroy() noexcept;

  uint8_t tag_;  // ValueTag of value_node.h
  uint8_t flags_;
  uint16_t marks_;  // MarkSet::bits() of this level
  uint32_t aux_;    // bool; precision of an integer
  uint64_t word_;   // int64; pointer to a node of value_node.h, a BigFloat or a TypeNode
};
static_assert(sizeof(Value) == 16);

}  // namespace kinu
