// Checks a planned object against its configuration. Messages never show a sensitive value. Ref:
// opentofu internal/plans/objchange/plan_valid.go.
#include <string>
#include <utility>

#include "cty/collections.h"
#include "cty/ops.h"
#include "schema/check_errors.h"
#include "schema/object_parts.h"
#include "schema/propose.h"
#include "text/quote.h"

namespace kinu::schema {
namespace {

/// The kind of collection that nested objects make.
TypeKind KindOf(Nesting nesting) {
  switch (nesting) {
    case Nesting::kList:
      return TypeKind::kList;
    case Nesting::kMap:
      return TypeKind::kMap;
    default:
      return TypeKind::kSet;
  }
}

class PlanCheck {
 public:
  explicit PlanCheck(Errors& errors) : errors_(errors) {}

  void CheckObject(const Block& schema, const Value& prior, const Value& config,
                   const Value& planned, const Path& path) {
    if (!CheckExistence(config, planned, path)) {
      return;
    }
    if (planned.IsNull()) {
      return;
    }
    const auto members = schema.members();
    for (size_t i = 0; i < members.size(); ++i) {
      const std::string& name = NameOf(members[i]);
      const auto part = [&](const Value& value) {
        return AttributeAt(value, i, members.size(), name);
      };
      const Value planned_part = part(planned);
      const Value config_part = part(config);
      if (planned_part.SameRepresentation(config_part)) {
        continue;
      }
      if (members[i].attribute != nullptr) {
        CheckAttribute(*members[i].attribute, part(prior), config_part, planned_part,
                       path.Attribute(name));
      } else {
        CheckNestedBlocks(*members[i].nested, part(prior), config_part, planned_part,
                          path.Attribute(name));
      }
    }
  }

 private:
  void CheckAttributes(const std::vector<Attribute>& attributes, const Value& prior,
                       const Value& config, const Value& planned, const Path& path) {
    for (const Attribute& attribute : attributes) {
      const Value planned_value = AttributeOf(planned, attribute.name);
      const Value config_value = AttributeOf(config, attribute.name);
      if (planned_value.SameRepresentation(config_value)) {
        continue;
      }
      CheckAttribute(attribute, AttributeOf(prior, attribute.name), config_value, planned_value,
                     path.Attribute(attribute.name));
    }
  }

  void CheckAttribute(const Attribute& attribute, const Value& prior, const Value& config,
                      const Value& planned, const Path& path) {
    if (EqualUnrefined(planned, config)) {
      return;
    }
    // A provider may return the prior value when it means the same as the configured one.
    if (!prior.IsNull() && !config.IsNull() && EqualUnrefined(planned, prior)) {
      return;
    }
    if (attribute.computed && (!attribute.optional || config.IsNull())) {
      return;
    }
    if (config.IsNull() && !planned.IsNull()) {
      AddError(errors_, path,
               attribute.sensitive
                   ? "sensitive planned value for a non-computed attribute"
                   : "planned value " + GoString(planned) + " for a non-computed attribute");
      return;
    }
    if (!config.IsNull() && planned.IsNull() && attribute.write_only) {
      return;
    }
    if (attribute.nested != nullptr) {
      CheckNested(*attribute.nested, prior, config, planned, path);
      return;
    }
    std::string message = attribute.sensitive
                              ? "sensitive planned value does not match config value"
                              : "planned value " + GoString(planned) +
                                    " does not match config value " + GoString(config);
    if (!prior.IsNull()) {
      message += attribute.sensitive ? " nor prior value" : " nor prior value " + GoString(prior);
    }
    AddError(errors_, path, std::move(message));
  }

  // Compares the number of elements and reports a difference. False: the elements cannot be
  // compared pair by pair, because the counts differ or are unknown.
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
    AddError(errors_, path,
             "count in plan (" + GoString(planned_length) + ") disagrees with count in config (" +
                 GoString(config_length) + ")");
    return false;
  }

  /// Whether both exist or neither does.
  bool CheckExistence(const Value& config, const Value& planned, const Path& path) {
    if (planned.IsNull() == config.IsNull()) {
      return true;
    }
    AddError(errors_, path,
             planned.IsNull() ? "planned for absence but config wants existence"
                              : "planned for existence but config wants absence");
    return false;
  }

