#include "meta_arguments/ignore_changes.h"

namespace kinu::meta_arguments {
namespace {

/// A map that is null or gone altogether can still lose or get back a single key.
Value PutBackInNothing(const Value& value, const Value& prior, std::span<const PathStep> steps) {
  if (steps.size() == 1 && steps[0].kind == PathStep::Kind::kIndex && value.IsNull() &&
      value.type().is_map() && prior.IsKnown() && !prior.IsNull() &&
      steps[0].key.type() == Type::String()) {
    const Value* element = prior.Find(steps[0].key.AsString());
    if (element != nullptr) {
      return Value::Map(value.type().element(), {{std::string(steps[0].key.AsString()), *element}});
    }
  }
  return value;
}

/// `value` with what stands at `steps` replaced by what `prior` has there. Map keys come and go one
/// by one; anything that does not fit is left alone. Ref: processIgnoreChangesIndividual.
Value PutBack(const Value& value, const Value& prior, std::span<const PathStep> steps) {
  if (steps.empty()) {
    return prior;
  }
  if (value.IsNull() || !value.IsKnown() || prior.IsNull() || !prior.IsKnown()) {
    return PutBackInNothing(value, prior, steps);
  }
  const PathStep& step = steps[0];
  Type type = value.type();
  MarkSet marks = value.marks();
  auto rest = steps.subspan(1);
  if (step.kind == PathStep::Kind::kAttribute && type.is_object()) {
    const Value* before = prior.type().is_object() ? prior.Find(step.name) : nullptr;
    int index = type.FindAttribute(step.name);
    if (before == nullptr || index < 0) {
      return value;
    }
    std::vector<std::pair<std::string, Value>> attributes;
    for (size_t i = 0; i < value.size(); ++i) {
      attributes.emplace_back(value.key(i), value.elements()[i]);
    }
    Value& slot = attributes[static_cast<size_t>(index)].second;
    slot = PutBack(slot, *before, rest);
    return Value::Object(std::move(attributes)).WithMarks(marks);
  }
  std::string name;
  if (step.kind == PathStep::Kind::kAttribute) {
    name = step.name;
  } else if (step.key.type() == Type::String()) {
    name = step.key.AsString();
  }
  if (!name.empty() && type.is_map() && (prior.type().is_map() || prior.type().is_object())) {
    const Value* before = prior.Find(name);
    const Value* now = value.Find(name);
    std::vector<std::pair<std::string, Value>> entries;
    for (size_t i = 0; i < value.size(); ++i) {
      if (value.key(i) != name) {
        entries.emplace_back(value.key(i), value.elements()[i]);
      }
    }
    if (before != nullptr) {
      entries.emplace_back(name, now != nullptr ? PutBack(*now, *before, rest) : *before);
    }
    return Value::Map(type.element(), std::move(entries)).WithMarks(marks);
  }
  if (!name.empty() && type.is_object()) {
    return PutBack(value, prior, std::vector<PathStep>{PathStep::Attribute(name)});
  }
  if (step.kind == PathStep::Kind::kIndex && (type.is_list() || type.is_tuple()) &&
      step.key.type() == Type::Number()) {
    std::optional<int64_t> index = step.key.AsInt64();
    if (!index || *index < 0 || static_cast<size_t>(*index) >= value.size() ||
        static_cast<size_t>(*index) >= prior.size()) {
      return value;
    }
    auto at = static_cast<size_t>(*index);
    std::vector<Value> elements(value.elements().begin(), value.elements().end());
    elements[at] = PutBack(elements[at], prior.elements()[at], rest);
    return (type.is_list() ? Value::List(type.element(), std::move(elements))
                           : Value::Tuple(std::move(elements)))
        .WithMarks(marks);
  }
  return value;
}

}  // namespace

Value IgnoreChanges(const config::Resource& resource, const schema::Block* block,
                    const Value& prior, const Value& config) {
  if (prior.IsNull() || resource.ignore == config::IgnoreChanges::kNone) {
    return config;
  }
  if (resource.ignore == config::IgnoreChanges::kAll) {
    if (block == nullptr) {
      return prior;
    }
    // What only the provider may set cannot be in a configuration.
    std::vector<Value> values(prior.elements().begin(), prior.elements().end());
    for (size_t i = 0; i < values.size(); ++i) {
      const schema::Attribute* attribute = block->FindAttribute(prior.key(i));
      if (attribute != nullptr && attribute->computed && !attribute->optional) {
        values[i] = Value::Null(attribute->type);
      }
    }
    std::vector<std::pair<std::string, Value>> attributes;
    for (size_t i = 0; i < values.size(); ++i) {
      attributes.emplace_back(prior.key(i), std::move(values[i]));
    }
    return Value::Object(std::move(attributes));
  }
  Value out = config;
  for (const hcl::TraversalExpr* traversal : resource.ignore_changes) {
    std::vector<PathStep> steps = config::PathSteps(traversal->steps);
    steps.insert(steps.begin(), PathStep::Attribute(traversal->root));
    out = PutBack(out, prior, steps);
  }
  return out;
}

}  // namespace kinu::meta_arguments
