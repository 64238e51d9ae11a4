// Checks of planned and of applied objects. Messages say what differs at a path and never show a
// sensitive value. Ref: opentofu internal/plans/objchange/plan_valid.go, compatible.go.
#include <functional>
#include <string>
#include <utility>

#include "cty/convert.h"
#include "cty/ops.h"
#include "schema/object_parts.h"
#include "schema/propose.h"
#include "text/quote.h"

namespace kinu::schema {
namespace {

using Errors = std::vector<ValueError>;

void Add(Errors& errors, const Path& path, std::string message) {
  errors.push_back(ValueError{path, std::move(message)});
}

std::string Counts(const char* what, size_t a, const char* between, size_t b) {
  return std::string(what) + std::to_string(a) + between + std::to_string(b);
}

const std::string& NameOf(const Block::Member& member) {
  return member.attribute != nullptr ? member.attribute->name : member.nested->name;
}

// --- A planned object against configuration and prior state ---

class PlanCheck {
 public:
  explicit PlanCheck(Errors& errors) : errors_(errors) {}

  void Object(const Block& schema, const Value& prior, const Value& config, const Value& planned,
              const Path& path) {
    if (planned.IsNull() && !config.IsNull()) {
      Add(errors_, path, "planned for absence but config wants existence");
      return;
    }
    if (config.IsNull() && !planned.IsNull()) {
      Add(errors_, path, "planned for existence but config wants absence");
      return;
    }
    if (planned.IsNull()) {
      return;
    }
    const auto members = schema.members();
    for (size_t i = 0; i < members.size(); ++i) {
      const std::string& name = NameOf(members[i]);
      const auto part = [&](const Value& value) { return PartAt(value, i, members.size(), name); };
      const Value planned_part = part(planned);
      const Value config_part = part(config);
      if (planned_part.SameRepresentation(config_part)) {
        continue;
      }
      if (members[i].attribute != nullptr) {
        AttributeValue(*members[i].attribute, part(prior), config_part, planned_part,
                       path.Attribute(name));
      } else {
        NestedBlocks(*members[i].nested, part(prior), config_part, planned_part,
                     path.Attribute(name));
      }
    }
  }

 private:
  void Attributes(const std::vector<Attribute>& attributes, const Value& prior, const Value& config,
                  const Value& planned, const Path& path) {
    for (const Attribute& attribute : attributes) {
      const Value planned_value = Part(planned, attribute.name);
      const Value config_value = Part(config, attribute.name);
      if (planned_value.SameRepresentation(config_value)) {
        continue;
      }
      AttributeValue(attribute, Part(prior, attribute.name), config_value, planned_value,
                     path.Attribute(attribute.name));
    }
  }

  void AttributeValue(const Attribute& attribute, const Value& prior, const Value& config,
                      const Value& planned, const Path& path) {
    if (EqualUnrefined(planned, config)) {
      return;
    }
    // A provider may keep the prior value where it means the same as the configured one.
    if (!prior.IsNull() && !config.IsNull() && EqualUnrefined(planned, prior)) {
      return;
    }
    if (attribute.computed && (!attribute.optional || config.IsNull())) {
      return;
    }
    if (config.IsNull() && !planned.IsNull()) {
      Add(errors_, path,
          attribute.sensitive
              ? "sensitive planned value for a non-computed attribute"
              : "planned value " + GoString(planned) + " for a non-computed attribute");
      return;
    }
    if (!config.IsNull() && planned.IsNull() && attribute.write_only) {
      return;
    }
    if (attribute.nested != nullptr) {
      Nested(*attribute.nested, prior, config, planned, path);
      return;
    }
    std::string message = attribute.sensitive
                              ? "sensitive planned value does not match config value"
                              : "planned value " + GoString(planned) +
                                    " does not match config value " + GoString(config);
    if (!prior.IsNull()) {
      message += attribute.sensitive ? " nor prior value" : " nor prior value " + GoString(prior);
    }
    Add(errors_, path, std::move(message));
  }

