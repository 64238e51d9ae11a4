#include "cty/value.h"

#include <algorithm>
#include <array>

#include "base/invariant.h"
#include "cty/normalize.h"
#include "cty/value_node.h"

namespace kinu {
namespace {

using Access = ValueAccess;

constinit TextNode empty_text(0);
constinit ElementsNode empty_object(ValueTag::kObject, &kEmptyObjectTypeNode, 0);
constinit ElementsNode empty_tuple(ValueTag::kTuple, &kEmptyTupleTypeNode, 0);

template <typename Node>
uint64_t WordOf(const Node* node) {
  return reinterpret_cast<uint64_t>(static_cast<const SharedNode*>(node));
}

void ReleaseType(const TypeNode* type) {
  if (type->ReleaseCounted()) {
    Type::Destroy(type);
  }
}

// True when this was the last reference of a node that a value points to. Only the holder of a
// reference can add one, so the last one needs no write (a type can be found again in its table).
bool ReleaseNode(const SharedNode* node, ValueTag tag, uint8_t flags_refined) {
  const bool is_type = tag == ValueTag::kNull || (tag == ValueTag::kUnknown && flags_refined == 0);
  return (!is_type && node->references.load(std::memory_order_acquire) == 1) || node->Release();
}

// A null or unknown of dynamic type becomes one of `type`; its marks stay.
void SetType(Value& value, const Type& type) {
  Value typed = value.IsNull() ? Value::Null(type) : Value::Unknown(type);
  value = typed.WithMarks(value.marks());
}

// The element type of a collection of `values` declared with `element`.
Type ElementTypeFor(const Type& element, std::vector<Value>& values) {
  Type type = element;
  if (type.is_dynamic()) {
    std::optional<Type> common = Value::CommonElementType(values);
    KINU_INVARIANT(common.has_value(), "elements of a collection differ in type");
    type = *std::move(common);
  } else if (type.has_optional_attributes()) {
    type = type.WithoutOptionalAttributes();
  }
  for (Value& value : values) {
    const TypeNode* have = Access::TypeOf(value);
    if (have != type.node()) {
      KINU_INVARIANT(have == &kDynamicTypeNode, "an element's type is not that of the collection");
      SetType(value, type);
    }
  }
  return type;
}

}  // namespace

// --- Representation. ---

Value ValueAccess::OfType(ValueTag tag, const TypeNode* type) {
  AddTypeReference(type);
  uint8_t flags = tag == ValueTag::kUnknown ? Value::kContainsUnknown : 0;
  if (!type->is_immortal()) {
    flags |= Value::kCounted;
  }
  return Make(tag, flags, 0, WordOf(type));
}

const TypeNode* ValueAccess::TypeOf(const Value& outer) {
  const Value& value = Plain(outer);
  switch (Tag(value)) {
    case ValueTag::kNull:
      return Node<TypeNode>(value);
    case ValueTag::kUnknown:
      return (value.flags_ & Value::kRefined) != 0 ? Node<RefinedNode>(value)->type.node()
                                                   : Node<TypeNode>(value);
    case ValueTag::kBool:
      return &kBoolTypeNode;
    case ValueTag::kInt:
    case ValueTag::kNumber:
      return &kNumberTypeNode;
    case ValueTag::kString:
      return &kStringTypeNode;
    case ValueTag::kCapsule:
      return Node<CapsuleNode>(value)->type.node();
    default:
      return Node<ElementsNode>(value)->type;
  }
}

void ValueAccess::MoveIn(ElementsNode* node, std::span<Value> values) {
  Value* out = node->values();
  unsigned flags = 0;
  unsigned marks = 0;
  for (Value& value : values) {
    flags |= value.flags_;
    marks |= value.marks_;
    new (out++) Value(std::move(value));
  }
  node->flags = InnerFlags(flags, marks);
}

Value ValueAccess::Container(ValueTag tag, const Type& type, std::span<Value> values) {
  ElementsNode* node = NewElements(tag, type, values.size(), 0);
  MoveIn(node, values);
  return Counted(node);
}

Value ValueAccess::SameShape(const Value& container, std::span<Value> values) {
  const ElementsNode* node = Elements(container);
  Type type = Type::FromNode(node->type);
  Value result = node->tag == ValueTag::kMap
                     ? MapOf(type, values, [&](size_t i) { return node->key(i); })
                     : Container(node->tag, type, values);
  return result.WithMarks(container.marks());
}

void ValueAccess::Free(Value& dead) {
  // Containers without references wait in a list, so that freeing a deep value does not
  // recurse. Their `type` field, released first, is the link.
  ElementsNode* pending = nullptr;
  auto drop = [&](ValueTag tag, uint8_t flags, uint64_t word) {
    if ((flags & Value::kWrapped) != 0) {
      // Unwrap: the value inside may be the last reference to its own node, too.
      auto* marked = reinterpret_cast<MarkedNode*>(word);
      Value& inner = marked->inner;
      uint8_t inner_flags = inner.flags_;
      word = inner.word_;
      inner.flags_ = 0;
      delete marked;
      flags = inner_flags;
      if ((flags & Value::kCounted) == 0 || !reinterpret_cast<const SharedNode*>(word)->Release()) {
        return;
      }
    }
    switch (tag) {
      case ValueTag::kNull:
        Type::Destroy(reinterpret_cast<const TypeNode*>(word));
        break;
      case ValueTag::kUnknown:
        if ((flags & Value::kRefined) != 0) {
          delete reinterpret_cast<RefinedNode*>(word);
        } else {
          Type::Destroy(reinterpret_cast<const TypeNode*>(word));
        }
        break;
      case ValueTag::kNumber:
        BigFloat::Destroy(static_cast<const BigFloat*>(reinterpret_cast<const SharedNode*>(word)));
        break;
      case ValueTag::kString:
        ::operator delete(reinterpret_cast<void*>(word));
        break;
      case ValueTag::kCapsule:
        delete reinterpret_cast<CapsuleNode*>(word);
        break;
      case ValueTag::kBool:
      case ValueTag::kInt:
        break;
      default: {
        auto* node = reinterpret_cast<ElementsNode*>(word);
        ReleaseType(node->type);
        node->type = reinterpret_cast<const TypeNode*>(pending);
        pending = node;
      }
    }
  };
  drop(Tag(dead), dead.flags_, dead.word_);
  while (pending != nullptr) {
    ElementsNode* node = pending;
    pending = reinterpret_cast<ElementsNode*>(const_cast<TypeNode*>(node->type));
    for (uint32_t i = 0; i < node->count; ++i) {
      Value& value = node->values()[i];
      if ((value.flags_ & Value::kCounted) == 0 ||
          !ReleaseNode(value.Shared(), Tag(value),
                       value.flags_ & (Value::kRefined | Value::kWrapped))) {
        continue;
      }
      if (Tag(value) == ValueTag::kString && (value.flags_ & Value::kWrapped) == 0) {
        ::operator delete(reinterpret_cast<void*>(value.word_));  // most that there is
      } else {
        drop(Tag(value), value.flags_, value.word_);
      }
    }
    ::operator delete(node);
  }
}

void Value::Destroy() noexcept {
  Access::Free(*this);
}

// --- Making values. ---

Value Value::Null(const Type& type) {
  return type.has_optional_attributes()
             ? Access::OfType(ValueTag::kNull, type.WithoutOptionalAttributes().node())
             : Access::OfType(ValueTag::kNull, type.node());
}

Value Value::Unknown(const Type& type) {
  return type.has_optional_attributes()
             ? Access::OfType(ValueTag::kUnknown, type.WithoutOptionalAttributes().node())
             : Access::OfType(ValueTag::kUnknown, type.node());
}

Value Value::Bool(bool value) {
  return Access::Make(ValueTag::kBool, 0, value ? 1 : 0, 0);
}

Value Value::Int(int64_t value, uint16_t precision) {
  return Access::Make(ValueTag::kInt, 0, precision, static_cast<uint64_t>(value));
}

Value Value::Of(kinu::Number number) {  // NOLINT(performance-unnecessary-value-param): shared
  if (number.is_inline()) {
    return Int(number.inline_value(), number.precision());
  }
  number.big()->AddRef();
  return Access::Make(ValueTag::kNumber, kCounted, 0, WordOf(number.big().get()));
}

Value Value::String(std::string_view text) {
  std::string storage;
  return NormalizedString(Normalized(text, storage));
}

Value Value::NormalizedString(std::string_view text) {
  if (text.empty()) {
    return Access::Make(ValueTag::kString, 0, 0, WordOf(&empty_text));
  }
  KINU_INVARIANT(text.size() < UINT32_MAX, "string too long");
  void* memory = ::operator new(sizeof(TextNode) + text.size());
  auto* node = new (memory) TextNode(static_cast<uint32_t>(text.size()));
  std::memcpy(static_cast<void*>(node + 1), text.data(), text.size());
  return Access::Make(ValueTag::kString, kCounted, 0, WordOf(node));
}

std::optional<Type> Value::CommonElementType(std::span<const Value> values) {
  const TypeNode* common = &kDynamicTypeNode;
  for (const Value& value : values) {
    const TypeNode* have = Access::TypeOf(value);
    if (common == &kDynamicTypeNode) {
      common = have;
    } else if (have != common && have != &kDynamicTypeNode) {
      return std::nullopt;
    }
  }
  return Type::FromNode(common);
}

Value Value::List(const Type& element, std::vector<Value> values) {
  Type type = ElementTypeFor(element, values);
  return Access::Container(ValueTag::kList, Type::List(type), values);
}

namespace {

// Sorts by name; entries of one name keep their order. Few entries are sorted without memory.
template <typename Entry>
void SortByName(std::vector<Entry>& entries) {
  const auto less = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  constexpr size_t kFew = 16;
  if (entries.size() > kFew) {
    std::stable_sort(entries.begin(), entries.end(), less);
    return;
  }
  for (auto at = entries.begin(); at != entries.end(); ++at) {
    std::rotate(std::upper_bound(entries.begin(), at, *at, less), at, at + 1);
  }
}

// Sorts entries by their normalised names; of entries with one name the last one stays. Moves the
// values out.
template <typename Entry>
std::vector<Value> TakeInOrder(std::vector<Entry>& entries) {
  const bool in_order = std::ranges::adjacent_find(entries, [](const Entry& a, const Entry& b) {
                          return a.first >= b.first;
                        }) == entries.end();
  if (!in_order) {
    SortByName(entries);
    auto last = std::unique(entries.rbegin(), entries.rend(),
                            [](const Entry& a, const Entry& b) { return a.first == b.first; });
    entries.erase(entries.begin(), last.base());
  }
  std::vector<Value> values;
  values.reserve(entries.size());
  for (Entry& entry : entries) {
    values.push_back(std::move(entry.second));
  }
  return values;
}

// As above, after normalising the names.
std::vector<Value> NormalizeAndTake(std::vector<std::pair<std::string, Value>>& entries) {
  for (auto& [name, value] : entries) {
    if (!text::IsAscii(name)) {
      std::string storage;
      name = std::string(Normalized(name, storage));
    }
  }
  return TakeInOrder(entries);
}

}  // namespace

Value Value::Map(const Type& element, std::vector<std::pair<std::string, Value>> entries) {
  std::vector<Value> values = NormalizeAndTake(entries);
  Type type = ElementTypeFor(element, values);
  return Access::MapOf(Type::Map(type), values,
                       [&](size_t i) { return std::string_view(entries[i].first); });
}

Value Value::Tuple(std::vector<Value> values) {
  if (values.empty()) {
    return EmptyTuple();
  }
  thread_local std::vector<Type> types;
  types.reserve(values.size());
  for (const Value& value : values) {
    types.push_back(value.type());
  }
  Type type = Type::Tuple(types);
  types.clear();
  return Access::Container(ValueTag::kTuple, type, values);
}

namespace {

// Whether an object of these names (sorted, unique, normalised) and values has the type.
template <typename NameAt>
bool IsObjectTypeFor(const Type& type, std::span<const Value> values, const NameAt& name) {
  if (!type.is_object() || type.has_optional_attributes() ||
      type.attributes().size() != values.size()) {
    return false;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const ObjectAttribute& attribute = type.attributes()[i];
    if (attribute.type.node() != Access::TypeOf(values[i]) || attribute.name != name(i)) {
      return false;
    }
  }
  return true;
}

// The type of an object with these names (sorted, unique, normalised) and values. Objects of a few
// types follow each other, so each thread remembers some. The attributes are gathered in a buffer
// that is kept, so that finding a known type allocates nothing.
template <typename NameAt>
Type ObjectTypeFor(std::span<const Value> values, const NameAt& name) {
  constexpr size_t kRemembered = 32;
  struct Remembered {
    std::array<Type, kRemembered> types;
    // As in the table of types: objects may be made while a thread ends.
    ~Remembered() { types.fill(Type()); }
  };
  thread_local Remembered remembered;
  size_t place = values.size();
  for (size_t i = 0; i < values.size(); ++i) {
    place = place * 31 + name(i).size() + (WordOf(Access::TypeOf(values[i])) >> 4);
  }
  Type& slot = remembered.types[place % kRemembered];
  if (IsObjectTypeFor(slot, values, name)) {
    return slot;
  }
  thread_local std::vector<Type::Attribute> attributes;
  attributes.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    attributes.push_back({name(i), values[i].type(), false});
  }
  slot = Type::Object(attributes);
  attributes.clear();
  return slot;
}

}  // namespace