  void CheckNested(const NestedAttributes& schema, const Value& prior, const Value& config,
                   const Value& planned, const Path& path) {
    if (!CheckExistence(config, planned, path)) {
      return;
    }
    if (!config.IsNull() && !planned.IsKnown()) {
      AddError(errors_, path, "planned unknown for configured value");
      return;
    }
    if (planned.IsNull()) {
      return;
    }
    switch (schema.nesting) {
      case Nesting::kSingle:
      case Nesting::kGroup:
        CheckAttributes(schema.attributes, prior, config, planned, path);
        break;
      case Nesting::kList:
        if (config.IsKnown() ? SameLength(planned, config, path) : false) {
          for (size_t i = 0; i < planned.size(); ++i) {
            CheckAttributes(schema.attributes, ElementOr(prior, i), config.elements()[i],
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
              AddError(errors_, path,
                       "map key " + text::GoQuote(key) + " from plan is not present in config");
              continue;
            }
            CheckAttributes(schema.attributes, EntryOr(prior, key), *configured,
                            planned.elements()[i], path.Attribute(key));
          }
          for (size_t i = 0; i < config.size(); ++i) {
            if (planned.Find(config.key(i)) == nullptr) {
              AddError(errors_, path,
                       "map key " + text::GoQuote(config.key(i)) +
                           " from config is not present in plan");
            }
          }
        }
        break;
      case Nesting::kSet: {
        // Elements of two sets cannot be paired, so that only their number is compared.
        const Value planned_length = Length(planned);
        const Value config_length = Length(config);
        const Value equal = Equals(planned_length, config_length);
        if (equal.IsKnown() && !equal.AsBool()) {
          AddError(errors_, path,
                   "count in plan (" + GoString(planned_length) +
                       ") disagrees with count in config (" + GoString(config_length) + ")");
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
    AddError(
        errors_, path,
        "element representing nested block must not be unknown itself; set nested attribute values "
        "to unknown instead");
    return false;
  }

  void CheckNestedBlocks(const NestedBlock& schema, const Value& prior, const Value& config,
                         const Value& planned, const Path& path) {
    if (Value::RawEquals(planned, config)) {
      return;
    }
    if (!config.IsKnown()) {
      AddError(errors_, path, "planned value " + GoString(planned) + " for unknown dynamic block");
      return;
    }
    if (!planned.IsKnown()) {
      AddError(
          errors_, path,
          "attribute representing nested block must not be unknown itself; set nested attribute "
          "values to unknown instead");
      return;
    }
    if (schema.nesting == Nesting::kSingle || schema.nesting == Nesting::kGroup) {
      CheckObject(schema.block, prior, config, planned, path);
      return;
    }
    if (planned.IsNull()) {
      AddError(errors_, path,
               "attribute representing a " + std::string(CollectionName(KindOf(schema.nesting))) +
                   " of nested blocks must be empty to indicate no blocks, not null");
      return;
    }
    switch (schema.nesting) {
      case Nesting::kList:
        CheckBlockList(schema, prior, config, planned, path);
        break;
      case Nesting::kMap:
        CheckBlockMap(schema, prior, config, planned, path);
        break;
      default:
        for (const Value& element : planned.elements()) {
          ElementsKnown(element, path.Index(element));
        }
        break;
    }
  }

  void CheckBlockList(const NestedBlock& schema, const Value& prior, const Value& config,
                      const Value& planned, const Path& path) {
    const size_t configured = config.IsNull() ? 0 : config.size();
    if (planned.size() != configured) {
      AddError(errors_, path,
               CountMessage("block count in plan (", planned.size(),
                            ") disagrees with count in config (", configured) +
                   ")");
      return;
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      const Path at = path.Index(static_cast<int64_t>(i));
      if (ElementsKnown(planned.elements()[i], at)) {
        CheckObject(schema.block, ElementOr(prior, i), config.elements()[i], planned.elements()[i],
                    at);
      }
    }
  }

  void CheckBlockMap(const NestedBlock& schema, const Value& prior, const Value& config,
                     const Value& planned, const Path& path) {
    const bool as_object = planned.type().is_object();
    const size_t configured = config.IsNull() ? 0 : config.size();
    if (!as_object && planned.size() != configured) {
      AddError(errors_, path,
               CountMessage("block count in plan (", planned.size(),
                            ") disagrees with count in config (", configured) +
                   ")");
      return;
    }
    for (size_t i = 0; i < planned.size(); ++i) {
      const std::string_view key = planned.key(i);
      const Path at = as_object ? path.Attribute(key) : path.Index(Value::NormalizedString(key));
      const Value* wanted = config.IsNull() ? nullptr : config.Find(key);
      if (wanted == nullptr) {
        AddError(errors_, path,
                 "block key " + text::GoQuote(key) + " from plan is not present in config");
      } else if (ElementsKnown(planned.elements()[i], at)) {
        CheckObject(schema.block, EntryOr(prior, key), *wanted, planned.elements()[i], at);
      }
    }
    for (size_t i = 0; i < configured; ++i) {
      if (planned.Find(config.key(i)) == nullptr) {
        AddError(
            errors_, path,
            "block key " + text::GoQuote(config.key(i)) + " from config is not present in plan");
      }
    }
  }

  Errors& errors_;
};

}  // namespace

std::vector<ValueError> CheckPlanned(const Block& schema, const Value& prior, const Value& config,
                                     const Value& planned) {
  Errors errors;
  PlanCheck(errors).CheckObject(schema, prior, config, planned, Path());
  return errors;
}

}  // namespace kinu::schema