  // Both counts when they are known and differ, or one cannot be told: then the rest is not looked
  // at.
  bool SameLength(const Value& planned, const Value& config, const Path& path) {
    const Value planned_length = Length(planned);
    const Value config_length = Length(config);
    if (!planned_length.IsKnown() && !config_length.IsKnown()) {
      return false;
    }
    const Value equal = Equals(planned_length, config_length);
    if (equal.IsKnown() && equal.AsBool()) {
      return true;
    }
    Add(errors_, path,
        "count in plan (" + GoString(planned_length) + ") disagrees with count in config (" +
            GoString(config_length) + ")");
    return false;
  }

  void Nested(const NestedAttributes& schema, const Value& prior, const Value& config,
              const Value& planned, const Path& path) {
    if (planned.IsNull() && !config.IsNull()) {
      Add(errors_, path, "planned for absence but config wants existence");
      return;
    }
    if (config.IsNull() && !planned.IsNull()) {
      Add(errors_, path, "planned for existence but config wants absence");
      return;
    }
    if (!config.IsNull() && !planned.IsKnown()) {
      Add(errors_, path, "planned unknown for configured value");
      return;
    }
    if (planned.IsNull()) {
      return;
    }
    switch (schema.nesting) {
      case Nesting::kSingle:
      case Nesting::kGroup:
        Attributes(schema.attributes, prior, config, planned, path);
        break;
      case Nesting::kList:
        if (config.IsKnown() ? SameLength(planned, config, path) : false) {
          for (size_t i = 0; i < planned.size(); ++i) {
            Attributes(schema.attributes, ElementOr(prior, i), config.elements()[i],
                       planned.elements()[i], path.Index(static_cast<int64_t>(i)));
          }
        }
        break;
      case Nesting::kMap:
        if (SameLength(planned, config, path) && config.IsKnown()) {
          for (size_t i = 0; i < planned.size(); ++i) {
            const std::string_view key = planned.key(i);
            const Value* configured = config.Find(key);
            if (configured == nullptr) {
              Add(errors_, path,
                  "map key " + text::GoQuote(key) + " from plan is not present in config");
              continue;
            }
            Attributes(schema.attributes, EntryOr(prior, key), *configured, planned.elements()[i],
                       path.Attribute(key));
          }
          for (size_t i = 0; i < config.size(); ++i) {
            if (planned.Find(config.key(i)) == nullptr) {
              Add(errors_, path,
                  "map key " + text::GoQuote(config.key(i)) +
                      " from config is not present in plan");
            }
          }
        }
        break;
      case Nesting::kSet: {
        // Elements of two sets have no correspondence that could be checked, only their number.
        const Value planned_length = Length(planned);
        const Value config_length = Length(config);
        const Value equal = Equals(planned_length, config_length);
        if (equal.IsKnown() && !equal.AsBool()) {
          Add(errors_, path,
              "count in plan (" + GoString(planned_length) + ") disagrees with count in config (" +
                  GoString(config_length) + ")");
        }
        break;
      }
    }
  }

  static Value ElementOr(const Value& list, size_t i) {
    return list.IsKnown() && !list.IsNull() && i < list.size() ? list.elements()[i] : Value();
  }
  static Value EntryOr(const Value& map, std::string_view key) {
    const Value* found = map.IsKnown() && !map.IsNull() ? map.Find(key) : nullptr;
    return found == nullptr ? Value() : *found;
  }

  bool ElementsKnown(const Value& element, const Path& path) {
    if (element.IsKnown()) {
      return true;
    }
    Add(errors_, path,
        "element representing nested block must not be unknown itself; set nested attribute values "
        "to unknown instead");
    return false;
  }