Value Value::Object(std::vector<std::pair<std::string, Value>> attributes) {
  if (attributes.empty()) {
    return EmptyObject();
  }
  std::vector<Value> values = NormalizeAndTake(attributes);
  Type type =
      ObjectTypeFor(values, [&](size_t i) { return std::string_view(attributes[i].first); });
  return Access::Container(ValueTag::kObject, type, values);
}

Value Value::ObjectOfWords(std::vector<std::pair<std::string_view, Value>> attributes) {
  if (attributes.empty()) {
    return EmptyObject();
  }
  if (!std::ranges::all_of(attributes, text::IsAscii, &std::pair<std::string_view, Value>::first)) {
    return Object(
        {std::make_move_iterator(attributes.begin()), std::make_move_iterator(attributes.end())});
  }
  std::vector<Value> values = TakeInOrder(attributes);
  Type type = ObjectTypeFor(values, [&](size_t i) { return attributes[i].first; });
  return Access::Container(ValueTag::kObject, type, values);
}

Value Value::ObjectOf(const Type& object_type, std::vector<Value> values) {
  std::span<const ObjectAttribute> attributes = object_type.attributes();
  KINU_INVARIANT(attributes.size() == values.size(), "one value per attribute");
  bool same = !object_type.has_optional_attributes();
  for (size_t i = 0; same && i < values.size(); ++i) {
    same = Access::TypeOf(values[i]) == attributes[i].type.node();
  }
  if (same) {
    return values.empty() ? EmptyObject()
                          : Access::Container(ValueTag::kObject, object_type, values);
  }
  Type type = ObjectTypeFor(values, [&](size_t i) { return attributes[i].name; });
  return Access::Container(ValueTag::kObject, type, values);
}

