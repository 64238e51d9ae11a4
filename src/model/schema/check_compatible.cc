// Checks an applied object against its plan. Messages never show a sensitive value. Ref: opentofu
// internal/plans/objchange/compatible.go.
#include <string>
#include <utility>

#include "cty/conversion.h"
#include "cty/ops.h"
#include "schema/check_errors.h"
#include "schema/object_parts.h"
#include "schema/propose.h"
#include "text/quote.h"

namespace kinu::schema {
namespace {

class ApplyCheck {
 public:
  explicit ApplyCheck(Errors& errors) : errors_(errors) {}

  void CheckObject(const Block& schema, const Value& planned, const Value& actual,
                   const Path& path) {
    const std::string what = path.empty() ? "root object " : "";
    if (planned.IsNull() && !actual.IsNull()) {
      AddError(errors_, path, what + "was absent, but now present");
      return;
    }
    if (actual.IsNull() && !planned.IsNull()) {
      AddError(errors_, path, what + "was present, but now absent");
      return;
    }
    if (planned.IsNull()) {
      return;
    }
    const auto members = schema.members();
    for (size_t i = 0; i < members.size(); ++i) {
      const std::string& name = NameOf(members[i]);
      const Value planned_part = AttributeAt(planned, i, members.size(), name);
      const Value actual_part = AttributeAt(actual, i, members.size(), name);
      if (planned_part.SameRepresentation(actual_part)) {
        continue;
      }
      if (members[i].attribute != nullptr) {
        CheckAttribute(*members[i].attribute, planned_part, actual_part, path.Attribute(name));
      } else {
        CheckNestedBlocks(*members[i].nested, planned_part.Unmark(), actual_part.Unmark(),
                          path.Attribute(name));
      }
    }
  }

 private:
  void CheckAttribute(const Attribute& attribute, const Value& planned, const Value& actual,
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
      AddError(errors_, path, "inconsistent values for sensitive attribute");
    }
  }

  void CheckNestedBlocks(const NestedBlock& schema, const Value& planned, const Value& actual,
                         const Path& path) {
    switch (schema.nesting) {
      case Nesting::kSingle:
      case Nesting::kGroup:
        if (!planned.IsKnown() && actual.IsNull()) {
          return;
        }
        CheckObject(schema.block, planned, actual, path);
        return;
      case Nesting::kList:
        CheckBlockList(schema, planned, actual, path);
        return;
      case Nesting::kMap:
        CheckBlockMap(schema, planned, actual, path);
        return;
      case Nesting::kSet:
        CheckBlockSet(schema, planned, actual, path);
        return;
    }
  }

  static bool Comparable(const Value& planned, const Value& actual) {
    return planned.IsKnown() && actual.IsKnown() && !planned.IsNull() && !actual.IsNull();
  }

  void CheckBlockList(const NestedBlock& schema, const Value& planned, const Value& actual,
                      const Path& path) {
    if (!Comparable(planned, actual)) {
      return;
    }
    if (planned.size() != actual.size()) {
      AddError(errors_, path,
               CountMessage("block count changed from ", planned.size(), " to ", actual.size()));
      return;
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      CheckObject(schema.block, planned.elements()[i], actual.elements()[i],
                  path.Index(static_cast<int64_t>(i)));
    }
  }

  void CheckBlockMap(const NestedBlock& schema, const Value& planned, const Value& actual,
                     const Path& path) {
    if (!Comparable(planned, actual)) {
      return;
    }
    const bool as_object = planned.type().is_object();
    if (!as_object && planned.size() != actual.size()) {
      AddError(errors_, path,
               CountMessage("block count changed from ", planned.size(), " to ", actual.size()));
      return;
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      const std::string_view key = planned.key(i);
      const Value* now = actual.Find(key);
      if (now != nullptr) {
        CheckObject(schema.block, planned.elements()[i], *now,
                    as_object ? path.Attribute(key) : path.Index(Value::NormalizedString(key)));
      } else if (as_object) {
        AddError(errors_, path, "block key " + text::GoQuote(key) + " has vanished");
      }
    }
    for (size_t i = 0; as_object && i < actual.size(); ++i) {
      if (planned.Find(actual.key(i)) == nullptr) {
        AddError(errors_, path, "new block key " + text::GoQuote(actual.key(i)) + " has appeared");
      }
    }
  }

