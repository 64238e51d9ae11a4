#include "schema/schema.h"

#include <algorithm>
#include <span>
#include <utility>

#include "schema/sort_by_name.h"

namespace kinu::schema {
namespace {

template <typename Item>
const Item* FindByName(const std::vector<Item>& items, std::string_view name) {
  constexpr size_t kFew = 12;
  if (items.size() <= kFew) {
    const auto same = std::ranges::find(items, name, &Item::name);
    return same != items.end() ? &*same : nullptr;
  }
  const auto at =
      std::lower_bound(items.begin(), items.end(), name,
                       [](const Item& item, std::string_view key) { return item.name < key; });
  return at != items.end() && at->name == name ? &*at : nullptr;
}

Type Collection(Nesting nesting, const Type& object) {
  switch (nesting) {
    case Nesting::kSingle:
    case Nesting::kGroup:
      return object;
    case Nesting::kList:
      return Type::List(object);
    case Nesting::kSet:
      return Type::Set(object);
    case Nesting::kMap:
      return Type::Map(object);
  }
  return object;
}

// Collected while walking down nested attributes.
struct Findings {
  bool sensitive = false;
  bool write_only = false;
};

// Sorts nested attributes and sets the types that they imply, innermost first.
void FinishAttribute(Attribute& attribute, Findings& findings) {
  findings.sensitive |= attribute.sensitive;
  findings.write_only |= attribute.write_only;
  if (attribute.nested == nullptr) {
    attribute.config_type = attribute.type;
    attribute.type = attribute.type.WithoutOptionalAttributes();
    return;
  }
  SortByName(attribute.nested->attributes);
  std::vector<Type::Attribute> members;
  members.reserve(attribute.nested->attributes.size());
  for (Attribute& member : attribute.nested->attributes) {
    FinishAttribute(member, findings);
    members.push_back({member.name, member.config_type, member.optional || member.computed});
  }
  attribute.config_type = Collection(attribute.nested->nesting, Type::Object(members));
  attribute.type = attribute.config_type.WithoutOptionalAttributes();
}

// Whether the SDK before nested attributes cannot declare this type: then blocks are never
// attributes. Ref: opentofu internal/lang/blocktoattr/schema.go.
bool IsNewStyle(const Attribute& attribute) {
  const Type& type = attribute.type;
  if (attribute.nested != nullptr || type.is_structural()) {
    return true;
  }
  if (type.is_map() && type.element().is_object()) {
    return true;
  }
  return type.is_collection() && type.element().is_collection() &&
         !type.element().element().is_primitive();
}

const Attribute* FollowPath(const Block* block, const NestedAttributes* nested,
                            std::span<const PathStep> steps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != PathStep::Kind::kAttribute) {
      continue;
    }
    const std::string_view name = steps[i].name;
    const Attribute* attribute = block != nullptr ? block->FindAttribute(name) : nested->Find(name);
    if (attribute != nullptr) {
      if (i + 1 == steps.size()) {
        return attribute;
      }
      return attribute->nested == nullptr
                 ? nullptr
                 : FollowPath(nullptr, attribute->nested.get(), steps.subspan(i + 1));
    }
    if (block == nullptr) {
      continue;
    }
    const NestedBlock* inner = block->FindBlock(name);
    if (inner == nullptr) {
      return nullptr;
    }
    block = &inner->block;
  }
  return nullptr;
}

}  // namespace

const Attribute* NestedAttributes::Find(std::string_view name) const {
  return FindByName(attributes, name);
}

const Attribute* Block::FindAttribute(std::string_view name) const {
  return FindByName(attributes, name);
}

const NestedBlock* Block::FindBlock(std::string_view name) const {
  return FindByName(blocks, name);
}

void Block::Sort() {
  SortByName(attributes);
  SortByName(blocks);
  std::erase_if(
      blocks, [this](const NestedBlock& nested) { return FindAttribute(nested.name) != nullptr; });
  for (NestedBlock& nested : blocks) {
    nested.block.Sort();
  }
}

void Block::Finish() {
  Sort();
  DeriveTypes();
}

void Block::DeriveTypes() {
  Findings findings;
  allows_attributes_as_blocks_ = true;
  std::vector<Type::Attribute> members;
  members.reserve(attributes.size() + blocks.size());
  for (Attribute& attribute : attributes) {
    FinishAttribute(attribute, findings);
    members.push_back({attribute.name, attribute.type, false});
    if (IsNewStyle(attribute)) {
      allows_attributes_as_blocks_ = false;
    }
  }
  for (NestedBlock& nested : blocks) {
    nested.DeriveTypes();
    members.push_back({nested.name, nested.implied_type(), false});
    findings.sensitive |= nested.block.has_sensitive_;
    findings.write_only |= nested.block.has_write_only_;
    allows_attributes_as_blocks_ &= nested.block.allows_attributes_as_blocks_;
  }
  implied_type_ = Type::Object(members);
  has_sensitive_ = findings.sensitive;
  has_write_only_ = findings.write_only;

  body_attributes_.clear();
  for (const Attribute& attribute : attributes) {
    body_attributes_.push_back({attribute.name, attribute.required});
  }
  body_blocks_.clear();
  for (const NestedBlock& nested : blocks) {
    static constexpr std::string_view kMapLabels[] = {"key"};
    hcl::BlockSchema header{nested.name, {}};
    if (nested.nesting == Nesting::kMap) {
      header.label_names = kMapLabels;
    }
    body_blocks_.push_back(header);
  }
  members_.clear();
  std::vector<std::pair<std::string, Value>> empty;
  for (const ObjectAttribute& member : implied_type_.attributes()) {
    const Attribute* attribute = FindAttribute(member.name);
    const NestedBlock* nested = attribute == nullptr ? FindBlock(member.name) : nullptr;
    members_.push_back({attribute, nested});
    empty.emplace_back(member.name,
                       nested != nullptr ? nested->EmptyValue() : Value::Null(member.type));
  }
  empty_value_ = Value::Object(std::move(empty));
}

void NestedBlock::DeriveTypes() {
  block.DeriveTypes();
  const Type& object = block.implied_type();
  // When a part is dynamic, the elements may have different types: no list or map type fits.
  const bool open = object.has_dynamic();
  implied_type_ = open && (nesting == Nesting::kList || nesting == Nesting::kMap)
                      ? Type::Dynamic()
                      : Collection(nesting, object);
  switch (nesting) {
    case Nesting::kSingle:
      empty_value_ = Value::Null(object);
      break;
    case Nesting::kGroup:
      empty_value_ = block.EmptyValue();
      break;
    case Nesting::kList:
      empty_value_ = open ? Value::EmptyTuple() : Value::List(object, {});
      break;
    case Nesting::kMap:
      empty_value_ = open ? Value::EmptyObject() : Value::Map(object, {});
      break;
    case Nesting::kSet:
      empty_value_ = Value::Set(object, {});
      break;
  }
}

const Attribute* FindAttributeByPath(const Block& block, const Path& path) {
  return FollowPath(&block, nullptr, path.steps());
}

const Attribute* FindAttributeByPath(const NestedAttributes& nested, const Path& path) {
  return FollowPath(nullptr, &nested, path.steps());
}

}  // namespace kinu::schema
