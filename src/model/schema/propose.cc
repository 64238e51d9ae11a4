#include "schema/propose.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cty/ops.h"
#include "schema/object_parts.h"

namespace kinu::schema {
namespace {

// A block, or the object of a nested attribute: the same rules hold for the members of both.
struct ObjectSchema {
  const Block* block = nullptr;
  const NestedAttributes* nested = nullptr;

  /// The member that describes element `index`, named `name`, of an object of this schema.
  Block::Member At(size_t index, std::string_view name) const {
    if (block == nullptr) {
      const bool fits = index < nested->attributes.size() && nested->attributes[index].name == name;
      return {fits ? &nested->attributes[index] : nested->Find(name), nullptr};
    }
    if (index < block->members().size()) {
      const Block::Member& member = block->members()[index];
      if ((member.attribute != nullptr ? member.attribute->name : member.nested->name) == name) {
        return member;
      }
    }
    const Attribute* attribute = block->FindAttribute(name);
    return {attribute, attribute == nullptr ? block->FindBlock(name) : nullptr};
  }
  const Attribute* Find(const Path& path) const {
    return block != nullptr ? FindAttributeByPath(*block, path)
                            : FindAttributeByPath(*nested, path);
  }
};

Value ProposeObject(const ObjectSchema& schema, const Value& prior, const Value& config);
Value ProposeNested(const ObjectSchema& schema, Nesting nesting, const Value& prior,
                    const Value& config);

// Whether the prior value of an optional computed nested attribute has members that only
// configuration can have set. Removing such an attribute from the configuration removes the value;
// otherwise the prior value would stay.
bool HasConfiguredMembers(const Attribute& attribute, const Value& prior) {
  if (!attribute.optional || attribute.nested == nullptr) {
    return false;
  }
  bool found = false;
  Path path;
  WalkValue(prior, path, [&](const Path& at, const Value& part) {
    if (found) {
      return false;
    }
    if (!part.IsNull()) {
      const Attribute* member = FindAttributeByPath(*attribute.nested, at);
      if (member != nullptr && !member->computed) {
        found = true;
        return false;
      }
    }
    return true;
  });
  return found;
}

Value ProposeAttribute(const Attribute& attribute, const Value& prior, const Value& config) {
  if (attribute.computed && config.IsNull()) {
    return HasConfiguredMembers(attribute, prior) ? config : prior;
  }
  if (attribute.nested != nullptr) {
    return ProposeNested({nullptr, attribute.nested.get()}, attribute.nested->nesting, prior,
                         config);
  }
  return config;
}

Value ProposeMember(const Block::Member& member, const Value& prior, const Value& config) {
  if (member.attribute != nullptr) {
    return ProposeAttribute(*member.attribute, prior, config);
  }
  if (member.nested == nullptr) {
    return config;
  }
  return ProposeNested({&member.nested->block, nullptr}, member.nested->nesting, prior, config);
}

// Proposes the members of an object whose configuration is known and not null. Configured values
// are shared, not copied.
Value ProposeMembers(const ObjectSchema& schema, const Value& prior, const Value& config) {
  const Type type = config.type();
  const size_t count = config.size();
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view name = type.attributes()[i].name;
    const Value& configured = config.elements()[i];
    Value proposed =
        ProposeMember(schema.At(i, name), AttributeAt(prior, i, count, name), configured);
    if (values.empty() && proposed.SameRepresentation(configured)) {
      continue;
    }
    if (values.empty()) {
      values.reserve(count);
      values.assign(config.elements().begin(),
                    config.elements().begin() + static_cast<std::ptrdiff_t>(i));
    }
    values.push_back(std::move(proposed));
  }
  return values.size() < count ? config : ObjectLike(type, std::move(values));
}

Value ProposeObject(const ObjectSchema& schema, const Value& prior, const Value& config) {
  if (schema.block != nullptr) {
    return ProposeNew(*schema.block, prior, config);
  }
  if (config.IsNull() || !config.IsKnown()) {
    return config;
  }
  return ProposeMembers(schema, prior, config);
}

// Whether the configured element can have produced this set element of the prior state: they differ
// only where a computed attribute is not configured.
bool MatchesConfiguration(const ObjectSchema& schema, const Value& prior, const Value& config) {
  if (EqualUnrefined(config, prior)) {
    return true;
  }
  bool valid = true;
  Path path;
  WalkValue(prior, path, [&](const Path& at, const Value& old) {
    if (!valid) {
      return false;
    }
    const Result<Value> configured = at.Apply(config);
    if (!configured) {
      valid = false;
      return false;
    }
    if (EqualUnrefined(*configured, old)) {
      return false;
    }
    // Elements of a nested set cannot be paired any further.
    if (configured->type().is_set()) {
      valid = false;
      return false;
    }
    const Attribute* attribute = schema.Find(at);
    if (attribute == nullptr || attribute->nested != nullptr) {
      return true;
    }
    valid = attribute->computed && configured->IsNull();
    return false;
  });
  return valid;
}

Value ProposeSet(const ObjectSchema& schema, const Value& prior, const Value& config) {
  std::span<const Value> old;
  if (prior.IsKnown() && !prior.IsNull()) {
    old = prior.elements();
  }
  std::vector<bool> used(old.size());
  std::vector<Value> values;
  values.reserve(config.size());
  const Value absent = Value::Null(config.type().element());
  for (const Value& element : config.elements()) {
    const Value* match = &absent;
    for (size_t i = 0; i < old.size(); ++i) {
      if (!used[i] && MatchesConfiguration(schema, old[i], element)) {
        used[i] = true;
        match = &old[i];
        break;
      }
    }
    values.push_back(ProposeObject(schema, *match, element));
  }
  return SequenceLike(config, std::move(values));
}

Value ProposeList(const ObjectSchema& schema, const Value& prior, const Value& config) {
  std::vector<Value> values;
  values.reserve(config.size());
  for (size_t i = 0; i < config.size(); ++i) {
    const Value& element = config.elements()[i];
    if (!prior.IsKnown()) {
      values.push_back(ProposeObject(schema, Value::Unknown(element.type()), element));
    } else if (prior.IsNull() || i >= prior.size()) {
      values.push_back(element);
    } else {
      values.push_back(ProposeObject(schema, prior.elements()[i], element));
    }
  }
  return SequenceLike(config, std::move(values));
}

Value ProposeMap(const ObjectSchema& schema, const Value& prior, const Value& config) {
  std::vector<Value> values;
  values.reserve(config.size());
  const bool has_prior = prior.IsKnown() && !prior.IsNull();
  for (size_t i = 0; i < config.size(); ++i) {
    const Value& element = config.elements()[i];
    const Value* old = has_prior ? prior.Find(config.key(i)) : nullptr;
    values.push_back(old == nullptr ? element : ProposeObject(schema, *old, element));
  }
  return SequenceLike(config, std::move(values));
}

Value ProposeNested(const ObjectSchema& schema, Nesting nesting, const Value& prior,
                    const Value& config) {
  if (!config.IsKnown()) {
    return config;
  }
  if (nesting == Nesting::kGroup) {
    return ProposeObject(schema, prior, config);
  }
  if (config.IsNull()) {
    return config;
  }
  if (nesting == Nesting::kSingle) {
    return ProposeObject(schema, prior, config);
  }
  if (config.size() == 0) {
    return config;
  }
  switch (nesting) {
    case Nesting::kList:
      return ProposeList(schema, prior, config);
    case Nesting::kSet:
      return ProposeSet(schema, prior, config);
    default:
      return ProposeMap(schema, prior, config);
  }
}

}  // namespace