  void NestedBlocks(const NestedBlock& schema, const Value& prior, const Value& config,
                    const Value& planned, const Path& path) {
    if (Value::RawEquals(planned, config)) {
      return;
    }
    if (!config.IsKnown()) {
      Add(errors_, path, "planned value " + GoString(planned) + " for unknown dynamic block");
      return;
    }
    if (!planned.IsKnown()) {
      Add(errors_, path,
          "attribute representing nested block must not be unknown itself; set nested attribute "
          "values to unknown instead");
      return;
    }
    if (schema.nesting == Nesting::kSingle || schema.nesting == Nesting::kGroup) {
      Object(schema.block, prior, config, planned, path);
      return;
    }
    if (planned.IsNull()) {
      const char* kind = schema.nesting == Nesting::kList  ? "list"
                         : schema.nesting == Nesting::kMap ? "map"
                                                           : "set";
      Add(errors_, path,
          std::string("attribute representing a ") + kind +
              " of nested blocks must be empty to indicate no blocks, not null");
      return;
    }
    switch (schema.nesting) {
      case Nesting::kList:
        BlockList(schema, prior, config, planned, path);
        break;
      case Nesting::kMap:
        BlockMap(schema, prior, config, planned, path);
        break;
      default:
        for (const Value& element : planned.elements()) {
          ElementsKnown(element, path.Index(element));
        }
        break;
    }
  }

  void BlockList(const NestedBlock& schema, const Value& prior, const Value& config,
                 const Value& planned, const Path& path) {
    const size_t configured = config.IsNull() ? 0 : config.size();
    if (planned.size() != configured) {
      Add(errors_, path,
          Counts("block count in plan (", planned.size(), ") disagrees with count in config (",
                 configured) +
              ")");
      return;
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      const Path at = path.Index(static_cast<int64_t>(i));
      if (ElementsKnown(planned.elements()[i], at)) {
        Object(schema.block, ElementOr(prior, i), config.elements()[i], planned.elements()[i], at);
      }
    }
  }

  void BlockMap(const NestedBlock& schema, const Value& prior, const Value& config,
                const Value& planned, const Path& path) {
    const bool as_object = planned.type().is_object();
    const size_t configured = config.IsNull() ? 0 : config.size();
    if (!as_object && planned.size() != configured) {
      Add(errors_, path,
          Counts("block count in plan (", planned.size(), ") disagrees with count in config (",
                 configured) +
              ")");
      return;
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      const std::string_view key = planned.key(i);
      const Path at = as_object ? path.Attribute(key) : path.Index(Value::NormalizedString(key));
      const Value* wanted = config.IsNull() ? nullptr : config.Find(key);
      if (wanted == nullptr) {
        Add(errors_, path,
            "block key " + text::GoQuote(key) + " from plan is not present in config");
      } else if (ElementsKnown(planned.elements()[i], at)) {
        Object(schema.block, EntryOr(prior, key), *wanted, planned.elements()[i], at);
      }
    }
    for (size_t i = 0; i < configured; ++i) {
      if (planned.Find(config.key(i)) == nullptr) {
        Add(errors_, path,
            "block key " + text::GoQuote(config.key(i)) + " from config is not present in plan");
      }
    }
  }

  Errors& errors_;
};

// --- An applied object against its plan ---

class ApplyCheck {
 public:
  explicit ApplyCheck(Errors& errors) : errors_(errors) {}

  void Object(const Block& schema, const Value& planned, const Value& actual, const Path& path) {
    const std::string what = path.empty() ? "root object " : "";
    if (planned.IsNull() && !actual.IsNull()) {
      Add(errors_, path, what + "was absent, but now present");
      return;
    }
    if (actual.IsNull() && !planned.IsNull()) {
      Add(errors_, path, what + "was present, but now absent");
      return;
    }
    if (planned.IsNull()) {
      return;
    }
    const auto members = schema.members();
    for (size_t i = 0; i < members.size(); ++i) {
      const std::string& name = NameOf(members[i]);
      const Value planned_part = PartAt(planned, i, members.size(), name);
      const Value actual_part = PartAt(actual, i, members.size(), name);
      if (planned_part.SameRepresentation(actual_part)) {
        continue;
      }
      if (members[i].attribute != nullptr) {
        AttributeValue(*members[i].attribute, planned_part, actual_part, path.Attribute(name));
      } else {
        NestedBlocks(*members[i].nested, planned_part.Unmark(), actual_part.Unmark(),
                     path.Attribute(name));
      }
    }
  }