Value Value::EmptyObject() {
  return Access::Make(ValueTag::kObject, 0, 0, WordOf(&empty_object));
}
Value Value::EmptyTuple() {
  return Access::Make(ValueTag::kTuple, 0, 0, WordOf(&empty_tuple));
}

Value Value::Capsule(const Type& capsule_type, uint64_t payload) {
  KINU_INVARIANT(capsule_type.is_capsule(), "a capsule needs a capsule type");
  auto* node = new CapsuleNode();
  node->type = capsule_type;
  node->payload = payload;
  return Access::Make(ValueTag::kCapsule, kCounted, 0, WordOf(node));
}

Value Value::WithElements(std::vector<Value> values) const {
  KINU_INVARIANT(Access::IsContainer(*this) && values.size() == size(),
                 "as many elements as before");
  const ElementsNode* node = Access::Elements(*this);
  if (node->tag != ValueTag::kSet) {
    bool same_types = true;
    for (uint32_t i = 0; i < node->count && same_types; ++i) {
      same_types = Access::TypeOf(values[i]) == Access::TypeOf(node->values()[i]);
    }
    if (same_types) {
      return values.empty() ? *this : Access::SameShape(*this, values);
    }
  }
  Value result;
  switch (node->tag) {
    case ValueTag::kList:
      result = List(Type::Dynamic(), std::move(values));
      break;
    case ValueTag::kSet:
      result = values.empty() ? *this : Set(Type::Dynamic(), std::move(values));
      break;
    case ValueTag::kMap: {
      Type element = ElementTypeFor(Type::Dynamic(), values);
      result = Access::MapOf(Type::Map(element), values, [&](size_t i) { return node->key(i); });
      break;
    }
    case ValueTag::kTuple:
      result = Tuple(std::move(values));
      break;
    default:
      result = ObjectOf(Type::FromNode(node->type), std::move(values));
  }
  return result.WithMarks(marks());
}

