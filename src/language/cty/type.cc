#include "cty/type.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "base/flat_map.h"
#include "base/invariant.h"
#include "cty/normalize.h"
#include "cty/value_node.h"

namespace kinu {

constinit TypeNode kDynamicTypeNode(TypeKind::kDynamic, true, 0x51ED270B1F0A93C5ULL);
constinit TypeNode kBoolTypeNode(TypeKind::kBool, true, 0x9A3298AFF1C5D2E7ULL);
constinit TypeNode kNumberTypeNode(TypeKind::kNumber, true, 0x2B992DDFA23249D6ULL);
constinit TypeNode kStringTypeNode(TypeKind::kString, true, 0xD6E8FEB86659FD93ULL);
constinit TypeNode kEmptyObjectTypeNode(TypeKind::kObject, true, 0xA0761D6478BD642FULL);
constinit TypeNode kEmptyTupleTypeNode(TypeKind::kTuple, true, 0xE7037ED1A0B428DBULL);

namespace {

Type* Children(TypeNode* node) {
  return reinterpret_cast<Type*>(node + 1);
}
const Type* Children(const TypeNode* node) {
  return reinterpret_cast<const Type*>(node + 1);
}
ObjectAttribute* Attributes(TypeNode* node) {
  return reinterpret_cast<ObjectAttribute*>(node + 1);
}
const ObjectAttribute* Attributes(const TypeNode* node) {
  return reinterpret_cast<const ObjectAttribute*>(node + 1);
}
char* Name(TypeNode* node) {
  return reinterpret_cast<char*>(node + 1);
}
const char* Name(const TypeNode* node) {
  return reinterpret_cast<const char*>(node + 1);
}

TypeNode* Allocate(TypeKind kind, size_t payload, uint64_t hash) {
  void* memory = ::operator new(sizeof(TypeNode) + payload);
  return new (memory) TypeNode(kind, false, hash);
}

uint64_t KindSeed(TypeKind kind) {
  return 0x8EBC6AF09C88C6E3ULL * (static_cast<uint64_t>(kind) + 1);
}

// A request for a type: what its node would hold. One of the members is in use.
struct TypeRequest {
  TypeKind kind;
  uint64_t hash;
  std::span<const Type> children;
  std::span<const Type::Attribute> attributes;
  std::string_view name;
};

bool Matches(const TypeNode& node, const TypeRequest& request) {
  if (node.hash != request.hash || node.kind != request.kind) {
    return false;
  }
  switch (request.kind) {
    case TypeKind::kObject: {
      if (node.count != request.attributes.size()) {
        return false;
      }
      const ObjectAttribute* attribute = Attributes(&node);
      for (const Type::Attribute& wanted : request.attributes) {
        if (attribute->type != wanted.type || attribute->optional != wanted.optional ||
            attribute->name != wanted.name) {
          return false;
        }
        ++attribute;
      }
      return true;
    }
    case TypeKind::kCapsule:
      return std::string_view(Name(&node), node.count) == request.name;
    default:
      return std::equal(request.children.begin(), request.children.end(), Children(&node),
                        Children(&node) + node.count);
  }
}

TypeNode* MakeNode(const TypeRequest& request) {
  switch (request.kind) {
    case TypeKind::kObject: {
      size_t chars = 0;
      for (const Type::Attribute& attribute : request.attributes) {
        chars += attribute.name.size();
      }
      size_t count = request.attributes.size();
      TypeNode* node =
          Allocate(request.kind, count * sizeof(ObjectAttribute) + chars, request.hash);
      node->count = static_cast<uint32_t>(count);
      ObjectAttribute* out = Attributes(node);
      char* text = reinterpret_cast<char*>(out + count);
      for (const Type::Attribute& attribute : request.attributes) {
        std::memcpy(text, attribute.name.data(), attribute.name.size());
        new (out) ObjectAttribute{std::string_view(text, attribute.name.size()), attribute.type,
                                  attribute.optional};
        text += attribute.name.size();
        node->has_dynamic |= attribute.type.has_dynamic();
        node->has_optional |= attribute.optional || attribute.type.has_optional_attributes();
        ++out;
      }
      return node;
    }
    case TypeKind::kCapsule: {
      TypeNode* node = Allocate(request.kind, request.name.size(), request.hash);
      node->count = static_cast<uint32_t>(request.name.size());
      std::memcpy(Name(node), request.name.data(), request.name.size());
      return node;
    }
    default: {
      TypeNode* node = Allocate(request.kind, request.children.size() * sizeof(Type), request.hash);
      node->count = static_cast<uint32_t>(request.children.size());
      Type* out = Children(node);
      for (const Type& child : request.children) {
        new (out++) Type(child);
        node->has_dynamic |= child.has_dynamic();
        node->has_optional |= child.has_optional_attributes();
      }
      return node;
    }
  }
}

}  // namespace

// The interning table: weak, so a type lives as long as it is used, and sharded, so threads seldom
// contend. Each thread keeps the types that it made last, which avoids the lock and lets a type
// survive between two short-lived values of it.
class TypeTable {
 public:
  static TypeTable& Get() {
    static TypeTable* table = new TypeTable();  // never destroyed: values may outlive statics
    return *table;
  }

