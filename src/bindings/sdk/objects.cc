#include "sdk/objects.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cty/conversion.h"

namespace kinu::sdk {
namespace {

using v1::AttributePath;
using v1::Nesting;
using v1::ProviderProblems;

constexpr const char* kInvalidValue = "Invalid value from provider";

bool IsObjectOrMap(const Value& value) {
  return value.type().is_object() || value.type().is_map();
}

/// Whether the value has elements that can be looked at.
bool HasContent(const Value& value) {
  return value.IsKnown() && !value.IsNull();
}

AttributePath ElementPath(const AttributePath& at, Nesting nesting, const Value& values,
                          size_t index) {
  switch (nesting) {
    case Nesting::kMap:
      return at.Key(values.key(index));
    case Nesting::kList:
      return at.Index(static_cast<int64_t>(index));
    default:
      return at;
  }
}

/// A collection of the nesting. `keys` has the keys of a map.
Value Collect(Nesting nesting, const Type& element, std::vector<Value> values, const Value& keys) {
  if (nesting == Nesting::kList) {
    return Value::List(element, std::move(values));
  }
  if (nesting == Nesting::kSet) {
    return Value::Set(element, std::move(values));
  }
  std::vector<std::pair<std::string, Value>> entries;
  for (size_t i = 0; i < values.size(); ++i) {
    entries.emplace_back(keys.key(i), std::move(values[i]));
  }
  return Value::Map(element, std::move(entries));
}

Value CompleteObject(const Value& returned, const Level& level, const AttributePath& at,
                     ProviderProblems& problems);

Value CompleteNested(const Value& returned, const Member& member, const AttributePath& at,
                     ProviderProblems& problems) {
  if (returned.IsNull() && member.is_block && member.nesting != Nesting::kSingle) {
    return Collect(member.nesting, member.level->type, {}, returned);
  }
  if (!HasContent(returned)) {
    return returned.IsNull() ? Value::Null(member.type) : Value::Unknown(member.type);
  }
  if (member.nesting == Nesting::kSingle) {
    return CompleteObject(returned, *member.level, at, problems);
  }
  const Type type = returned.type();
  if (member.nesting == Nesting::kMap ? !IsObjectOrMap(returned)
                                      : !type.is_list() && !type.is_set() && !type.is_tuple()) {
    problems.AddError(kInvalidValue, "A collection is required.", at);
    return Value::Null(member.type);
  }
  std::vector<Value> values;
  const auto elements = returned.elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    values.push_back(CompleteObject(elements[i], *member.level,
                                    ElementPath(at, member.nesting, returned, i), problems));
  }
  return Collect(member.nesting, member.level->type, std::move(values), returned);
}

Value CompleteMember(const Value& returned, const Member& member, const AttributePath& at,
                     ProviderProblems& problems) {
  if (member.write_only) {
    return Value::Null(member.type);
  }
  if (member.level != nullptr) {
    return CompleteNested(returned, member, at, problems);
  }
  auto value = Convert(returned, member.type);
  if (!value) {
    problems.AddError(kInvalidValue, member.name + ": " + value.error().ToText() + '.', at);
    return Value::Null(member.type);
  }
  return *std::move(value);
}

void ReportUnknownNames(const Value& returned, const Level& level, const AttributePath& at,
                        ProviderProblems& problems) {
  for (size_t i = 0; i < returned.size(); ++i) {
    const std::string_view name = returned.key(i);
    if (std::ranges::find(level.members, name, &Member::name) == level.members.end()) {
      problems.AddError(kInvalidValue,
                        "The schema has no attribute named \"" + std::string(name) + "\".", at);
    }
  }
}

Value CompleteObject(const Value& returned, const Level& level, const AttributePath& at,
                     ProviderProblems& problems) {
  if (!HasContent(returned)) {
    return returned.IsNull() ? Value::Null(level.type) : Value::Unknown(level.type);
  }
  if (!IsObjectOrMap(returned)) {
    problems.AddError(kInvalidValue, "An object is required.", at);
    return Value::Null(level.type);
  }
  ReportUnknownNames(returned, level, at, problems);
  std::vector<std::pair<std::string, Value>> members;
  for (const Member& member : level.members) {
    const Value* found = returned.Find(member.name);
    members.emplace_back(
        member.name, CompleteMember(found == nullptr ? Value::Null(member.type) : *found, member,
                                    at.Attribute(member.name), problems));
  }
  return Value::Object(std::move(members));
}

/// One pass of a plan. The first keeps the proposed values of open attributes, and so shows whether
/// anything changes; the second makes them unknown.
class Planner {
 public:
  explicit Planner(bool open_is_unknown) : open_is_unknown_(open_is_unknown) {}

  Value Object(const Level& level, const Value& prior, const Value& proposed,
               const Value& config) const {
    if (!HasContent(proposed)) {
      return proposed;
    }
    std::vector<std::pair<std::string, Value>> members;
    for (const Member& member : level.members) {
      members.emplace_back(member.name,
                           One(member, Inside(prior, member), proposed.Attribute(member.name),
                               Inside(config, member)));
    }
    return Value::Object(std::move(members));
  }