// --- Types and marks. ---

Type Value::type() const {
  return Type::FromNode(Access::TypeOf(*this));
}

TypeKind Value::kind() const {
  return Access::TypeOf(*this)->kind;
}

bool Value::HasWhollyKnownType() const {
  if (IsNull()) {
    return true;
  }
  if (IsWhollyKnown() || !Access::TypeOf(*this)->has_dynamic) {
    return true;
  }
  if (!IsKnown()) {
    return false;
  }
  auto all = elements();
  return std::all_of(all.begin(), all.end(),
                     [](const Value& value) { return value.HasWhollyKnownType(); });
}

MarkSet Value::marks() const {
  return (flags_ & kWrapped) != 0 ? Access::Node<MarkedNode>(*this)->marks
                                  : MarkSet::FromBits(marks_);
}

// --- Content. ---

bool Value::AsBool() const {
  KINU_INVARIANT(Access::Tag(*this) == ValueTag::kBool, "not a known bool");
  return aux_ != 0;
}

std::string_view Value::AsString() const {
  KINU_INVARIANT(Access::Tag(*this) == ValueTag::kString, "not a known string");
  return Access::Node<TextNode>(Access::Plain(*this))->text();
}

Number Value::AsNumber() const {
  const Value& plain = Access::Plain(*this);
  if (Access::Tag(plain) == ValueTag::kInt) {
    return Number::FromInt(static_cast<int64_t>(plain.word_), static_cast<uint16_t>(plain.aux_));
  }
  KINU_INVARIANT(Access::Tag(plain) == ValueTag::kNumber, "not a known number");
  return Number::FromBig(Ref<const BigFloat>::Share(static_cast<const BigFloat*>(plain.Shared())));
}