  static Type Find(const TypeRequest& request) {
    thread_local Recent recent;
    Type& slot = recent.types[request.hash % kRecent];
    if (Matches(*slot.node(), request)) {
      return slot;
    }
    slot = Get().Intern(request);
    return slot;
  }

  void Remove(const TypeNode* node) {
    Shard& shard = ShardOf(node->hash);
    std::lock_guard lock(shard.mutex);
    TypeNode** link = &shard.buckets[node->hash & (shard.buckets.size() - 1)];
    while (*link != node) {
      link = &(*link)->next;
    }
    *link = node->next;
    --shard.size;
  }

 private:
  static constexpr size_t kRecent = 64;
  static constexpr size_t kShards = 32;
  struct Recent {
    std::array<Type, kRecent> types;
    // Types may be made while a thread ends: leave slots that match nothing.
    ~Recent() { types.fill(Type()); }
  };
  struct Shard {
    std::mutex mutex;
    std::vector<TypeNode*> buckets = std::vector<TypeNode*>(64);
    size_t size = 0;
  };

  Shard& ShardOf(uint64_t hash) { return shards_[(hash >> 48) % kShards]; }

  Type Intern(const TypeRequest& request) {
    Shard& shard = ShardOf(request.hash);
    std::lock_guard lock(shard.mutex);
    TypeNode** bucket = &shard.buckets[request.hash & (shard.buckets.size() - 1)];
    for (TypeNode* node = *bucket; node != nullptr; node = node->next) {
      // A node without references is about to be removed by its last owner: it does not count.
      if (Matches(*node, request) && (node->is_immortal() || node->TryAddRef())) {
        return Type(node, Type::AdoptTag());
      }
    }
    TypeNode* node = MakeNode(request);
    node->next = *bucket;
    *bucket = node;
    if (++shard.size > shard.buckets.size()) {
      Grow(shard);
    }
    return Type(node, Type::AdoptTag());
  }

  static void Grow(Shard& shard) {
    std::vector<TypeNode*> buckets(shard.buckets.size() * 2);
    for (TypeNode* node : shard.buckets) {
      while (node != nullptr) {
        TypeNode* next = node->next;
        TypeNode*& bucket = buckets[node->hash & (buckets.size() - 1)];
        node->next = bucket;
        bucket = node;
        node = next;
      }
    }
    shard.buckets = std::move(buckets);
  }

  std::array<Shard, kShards> shards_;
};

void Type::Destroy(const TypeNode* dead) {
  // A list of nodes to free instead of recursion: types nest as deep as their makers like.
  TypeTable::Get().Remove(dead);
  TypeNode* pending = const_cast<TypeNode*>(dead);
  pending->next = nullptr;
  auto drop = [&](const TypeNode* child) {
    if (child->ReleaseCounted()) {
      TypeTable::Get().Remove(child);
      TypeNode* node = const_cast<TypeNode*>(child);
      node->next = pending;
      pending = node;
    }
  };
  while (pending != nullptr) {
    TypeNode* node = pending;
    pending = node->next;
    if (node->kind == TypeKind::kObject) {
      for (uint32_t i = 0; i < node->count; ++i) {
        drop(kinu::Attributes(node)[i].type.node());
      }
    } else if (node->kind != TypeKind::kCapsule) {
      for (uint32_t i = 0; i < node->count; ++i) {
        drop(Children(node)[i].node());
      }
    }
    node->~TypeNode();
    ::operator delete(node);
  }
}

namespace {

Type FindWithChildren(TypeKind kind, std::span<const Type> children) {
  uint64_t hash = KindSeed(kind);
  for (const Type& child : children) {
    hash = HashCombine(hash, child.Hash());
  }
  return TypeTable::Find({.kind = kind, .hash = hash, .children = children});
}

}  // namespace

Type Type::List(const Type& element) {
  return FindWithChildren(TypeKind::kList, std::span(&element, 1));
}
Type Type::Set(const Type& element) {
  return FindWithChildren(TypeKind::kSet, std::span(&element, 1));
}
Type Type::Map(const Type& element) {
  return FindWithChildren(TypeKind::kMap, std::span(&element, 1));
}

Type Type::Tuple(std::span<const Type> elements) {
  return elements.empty() ? EmptyTuple() : FindWithChildren(TypeKind::kTuple, elements);
}

Type Type::Object(std::span<const Attribute> attributes) {
  if (attributes.empty()) {
    return EmptyObject();
  }
  bool in_order = true;
  bool ascii = true;
  for (size_t i = 0; i < attributes.size(); ++i) {
    ascii = ascii && text::IsAscii(attributes[i].name);
    in_order = in_order && (i == 0 || attributes[i - 1].name < attributes[i].name);
  }
  std::vector<Attribute> sorted;
  std::vector<std::string> names;
  if (!in_order || !ascii) {
    sorted.assign(attributes.begin(), attributes.end());
    if (!ascii) {
      names.resize(sorted.size());
      for (size_t i = 0; i < sorted.size(); ++i) {
        sorted[i].name = Normalized(sorted[i].name, names[i]);
      }
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
    // Of attributes with one name the last stays.
    auto last =
        std::unique(sorted.rbegin(), sorted.rend(),
                    [](const Attribute& a, const Attribute& b) { return a.name == b.name; });
    sorted.erase(sorted.begin(), last.base());
    attributes = sorted;
  }
  uint64_t hash = KindSeed(TypeKind::kObject);
  for (const Attribute& attribute : attributes) {
    hash = HashCombine(hash, HashBytes(attribute.name));
    hash = HashCombine(hash, attribute.type.Hash() + (attribute.optional ? 1 : 0));
  }
  return TypeTable::Find({.kind = TypeKind::kObject, .hash = hash, .attributes = attributes});
}

Type Type::Capsule(std::string_view name) {
  uint64_t hash = HashCombine(KindSeed(TypeKind::kCapsule), HashBytes(name));
  return TypeTable::Find({.kind = TypeKind::kCapsule, .hash = hash, .name = name});
}

const Type& Type::element() const {
  KINU_INVARIANT(is_collection(), "only collection types have an element type");
  return Children(node_)[0];
}

std::span<const Type> Type::elements() const {
  KINU_INVARIANT(is_tuple(), "only tuple types have element types");
  return {Children(node_), node_->count};
}

std::span<const ObjectAttribute> AttributesOf(const TypeNode* node) {
  KINU_INVARIANT(node->kind == TypeKind::kObject, "only object types have attributes");
  return {Attributes(node), node->count};
}

std::span<const ObjectAttribute> Type::attributes() const {
  return AttributesOf(node_);
}

int Type::FindAttribute(std::string_view name) const {
  auto all = attributes();
  constexpr size_t kFew = 12;
  if (all.size() <= kFew) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].name == name) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }
  auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const ObjectAttribute& attribute, std::string_view key) { return attribute.name < key; });
  return found != all.end() && found->name == name ? static_cast<int>(found - all.begin()) : -1;
}