 private:
  void AttributeValue(const Attribute& attribute, const Value& planned, const Value& actual,
                      const Path& path) {
    MarkSet planned_marks;
    MarkSet actual_marks;
    const Value bare_planned = planned.UnmarkDeep(&planned_marks);
    const Value bare_actual = actual.UnmarkDeep(&actual_marks);
    if (!attribute.sensitive && !planned_marks.sensitive() && !actual_marks.sensitive()) {
      Compare(bare_planned, bare_actual, path);
      return;
    }
    Errors hidden;
    ApplyCheck(hidden).Compare(bare_planned, bare_actual, path);
    if (!hidden.empty()) {
      Add(errors_, path, "inconsistent values for sensitive attribute");
    }
  }

  void NestedBlocks(const NestedBlock& schema, const Value& planned, const Value& actual,
                    const Path& path) {
    switch (schema.nesting) {
      case Nesting::kSingle:
      case Nesting::kGroup:
        if (!planned.IsKnown() && actual.IsNull()) {
          return;
        }
        Object(schema.block, planned, actual, path);
        return;
      case Nesting::kList:
        BlockList(schema, planned, actual, path);
        return;
      case Nesting::kMap:
        BlockMap(schema, planned, actual, path);
        return;
      case Nesting::kSet:
        BlockSet(schema, planned, actual, path);
        return;
    }
  }

  static bool Comparable(const Value& planned, const Value& actual) {
    return planned.IsKnown() && actual.IsKnown() && !planned.IsNull() && !actual.IsNull();
  }

  void BlockList(const NestedBlock& schema, const Value& planned, const Value& actual,
                 const Path& path) {
    if (!Comparable(planned, actual)) {
      return;
    }
    if (planned.size() != actual.size()) {
      Add(errors_, path,
          Counts("block count changed from ", planned.size(), " to ", actual.size()));
      return;
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      Object(schema.block, planned.elements()[i], actual.elements()[i],
             path.Index(static_cast<int64_t>(i)));
    }
  }

  void BlockMap(const NestedBlock& schema, const Value& planned, const Value& actual,
                const Path& path) {
    if (!Comparable(planned, actual)) {
      return;
    }
    const bool as_object = planned.type().is_object();
    if (!as_object && planned.size() != actual.size()) {
      Add(errors_, path,
          Counts("block count changed from ", planned.size(), " to ", actual.size()));
      return;
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      const std::string_view key = planned.key(i);
      const Value* now = actual.Find(key);
      if (now != nullptr) {
        Object(schema.block, planned.elements()[i], *now,
               as_object ? path.Attribute(key) : path.Index(Value::NormalizedString(key)));
      } else if (as_object) {
        Add(errors_, path, "block key " + text::GoQuote(key) + " has vanished");
      }
    }
    for (size_t i = 0; as_object && i < actual.size(); ++i) {
      if (planned.Find(actual.key(i)) == nullptr) {
        Add(errors_, path, "new block key " + text::GoQuote(actual.key(i)) + " has appeared");
      }
    }
  }

  void BlockSet(const NestedBlock& schema, const Value& planned, const Value& actual,
                const Path& path) {
    if (!Comparable(planned, actual)) {
      return;
    }
    Sets(planned, actual, path, [&](const Value& a, const Value& b) {
      Errors problems;
      ApplyCheck(problems).Object(schema.block, a, b, path.Index(b));
      return problems.empty();
    });
    if (planned.size() < actual.size()) {
      Add(errors_, path,
          Counts("block set length changed from ", planned.size(), " to ", actual.size()));
    }
  }

