#include "schema/marks.h"

#include <utility>
#include <vector>

#include "cty/ops.h"
#include "schema/object_parts.h"

namespace kinu::schema {
namespace {

// Rebuilds a value with some attributes changed: Rule::Applies() selects them, Rule::Change()
// returns the new value.
template <typename Rule>
class AttributeChange {
 public:
  Value Block(const schema::Block& block, const Value& value) const {
    if (!Rule::OccursIn(block) || value.IsNull() || !value.IsKnown()) {
      return value;
    }
    return Members(value, [&](std::string_view name, const Value& part) {
      if (const Attribute* attribute = block.FindAttribute(name)) {
        return One(*attribute, part);
      }
      const NestedBlock* nested = block.FindBlock(name);
      if (nested == nullptr || !Rule::OccursIn(nested->block)) {
        return part;
      }
      return Each(nested->nesting, part,
                  [&](const Value& element) { return Block(nested->block, element); });
    });
  }

 private:
  template <typename F>
  static Value Members(const Value& value, F&& change) {
    const MarkSet marks = value.marks();
    const Type type = value.type();
    std::vector<Value> parts;
    parts.reserve(value.size());
    for (size_t i = 0; i < value.size(); ++i) {
      parts.push_back(change(type.attributes()[i].name, value.elements()[i]));
    }
    Value result = ObjectLike(type, std::move(parts));
    return marks.empty() ? result : result.WithMarks(marks);
  }

  template <typename F>
  static Value Each(Nesting nesting, const Value& value, F&& change) {
    if (value.IsNull() || !value.IsKnown()) {
      return value;
    }
    if (nesting == Nesting::kSingle || nesting == Nesting::kGroup) {
      return change(value);
    }
    const MarkSet marks = value.marks();
    std::vector<Value> elements;
    elements.reserve(value.size());
    for (const Value& element : value.elements()) {
      elements.push_back(change(element));
    }
    if (elements.empty()) {
      return value;
    }
    Value result = SequenceLike(value, std::move(elements));
    return marks.empty() ? result : result.WithMarks(marks);
  }

  Value One(const Attribute& attribute, const Value& value) const {
    if (Rule::Applies(attribute)) {
      return Rule::Change(attribute, value);
    }
    if (attribute.nested == nullptr) {
      return value;
    }
    return Each(attribute.nested->nesting, value, [&](const Value& element) {
      if (element.IsNull() || !element.IsKnown()) {
        return element;
      }
      return Members(element, [&](std::string_view name, const Value& part) {
        const Attribute* member = attribute.nested->Find(name);
        return member == nullptr ? part : One(*member, part);
      });
    });
  }
};

struct SensitiveRule {
  static bool OccursIn(const Block& block) { return block.has_sensitive(); }
  static bool Applies(const Attribute& attribute) { return attribute.sensitive; }
  static Value Change(const Attribute&, const Value& value) {
    return value.WithMarks(MarkSet::Sensitive());
  }
};

struct WriteOnlyRule {
  static bool OccursIn(const Block& block) { return block.has_write_only(); }
  static bool Applies(const Attribute& attribute) { return attribute.write_only; }
  static Value Change(const Attribute& attribute, const Value&) {
    return Value::Null(attribute.type);
  }
};

class WriteOnlyFinder {
 public:
  void Block(const schema::Block& block, const Value& value, const Path& path) {
    if (!block.has_write_only() || value.IsNull() || !value.IsKnown()) {
      return;
    }
    for (const Attribute& attribute : block.attributes) {
      One(attribute, value.Attribute(attribute.name), path.Attribute(attribute.name));
    }
    for (const NestedBlock& nested : block.blocks) {
      Each(nested.nesting, value.Attribute(nested.name), path.Attribute(nested.name),
           [&](const Value& element, const Path& at) { Block(nested.block, element, at); });
    }
  }
  std::vector<Path> found;

 private:
  void One(const Attribute& attribute, const Value& value, const Path& path) {
    if (attribute.write_only) {
      if (!value.IsNull()) {
        found.push_back(path);
      }
      return;
    }
    if (attribute.nested == nullptr) {
      return;
    }
    Each(attribute.nested->nesting, value, path, [&](const Value& element, const Path& at) {
      if (element.IsNull() || !element.IsKnown()) {
        return;
      }
      for (const Attribute& member : attribute.nested->attributes) {
        One(member, element.Attribute(member.name), at.Attribute(member.name));
      }
    });
  }

  template <typename F>
  static void Each(Nesting nesting, const Value& value, const Path& path, F&& visit) {
    if (value.IsNull() || !value.IsKnown() || nesting == Nesting::kSet) {
      return;
    }
    if (nesting == Nesting::kSingle || nesting == Nesting::kGroup) {
      return visit(value, path);
    }
    for (size_t i = 0; i < value.size(); ++i) {
      Path at = path;
      at.Push(StepToElement(value, i));
      visit(value.elements()[i], at);
    }
  }
};

}  // namespace

std::vector<Path> PresentWriteOnly(const Block& block, const Value& value) {
  WriteOnlyFinder finder;
  finder.Block(block, value, {});
  return std::move(finder.found);
}

Value MarkSensitive(const Block& block, const Value& value) {
  return AttributeChange<SensitiveRule>().Block(block, value);
}

Value WithoutWriteOnly(const Block& block, const Value& value) {
  return AttributeChange<WriteOnlyRule>().Block(block, value);
}

Value UnknownObject(const Block& block) {
  std::vector<Value> parts;
  for (const ObjectAttribute& attribute : block.implied_type().attributes()) {
    parts.push_back(Value::Unknown(attribute.type));
  }
  return Value::ObjectOf(block.implied_type(), std::move(parts));
}

}  // namespace kinu::schema