  void CheckBlockSet(const NestedBlock& schema, const Value& planned, const Value& actual,
                     const Path& path) {
    if (!Comparable(planned, actual)) {
      return;
    }
    CompareSets(planned, actual, path, [&](const Value& a, const Value& b) {
      Errors problems;
      ApplyCheck(problems).CheckObject(schema.block, a, b, path.Index(b));
      return problems.empty();
    });
    if (planned.size() < actual.size()) {
      AddError(
          errors_, path,
          CountMessage("block set length changed from ", planned.size(), " to ", actual.size()));
    }
  }

  // Each element of one set needs a partner in the other. One merge of both finds equal elements;
  // only the others are compared pair by pair.
  template <typename Matches>
  void CompareSets(const Value& planned, const Value& actual, const Path& path, Matches&& matches) {
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
        AddError(errors_, path,
                 "planned set element " + GoString(planned_elements[i]) +
                     " does not correlate with any element in actual");
      }
    }
    if (errors_.size() != before) {
      return;
    }
    for (size_t j = 0; j < actual_elements.size(); ++j) {
      if (!actual_found[j]) {
        AddError(errors_, path,
                 "actual set element " + GoString(actual_elements[j]) +
                     " does not correlate with any element in plan");
      }
    }
  }

  static void FindEqual(std::span<const Value> a, std::span<const Value> b,
                        std::vector<bool>& a_found, std::vector<bool>& b_found) {
    // Both spans are in set order, so that one merge finds the equal known elements.
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
  /// Compares two values of any type, without a schema.
  void Compare(const Value& planned, const Value& actual, const Path& path) {
    const Type type = planned.type();
    if (type.is_dynamic()) {
      return;
    }
    const Type actual_type = actual.type();
    if (!(actual_type == type) && !Conforms(actual_type, type)) {
      AddError(errors_, path, "wrong final value type: " + MismatchMessage(actual_type, type));
      return;
    }
    if (!planned.IsKnown()) {
      if (!Allows(planned.refinements(), actual)) {
        AddError(errors_, path,
                 "final value " + GoString(actual) + " does not conform to planning placeholder " +
                     GoString(planned));
      }
      return;
    }
    if (actual.IsNull()) {
      if (!planned.IsNull()) {
        AddError(errors_, path, "was " + GoString(planned) + ", but now null");
      }
      return;
    }
    if (planned.IsNull()) {
      AddError(errors_, path, "was null, but now " + GoString(actual));
      return;
    }
    if (!actual.IsKnown()) {
      AddError(errors_, path, "was known, but now unknown");
      return;
    }
    switch (type.kind()) {
      case TypeKind::kBool:
      case TypeKind::kNumber:
      case TypeKind::kString: {
        const Value equal = Equals(actual, planned);
        if (!equal.IsKnown() || !equal.AsBool()) {
          AddError(errors_, path, "was " + GoString(planned) + ", but now " + GoString(actual));
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
        CompareSets(planned, actual, path, [&](const Value& a, const Value& b) {
          Errors problems;
          ApplyCheck(problems).Compare(a, b, path.Index(b));
          return problems.empty();
        });
        if (planned.size() < actual.size()) {
          AddError(errors_, path,
                   CountMessage("length changed from ", planned.size(), " to ", actual.size()));
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
        AddError(errors_, path, "element " + std::to_string(i) + " has vanished");
        continue;
      }
      Compare(planned.elements()[i], actual.elements()[i], path.Index(static_cast<int64_t>(i)));
    }
    for (size_t i = planned.size(); i < actual.size(); ++i) {
      AddError(errors_, path, "new element " + std::to_string(i) + " has appeared");
    }
  }

  void CompareMaps(const Value& planned, const Value& actual, const Path& path) {
    for (size_t i = 0; i < planned.size(); ++i) {
      const std::string_view key = planned.key(i);
      const Value* now = actual.Find(key);
      if (now == nullptr) {
        AddError(errors_, path, "element " + text::GoQuote(key) + " has vanished");
        continue;
      }
      Compare(planned.elements()[i], *now, path.Index(Value::NormalizedString(key)));
    }
    for (size_t i = 0; i < actual.size(); ++i) {
      if (planned.Find(actual.key(i)) == nullptr) {
        AddError(errors_, path, "new element " + text::GoQuote(actual.key(i)) + " has appeared");
      }
    }
  }

  // Whether `given` is `wanted` with types in the place of its dynamic parts.
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

  // Whether `actual` fits the refinements of the unknown value that was planned. True when that
  // cannot be decided.
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

std::vector<ValueError> CheckCompatible(const Block& schema, const Value& planned,
                                        const Value& actual) {
  Errors errors;
  ApplyCheck(errors).CheckObject(schema, planned, actual, Path());
  return errors;
}

}  // namespace kinu::schema