  // Each element of one set needs a partner in the other. Equal elements are found by hash; only
  // the rest is tried pairwise.
  template <typename Matches>
  void Sets(const Value& planned, const Value& actual, const Path& path, Matches&& matches) {
    const auto planned_elements = planned.elements();
    const auto actual_elements = actual.elements();
    std::vector<bool> planned_found(planned_elements.size());
    std::vector<bool> actual_found(actual_elements.size());
    FindEqual(planned_elements, actual_elements, planned_found, actual_found);
    for (size_t i = 0; i < planned_elements.size(); ++i) {
      const bool settled = planned_found[i] && planned_elements[i].IsWhollyKnown();
      for (size_t j = 0; j < actual_elements.size() && !settled; ++j) {
        if (!(planned_found[i] && actual_found[j]) &&
            matches(planned_elements[i], actual_elements[j])) {
          planned_found[i] = true;
          actual_found[j] = true;
        }
      }
    }
    const size_t before = errors_.size();
    for (size_t i = 0; i < planned_elements.size(); ++i) {
      if (!planned_found[i]) {
        Add(errors_, path,
            "planned set element " + GoString(planned_elements[i]) +
                " does not correlate with any element in actual");
      }
    }
    if (errors_.size() != before) {
      return;
    }
    for (size_t j = 0; j < actual_elements.size(); ++j) {
      if (!actual_found[j]) {
        Add(errors_, path,
            "actual set element " + GoString(actual_elements[j]) +
                " does not correlate with any element in plan");
      }
    }
  }

  static void FindEqual(std::span<const Value> a, std::span<const Value> b,
                        std::vector<bool>& a_found, std::vector<bool>& b_found) {
    // Both are in the order of sets, so equal known elements meet in one pass.
    size_t i = 0;
    size_t j = 0;
    while (i < a.size() && j < b.size()) {
      if (Value::RawEquals(a[i], b[j])) {
        a_found[i++] = true;
        b_found[j++] = true;
      } else if (Value::SetLess(a[i], b[j])) {
        ++i;
      } else {
        ++j;
      }
    }
  }

 public:
  /// Any two values, without a schema.
  void Compare(const Value& planned, const Value& actual, const Path& path) {
    const Type type = planned.type();
    if (type.is_dynamic()) {
      return;
    }
    const Type actual_type = actual.type();
    if (!(actual_type == type) && !Conforms(actual_type, type)) {
      Add(errors_, path, "wrong final value type: " + MismatchMessage(actual_type, type));
      return;
    }
    if (!planned.IsKnown()) {
      if (!Allows(planned.refinements(), actual)) {
        Add(errors_, path,
            "final value " + GoString(actual) + " does not conform to planning placeholder " +
                GoString(planned));
      }
      return;
    }
    if (actual.IsNull()) {
      if (!planned.IsNull()) {
        Add(errors_, path, "was " + GoString(planned) + ", but now null");
      }
      return;
    }
    if (planned.IsNull()) {
      Add(errors_, path, "was null, but now " + GoString(actual));
      return;
    }
    if (!actual.IsKnown()) {
      Add(errors_, path, "was known, but now unknown");
      return;
    }
    switch (type.kind()) {
      case TypeKind::kBool:
      case TypeKind::kNumber:
      case TypeKind::kString: {
        const Value equal = Equals(actual, planned);
        if (!equal.IsKnown() || !equal.AsBool()) {
          Add(errors_, path, "was " + GoString(planned) + ", but now " + GoString(actual));
        }
        break;
      }
      case TypeKind::kList:
      case TypeKind::kTuple:
        CompareSequences(planned, actual, path);
        break;
      case TypeKind::kMap:
        CompareMaps(planned, actual, path);
        break;
      case TypeKind::kObject:
        for (size_t i = 0; i < planned.size(); ++i) {
          const std::string_view name = planned.key(i);
          if (const Value* now = actual.Find(name)) {
            Compare(planned.elements()[i], *now, path.Attribute(name));
          }
        }
        break;
      case TypeKind::kSet:
        Sets(planned, actual, path, [&](const Value& a, const Value& b) {
          Errors problems;
          ApplyCheck(problems).Compare(a, b, path.Index(b));
          return problems.empty();
        });
        if (planned.size() < actual.size()) {
          Add(errors_, path, Counts("length changed from ", planned.size(), " to ", actual.size()));
        }
        break;
      default:
        break;
    }
  }