std::string_view Type::capsule_name() const {
  KINU_INVARIANT(is_capsule(), "only capsule types have a name");
  return {Name(node_), node_->count};
}

Type Type::WithoutOptionalAttributes() const {
  if (!has_optional_attributes()) {
    return *this;
  }
  switch (kind()) {
    case TypeKind::kList:
      return List(element().WithoutOptionalAttributes());
    case TypeKind::kSet:
      return Set(element().WithoutOptionalAttributes());
    case TypeKind::kMap:
      return Map(element().WithoutOptionalAttributes());
    case TypeKind::kTuple: {
      std::vector<Type> types;
      for (const Type& type : elements()) {
        types.push_back(type.WithoutOptionalAttributes());
      }
      return Tuple(types);
    }
    default: {
      std::vector<Attribute> plain;
      for (const ObjectAttribute& attribute : attributes()) {
        plain.push_back({attribute.name, attribute.type.WithoutOptionalAttributes(), false});
      }
      return Object(plain);
    }
  }
}

bool Type::ConformsTo(const Type& wanted) const {
  if (wanted.is_dynamic() || *this == wanted) {
    return true;
  }
  if (kind() != wanted.kind()) {
    return false;
  }
  switch (kind()) {
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kMap:
      return element().ConformsTo(wanted.element());
    case TypeKind::kTuple:
      return std::equal(elements().begin(), elements().end(), wanted.elements().begin(),
                        wanted.elements().end(),
                        [](const Type& a, const Type& b) { return a.ConformsTo(b); });
    case TypeKind::kObject:
      return std::equal(attributes().begin(), attributes().end(), wanted.attributes().begin(),
                        wanted.attributes().end(),
                        [](const ObjectAttribute& a, const ObjectAttribute& b) {
                          return a.name == b.name && a.type.ConformsTo(b.type);
                        });
    default:
      return false;
  }
}

namespace {

std::string FriendlyText(const Type& type, bool for_constraint) {
  auto of_elements = [&](const char* what) {
    bool any = for_constraint && type.element().is_dynamic();
    return std::string(what) +
           (any ? "any single type" : FriendlyText(type.element(), for_constraint));
  };
  switch (type.kind()) {
    case TypeKind::kDynamic:
      return for_constraint ? "any type" : "dynamic";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kNumber:
      return "number";
    case TypeKind::kString:
      return "string";
    case TypeKind::kList:
      return of_elements("list of ");
    case TypeKind::kSet:
      return of_elements("set of ");
    case TypeKind::kMap:
      return of_elements("map of ");
    case TypeKind::kTuple:
      return "tuple";
    case TypeKind::kObject:
      return "object";
    case TypeKind::kCapsule:
      return std::string(type.capsule_name());
  }
  return {};
}

}  // namespace

std::string Type::FriendlyName() const {
  return FriendlyText(*this, false);
}
std::string Type::FriendlyNameForConstraint() const {
  return FriendlyText(*this, true);
}

}  // namespace kinu
