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
  Value ChangeBlock(const schema::Block& block, const Value& value) const {
    if (!Rule::OccursIn(block) || value.IsNull() || !value.IsKnown()) {
      return value;
    }
    return ChangeMembers(value, [&](std::string_view name, const Value& part) {
      if (const Attribute* attribute = block.FindAttribute(name)) {
        return ChangeAttribute(*attribute, part);
      }
      const NestedBlock* nested = block.FindBlock(name);
      if (nested == nullptr || !Rule::OccursIn(nested->block)) {
        return part;
      }
      return ChangeEach(nested->nesting, part,
                        [&](const Value& element) { return ChangeBlock(nested->block, element); });
    });
  }

 private:
  template <typename F>
  static Value ChangeMembers(const Value& value, F&& change) {
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
  static Value ChangeEach(Nesting nesting, const Value& value, F&& change) {
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

  Value ChangeAttribute(const Attribute& attribute, const Value& value) const {
    if (Rule::Applies(attribute)) {
      return Rule::Change(attribute, value);
    }
    if (attribute.nested == nullptr) {
      return value;
    }
    return ChangeEach(attribute.nested->nesting, value, [&](const Value& element) {
      if (element.IsNull() || !element.IsKnown()) {
        return element;
      }
      return ChangeMembers(element, [&](std::string_view name, const Value& part) {
        const Attribute* member = attribute.nested->Find(name);
        return member == nullptr ? part : ChangeAttribute(*member, part);
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
  /// What the configuration marks stays marked, so that the next plan sees no change of
  /// sensitivity. Ephemeral values may be written only.
  static Value Change(const Attribute& attribute, const Value& value) {
    const MarkSet marks = value.marks().Without(MarkSet::Ephemeral());
    const Value null = Value::Null(attribute.type);
    return marks.empty() ? null : null.WithMarks(marks);
  }
};

class WriteOnlyFinder {
 public:
  void VisitBlock(const schema::Block& block, const Value& value, const Path& path) {
    if (!block.has_write_only() || value.IsNull() || !value.IsKnown()) {
      return;
    }
    for (const Attribute& attribute : block.attributes) {
      VisitAttribute(attribute, value.Attribute(attribute.name), path.Attribute(attribute.name));
    }
    for (const NestedBlock& nested : block.blocks) {
      VisitEach(
          nested.nesting, value.Attribute(nested.name), path.Attribute(nested.name),
          [&](const Value& element, const Path& at) { VisitBlock(nested.block, element, at); });
    }
  }
  std::vector<Path> found;

 private:
  void VisitAttribute(const Attribute& attribute, const Value& value, const Path& path) {
    if (attribute.write_only) {
      if (!value.IsNull()) {
        found.push_back(path);
      }
      return;
    }
    if (attribute.nested == nullptr) {
      return;
    }
    VisitEach(attribute.nested->nesting, value, path, [&](const Value& element, const Path& at) {
      if (element.IsNull() || !element.IsKnown()) {
        return;
      }
      for (const Attribute& member : attribute.nested->attributes) {
        VisitAttribute(member, element.Attribute(member.name), at.Attribute(member.name));
      }
    });
  }

  template <typename F>
  static void VisitEach(Nesting nesting, const Value& value, const Path& path, F&& visit) {
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
  finder.VisitBlock(block, value, {});
  return std::move(finder.found);
}

Value MarkSensitive(const Block& block, const Value& value) {
  return AttributeChange<SensitiveRule>().ChangeBlock(block, value);
}

Value WithoutWriteOnly(const Block& block, const Value& value) {
  return AttributeChange<WriteOnlyRule>().ChangeBlock(block, value);
}

Value UnknownObject(const Block& block) {
  std::vector<Value> parts;
  for (const ObjectAttribute& attribute : block.implied_type().attributes()) {
    parts.push_back(Value::Unknown(attribute.type));
  }
  return Value::ObjectOf(block.implied_type(), std::move(parts));
}

}  // namespace kinu::schema