 private:
  void CompareSequences(const Value& planned, const Value& actual, const Path& path) {
    for (size_t i = 0; i < planned.size(); ++i) {
      if (i >= actual.size()) {
        Add(errors_, path, "element " + std::to_string(i) + " has vanished");
        continue;
      }
      Compare(planned.elements()[i], actual.elements()[i], path.Index(static_cast<int64_t>(i)));
    }
    for (size_t i = planned.size(); i < actual.size(); ++i) {
      Add(errors_, path, "new element " + std::to_string(i) + " has appeared");
    }
  }

  void CompareMaps(const Value& planned, const Value& actual, const Path& path) {
    for (size_t i = 0; i < planned.size(); ++i) {
      const std::string_view key = planned.key(i);
      const Value* now = actual.Find(key);
      if (now == nullptr) {
        Add(errors_, path, "element " + text::GoQuote(key) + " has vanished");
        continue;
      }
      Compare(planned.elements()[i], *now, path.Index(Value::NormalizedString(key)));
    }
    for (size_t i = 0; i < actual.size(); ++i) {
      if (planned.Find(actual.key(i)) == nullptr) {
        Add(errors_, path, "new element " + text::GoQuote(actual.key(i)) + " has appeared");
      }
    }
  }

  // Whether a type is another one with its dynamic parts decided.
  static bool Conforms(const Type& given, const Type& wanted) {
    if (wanted.is_dynamic() || given == wanted) {
      return true;
    }
    if (given.kind() != wanted.kind()) {
      return false;
    }
    switch (given.kind()) {
      case TypeKind::kList:
      case TypeKind::kSet:
      case TypeKind::kMap:
        return Conforms(given.element(), wanted.element());
      case TypeKind::kTuple:
        if (given.elements().size() != wanted.elements().size()) {
          return false;
        }
        for (size_t i = 0; i < given.elements().size(); ++i) {
          if (!Conforms(given.elements()[i], wanted.elements()[i])) {
            return false;
          }
        }
        return true;
      case TypeKind::kObject:
        if (given.attributes().size() != wanted.attributes().size()) {
          return false;
        }
        for (size_t i = 0; i < given.attributes().size(); ++i) {
          const ObjectAttribute& a = given.attributes()[i];
          const ObjectAttribute& b = wanted.attributes()[i];
          if (a.name != b.name || !Conforms(a.type, b.type)) {
            return false;
          }
        }
        return true;
      default:
        return false;
    }
  }

  // Whether a value is one of those that a refined unknown stood for, as far as can be told.
  static bool Allows(const Refinements& refinements, const Value& actual) {
    if (actual.IsNull()) {
      return !refinements.not_null;
    }
    if (!actual.IsKnown()) {
      return true;
    }
    const Type type = actual.type();
    if (type == Type::String()) {
      return actual.AsString().starts_with(refinements.prefix);
    }
    if (type == Type::Number()) {
      const Number number = actual.AsNumber();
      if (refinements.min) {
        const int order = Number::Compare(number, *refinements.min);
        if (order < 0 || (order == 0 && !refinements.min_inclusive)) {
          return false;
        }
      }
      if (refinements.max) {
        const int order = Number::Compare(number, *refinements.max);
        if (order > 0 || (order == 0 && !refinements.max_inclusive)) {
          return false;
        }
      }
      return true;
    }
    if (type.is_collection()) {
      const Refinements exact = actual.refinements();
      return exact.max_length >= refinements.min_length &&
             exact.min_length <= refinements.max_length;
    }
    return true;
  }

  Errors& errors_;
};

}  // namespace

std::vector<ValueError> CheckPlanned(const Block& schema, const Value& prior, const Value& config,
                                     const Value& planned) {
  Errors errors;
  PlanCheck(errors).Object(schema, prior, config, planned, Path());
  return errors;
}

std::vector<ValueError> CheckCompatible(const Block& schema, const Value& planned,
                                        const Value& actual) {
  Errors errors;
  ApplyCheck(errors).Object(schema, planned, actual, Path());
  return errors;
}

}  // namespace kinu::schema