Value ProposeNew(const Block& schema, const Value& prior, const Value& config) {
  if (config.IsNull() && prior.IsNull()) {
    return prior;
  }
  Value before = prior.IsNull() ? schema.EmptyValue() : prior;
  if (config.IsNull() || !config.IsKnown()) {
    return before;
  }
  return ProposeMembers({&schema, nullptr}, before, config);
}

Value ProposeUnknown(const Block& schema, const Value& config) {
  Value before = Value::Unknown(schema.implied_type());
  if (config.IsNull() || !config.IsKnown()) {
    return before;
  }
  return ProposeMembers({&schema, nullptr}, before, config);
}

namespace {

Value UnknownStub(const Block& schema) {
  std::vector<std::pair<std::string, Value>> values;
  for (const Attribute& attribute : schema.attributes) {
    values.emplace_back(attribute.name, Value::Unknown(attribute.type));
  }
  for (const NestedBlock& nested : schema.blocks) {
    Value stub = nested.nesting == Nesting::kMap ? Value() : UnknownStub(nested.block);
    const Type type = stub.type();
    switch (nested.nesting) {
      case Nesting::kList:
      case Nesting::kSet: {
        std::vector<Value> one;
        one.push_back(std::move(stub));
        stub = nested.nesting == Nesting::kList ? Value::List(type, std::move(one))
                                                : Value::Set(type, std::move(one));
        break;
      }
      case Nesting::kMap:
        stub = Value::Map(nested.block.implied_type(), {});
        break;
      default:
        break;
    }
    values.emplace_back(nested.name, std::move(stub));
  }
  return Value::Object(std::move(values));
}

/// Whether NormalizeObject() would change nothing, which is so for nearly all objects.
bool IsNormal(const Value& value, const Block& schema) {
  if (schema.blocks.empty() || value.IsNull()) {
    return true;
  }
  return std::ranges::all_of(schema.blocks, [&](const NestedBlock& nested) {
    const bool single = nested.nesting == Nesting::kSingle;
    if (nested.block.implied_type().has_dynamic() || nested.nesting == Nesting::kMap) {
      return true;
    }
    const Value part = AttributeOf(value, nested.name);
    if (!part.IsKnown() || (part.IsNull() && !single)) {
      return false;
    }
    if (single || nested.nesting == Nesting::kGroup) {
      return IsNormal(part, nested.block);
    }
    return std::ranges::all_of(part.elements(), [&](const Value& element) {
      return element.IsKnown() && IsNormal(element, nested.block);
    });
  });
}

Value NormalizeObject(const Value& value, const Block& schema);

Value NormalizeBlock(const Value& value, const NestedBlock& nested) {
  if (nested.block.implied_type().has_dynamic() || nested.nesting == Nesting::kMap) {
    return value;
  }
  const bool single = nested.nesting == Nesting::kSingle || nested.nesting == Nesting::kGroup;
  if (!value.IsKnown()) {
    Value stub = UnknownStub(nested.block);
    if (single) {
      return stub;
    }
    const Type type = stub.type();
    std::vector<Value> one;
    one.push_back(std::move(stub));
    return nested.nesting == Nesting::kList ? Value::List(type, std::move(one))
                                            : Value::Set(type, std::move(one));
  }
  if (single) {
    return value.IsNull() && nested.nesting == Nesting::kGroup
               ? nested.EmptyValue()
               : NormalizeObject(value, nested.block);
  }
  if (value.IsNull() || value.size() == 0) {
    return nested.EmptyValue();
  }
  std::vector<Value> elements;
  elements.reserve(value.size());
  for (const Value& element : value.elements()) {
    elements.push_back(NormalizeObject(element, nested.block));
  }
  return SequenceLike(value, std::move(elements));
}

Value NormalizeObject(const Value& value, const Block& schema) {
  if (value.IsNull()) {
    return Value::Null(schema.implied_type());
  }
  const Type type = value.type();
  std::vector<Value> values;
  values.reserve(type.attributes().size());
  for (const ObjectAttribute& attribute : type.attributes()) {
    const NestedBlock* nested = schema.FindBlock(attribute.name);
    Value part = AttributeOf(value, attribute.name);
    values.push_back(nested == nullptr ? std::move(part) : NormalizeBlock(part, *nested));
  }
  return ObjectLike(type, std::move(values));
}

}  // namespace

Value NormalizeLegacyObject(const Value& value, const Block& schema) {
  if (IsNormal(value, schema)) {
    return value;
  }
  if (!value.ContainsMarked()) {
    return NormalizeObject(value, schema);
  }
  std::vector<PathMarks> marks;
  const Value unmarked = value.UnmarkDeepWithPaths(&marks);
  return NormalizeObject(unmarked, schema).MarkWithPaths(marks);
}

}  // namespace kinu::schema