 private:
  static Value Inside(const Value& object, const Member& member) {
    return HasContent(object) ? object.Attribute(member.name) : Value::Null(member.type);
  }

  Value One(const Member& member, const Value& prior, const Value& proposed,
            const Value& config) const {
    if (member.write_only) {
      return Value::Null(member.type);
    }
    if (!member.is_block && config.IsNull()) {
      return Open(member, prior, proposed);
    }
    if (member.level == nullptr || !HasContent(proposed)) {
      return proposed;
    }
    if (member.nesting == Nesting::kSingle) {
      return Object(*member.level, prior, proposed, config);
    }
    return Elements(member, prior, proposed, config);
  }

  /// An attribute that the configuration does not set.
  Value Open(const Member& member, const Value& prior, const Value& proposed) const {
    if (member.default_value) {
      return *member.default_value;
    }
    if (!member.computed || !open_is_unknown_) {
      return proposed;
    }
    return member.stable && !prior.IsNull() ? prior : Value::Unknown(member.type);
  }

  /// Elements of lists and maps are compared with those at the same place; those of a set, which
  /// the client has matched already, with themselves.
  Value Elements(const Member& member, const Value& prior, const Value& proposed,
                 const Value& config) const {
    std::vector<Value> values;
    const auto elements = proposed.elements();
    for (size_t i = 0; i < elements.size(); ++i) {
      const Value* before = Same(member.nesting, prior, proposed, i);
      const Value* written = Same(member.nesting, config, proposed, i);
      values.push_back(Object(*member.level,
                              before == nullptr ? Value::Null(member.level->type) : *before,
                              elements[i], written == nullptr ? elements[i] : *written));
    }
    return Collect(member.nesting, member.level->type, std::move(values), proposed);
  }

  static const Value* Same(Nesting nesting, const Value& other, const Value& proposed,
                           size_t index) {
    if (!HasContent(other) || nesting == Nesting::kSet) {
      return nullptr;
    }
    if (nesting == Nesting::kMap) {
      return other.Find(proposed.key(index));
    }
    return index < other.size() ? &other.elements()[index] : nullptr;
  }

  bool open_is_unknown_;
};

/// Finds the places whose change replaces an object.
class Replacement {
 public:
  Replacement(bool all, std::vector<AttributePath>& places) : all_(all), places_(places) {}

  void Object(const Level& level, const Value& prior, const Value& planned,
              const AttributePath& at) {
    if (!HasContent(prior) || !HasContent(planned)) {
      return;
    }
    for (const Member& member : level.members) {
      const Value& before = prior.Attribute(member.name);
      const Value& after = planned.Attribute(member.name);
      if (!Value::RawEquals(before, after)) {
        Changed(member, before, after, at.Attribute(member.name));
      }
    }
  }

 private:
  bool Replaces(const Member& member) const {
    return member.requires_replace || (all_ && (member.optional || !member.computed));
  }

  bool ReplacesInside(const Level& level) const {
    return std::ranges::any_of(level.members, [this](const Member& member) {
      return Replaces(member) || (member.level != nullptr && ReplacesInside(*member.level));
    });
  }

  void Changed(const Member& member, const Value& before, const Value& after,
               const AttributePath& at) {
    const bool open = member.computed && !after.IsKnown();
    if (Replaces(member) && !open) {
      places_.push_back(at);
    } else if (member.level != nullptr) {
      Nested(member, before, after, at);
    }
  }

  void Nested(const Member& member, const Value& before, const Value& after,
              const AttributePath& at) {
    if (member.nesting == Nesting::kSingle && HasContent(before) && HasContent(after)) {
      Object(*member.level, before, after, at);
      return;
    }
    const bool comparable = member.nesting != Nesting::kSet && HasContent(before) &&
                            HasContent(after) && before.size() == after.size();
    if (!comparable) {
      if (ReplacesInside(*member.level)) {
        places_.push_back(at);
      }
      return;
    }
    for (size_t i = 0; i < after.size(); ++i) {
      const Value* old =
          member.nesting == Nesting::kMap ? before.Find(after.key(i)) : &before.elements()[i];
      const AttributePath place = ElementPath(at, member.nesting, after, i);
      if (old != nullptr) {
        Object(*member.level, *old, after.elements()[i], place);
      } else if (ReplacesInside(*member.level)) {
        places_.push_back(place);
      }
    }
  }

  bool all_;
  std::vector<AttributePath>& places_;
};

}  // namespace

Value Complete(const Value& returned, const Level& level, ProviderProblems& problems) {
  return CompleteObject(returned, level, {}, problems);
}

Value PlanObject(const Level& level, const Value& prior, const Value& proposed,
                 const Value& config) {
  Value kept = Planner(false).Object(level, prior, proposed, config);
  if (!prior.IsNull() && Value::RawEquals(prior, kept)) {
    return kept;
  }
  return Planner(true).Object(level, prior, proposed, config);
}

void FindReplaced(const Level& level, const Value& prior, const Value& planned, bool all,
                  std::vector<AttributePath>& places) {
  Replacement(all, places).Object(level, prior, planned, {});
}

}  // namespace kinu::sdk