uint64_t Value::AsCapsule() const {
  KINU_INVARIANT(Access::Tag(*this) == ValueTag::kCapsule, "not a capsule");
  return Access::Node<CapsuleNode>(Access::Plain(*this))->payload;
}

std::optional<int64_t> Value::AsInt64() const {
  return AsNumber().ToInt64();
}

size_t Value::size() const {
  KINU_INVARIANT(Access::IsContainer(*this), "not a known container");
  return Access::Elements(*this)->count;
}

std::span<const Value> Value::elements() const {
  KINU_INVARIANT(Access::IsContainer(*this), "not a known container");
  const ElementsNode* node = Access::Elements(*this);
  return {node->values(), node->count};
}

std::string_view Value::key(size_t index) const {
  const ElementsNode* node = Access::Elements(*this);
  if (Access::Tag(*this) == ValueTag::kMap) {
    KINU_INVARIANT(index < node->count, "no such key");
    return node->key(index);
  }
  KINU_INVARIANT(Access::Tag(*this) == ValueTag::kObject && index < node->count,
                 "no such attribute");
  return AttributesOf(node->type)[index].name;
}

const Value* Value::Find(std::string_view name) const {
  const ElementsNode* node = Access::Elements(*this);
  if (Access::Tag(*this) == ValueTag::kObject) {
    int index = Type::FromNode(node->type).FindAttribute(name);
    return index < 0 ? nullptr : &node->values()[index];
  }
  KINU_INVARIANT(Access::Tag(*this) == ValueTag::kMap, "only maps and objects have names");
  size_t low = 0;
  size_t high = node->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (node->key(middle) < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < node->count && node->key(low) == name ? &node->values()[low] : nullptr;
}

const Value& Value::Attribute(std::string_view name) const {
  const Value* found = Find(name);
  KINU_INVARIANT(found != nullptr, "the object has no such attribute");
  return *found;
}

bool Value::SameRepresentation(const Value& other) const {
  return tag_ == other.tag_ && flags_ == other.flags_ && marks_ == other.marks_ &&
         aux_ == other.aux_ && word_ == other.word_;
}

Value Value::Unmark() const {
  if (!IsMarked()) {
    return *this;
  }
  Value plain = Access::Plain(*this);
  plain.marks_ = 0;
  return plain;
}

Value Value::WithMarks(const MarkSet& added) const {
  if (added.empty()) {
    return *this;
  }
  MarkSet all = marks().Union(added);
  Value value = Unmark();
  if (!all.rare().empty()) {
    auto* node = new MarkedNode();
    node->inner = value;
    uint8_t flags = static_cast<uint8_t>(value.flags_ | kCounted | kWrapped);
    uint32_t aux = value.aux_;
    value = Access::Make(Access::Tag(value), flags, aux, WordOf(node));
    node->marks = all;
  }
  value.marks_ = all.bits();
  return value;
}

}  // namespace kinu
