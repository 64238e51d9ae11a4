#include "why/planned_values.h"

#include <algorithm>
#include <filesystem>

#include "cty/conversion.h"
#include "lang/eval.h"
#include "lang/template.h"
#include "schema/decode.h"

namespace kinu::why {

using config::ReferenceKind;

/// The names of a place.
class PlaceScope final : public lang::Scope {
 public:
  PlaceScope(PlannedValues& values, const config::ConfigNode& node, const Place& place)
      : values_(values), node_(node), place_(place) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics&) const override {
    return values_.OfTraversal(config::BindReference(values_.program_, *node_.module, traversal),
                               traversal, place_);
  }
  const functions::Callable* FindFunction(std::string_view name) const override {
    return functions::Table::Standard().Find(name);
  }
  const functions::CallContext& call_context() const override { return values_.context_; }

 private:
  PlannedValues& values_;
  const config::ConfigNode& node_;
  const Place& place_;
};

namespace {

Value Stepped(Value value, std::span<const hcl::TraversalStep> steps, const hcl::Expr& whole) {
  Diagnostics problems;
  Value out = lang::ApplySteps(std::move(value), steps, whole, problems);
  return problems.has_errors() ? Value::DynamicUnknown() : out;
}

/// The values of a repeated block as expressions see them.
Value Combined(const Program& program, std::vector<std::pair<InstanceKey, Value>> rows) {
  if (rows.size() == 1 && rows[0].first.none()) {
    return std::move(rows[0].second);
  }
  std::vector<Value> elements;
  std::vector<std::pair<std::string, Value>> attributes;
  for (auto& [key, value] : rows) {
    if (key.kind() == InstanceKey::Kind::kInt) {
      elements.push_back(std::move(value));
    } else if (key.kind() == InstanceKey::Kind::kString) {
      attributes.emplace_back(program.Text(key.symbol()), std::move(value));
    }
  }
  return !elements.empty() ? Value::Tuple(std::move(elements))
                           : Value::Object(std::move(attributes));
}

}  // namespace

PlannedValues::PlannedValues(const plan::Plan& plan, const config::Config& config,
                             const Objects& objects, bool earlier)
    : plan_(plan),
      config_(config),
      objects_(objects),
      program_(*config.program),
      earlier_(earlier) {
  context_ = lang::WithTemplates({}, functions::Table::Standard());
  context_.timestamp = plan.timestamp;
  context_.pure_only = true;
}

Value PlannedValues::Of(const hcl::Expr& expr, const Place& place) {
  const config::ConfigNode* node = NodeOf(place.module);
  if (node == nullptr) {
    return Value::DynamicUnknown();
  }
  Diagnostics problems;
  Value value = lang::Evaluate(expr, PlaceScope(*this, *node, place), problems);
  return problems.has_errors() ? Value::DynamicUnknown() : value;
}

Value PlannedValues::OfBody(const schema::Block& block, const hcl::Body& body,
                            std::span<const std::string_view> hidden, const Place& place) {
  const config::ConfigNode* node = NodeOf(place.module);
  if (node == nullptr) {
    return Value::DynamicUnknown();
  }
  Diagnostics problems;
  return schema::DecodeBody(block, body, hidden, PlaceScope(*this, *node, place), nullptr,
                            problems);
}

template <typename Make>
Value PlannedValues::Once(const void* what, ModuleInstId module, Make&& make) {
  const Name name{what, module.id};
  if (const auto found = values_.find(name); found != values_.end()) {
    return found->second;
  }
  // What refers to itself, which only an invalid configuration does, is unknown.
  values_[name] = Value::DynamicUnknown();
  Value value = make();
  values_[name] = value;
  return value;
}

Value PlannedValues::OfLocal(ModuleInstId module, const config::ConfigNode& node, size_t local) {
  const config::Local& block = node.module->locals[local];
  return Once(&block, module, [&] { return Of(*block.expr, {.module = module}); });
}

Value PlannedValues::OfOutput(ModuleInstId module, const config::ConfigNode& node, size_t output) {
  const config::Output& block = node.module->outputs[output];
  return Once(&block, module, [&] {
    Value value =
        block.expr == nullptr ? Value::DynamicUnknown() : Of(*block.expr, {.module = module});
    return block.sensitive ? value.WithMarks(MarkSet::Sensitive()) : value;
  });
}

Place PlannedValues::PlaceOfCall(ModuleInstId called, const config::ConfigNode& node,
                                 config::ExpansionArguments& storage) const {
  const config::ModuleCall& call = node.parent->module->calls[static_cast<size_t>(node.call)];
  storage = config::ArgumentsOf(call);
  return {program_.Parent(called), &storage, program_.Key(called)};
}

Value PlannedValues::OfVariable(ModuleInstId module, const config::ConfigNode& node,
                                size_t variable) {
  const config::Variable& block = node.module->variables[variable];
  return Once(&block, module, [&] {
    const std::string_view name = program_.Text(block.name);
    std::optional<Value> given;
    if (node.parent == nullptr) {
      const auto found = std::ranges::find(plan_.variables, name, &plan::PlanVariable::name);
      if (found != plan_.variables.end()) {
        given = found->ephemeral ? Value::DynamicUnknown() : found->value;
      }
    } else {
      const config::ModuleCall& call = node.parent->module->calls[static_cast<size_t>(node.call)];
      if (const hcl::Attribute* input = call.FindInput(name)) {
        config::ExpansionArguments arguments;
        given = Of(*input->expr, PlaceOfCall(module, node, arguments));
      }
    }
    if (!given || (given->IsNull() && !block.nullable)) {
      given = block.default_value.value_or(Value::DynamicUnknown());
    }
    if (block.constraint.defaults != nullptr) {
      given = lang::ApplyDefaults(*given, *block.constraint.defaults);
    }
    const auto converted = Convert(*given, block.constraint.type);
    const Value value = converted ? *converted : *given;
    return block.sensitive ? value.WithMarks(MarkSet::Sensitive()) : value;
  });
}

std::pair<std::string, const hcl::Expr*> RepetitionArgument(
    const config::ExpansionArguments& arguments) {
  if (arguments.for_each != nullptr) {
    return {"for_each", arguments.for_each};
  }
  if (arguments.count != nullptr) {
    return {"count", arguments.count};
  }
  return {"enabled", arguments.enabled};
}

const config::Expansion& PlannedValues::ExpansionOf(const config::ExpansionArguments& arguments,
                                                    ModuleInstId module) {
  const hcl::Expr* expr = RepetitionArgument(arguments).second;
  std::unique_ptr<config::Expansion>& kept = expansions_[Name{expr, module.id}];
  if (kept == nullptr) {
    kept = std::make_unique<config::Expansion>();
    if (expr != nullptr) {
      const config::ConfigNode* node = NodeOf(module);
      const Place place{.module = module};
      Diagnostics problems;
      auto made = std::make_unique<config::Expansion>(
          config::Expand(arguments, PlaceScope(*this, *node, place), program_, true, problems));
      // The evaluation may have moved what `kept` refers to.
      return *(expansions_[Name{expr, module.id}] = std::move(made));
    }
  }
  return *kept;
}

std::optional<size_t> PlannedValues::RowOf(const config::Expansion& expansion,
                                           const InstanceKey& key) const {
  size_t row = 0;
  if (expansion.kind == config::Expansion::Kind::kCount) {
    row = key.kind() == InstanceKey::Kind::kInt ? static_cast<size_t>(key.index()) : SIZE_MAX;
  } else if (expansion.kind == config::Expansion::Kind::kForEach) {
    if (key.kind() != InstanceKey::Kind::kString) {
      return std::nullopt;
    }
    // Elements of sets and keys of maps are in the order of their bytes.
    const auto found =
        std::ranges::lower_bound(expansion.keys, program_.Text(key.symbol()), {},
                                 [this](Symbol symbol) { return program_.Text(symbol); });
    row = static_cast<size_t>(found - expansion.keys.begin());
  }
  return row < expansion.size() && expansion.key(row) == key ? std::optional(row) : std::nullopt;
}

Value PlannedValues::WholeResource(const AbsResource& resource) {
  std::vector<std::pair<InstanceKey, Value>> rows;
  for (const PlannedObject& object : objects_.Of(resource)) {
    const Value& value = earlier_ ? object.earlier : object.now;
    if (!value.IsNull()) {
      rows.emplace_back(object.key, value);
    }
  }
  return Combined(program_, std::move(rows));
}

Value PlannedValues::OutputsOf(ModuleInstId module, const config::ConfigNode& node) {
  std::vector<std::pair<std::string, Value>> outputs;
  for (size_t i = 0; i < node.module->outputs.size(); ++i) {
    outputs.emplace_back(program_.Text(node.module->outputs[i].name), OfOutput(module, node, i));
  }
  return Value::Object(std::move(outputs));
}

Value PlannedValues::WholeCall(ModuleInstId caller, const config::ConfigNode& node, size_t call) {
  const config::ConfigNode* child = node.children[call];
  const config::ModuleCall& block = node.module->calls[call];
  if (child == nullptr) {
    return Value::DynamicUnknown();
  }
  return Once(&block, caller, [&] {
    const config::Expansion expansion = ExpansionOf(config::ArgumentsOf(block), caller);
    if (expansion.kind == config::Expansion::Kind::kUnknown) {
      return Value::DynamicUnknown();
    }
    std::vector<std::pair<InstanceKey, Value>> rows;
    for (size_t i = 0; i < expansion.size(); ++i) {
      const InstanceKey key = expansion.key(i);
      rows.emplace_back(key, OutputsOf(program_.ModuleInstance(caller, block.name, key), *child));
    }
    return Combined(program_, std::move(rows));
  });
}

Value PlannedValues::OfTraversal(const config::Reference& ref, const hcl::TraversalExpr& traversal,
                                 const Place& place) {
  const config::ConfigNode* node = NodeOf(place.module);
  const auto rest = [&](Value value) {
    return Stepped(std::move(value), traversal.steps.subspan(ref.consumed), traversal);
  };
  switch (ref.kind) {
    case ReferenceKind::kCountIndex:
    case ReferenceKind::kEachKey:
    case ReferenceKind::kEachValue: {
      if (place.repetition == nullptr) {
        return Value::DynamicUnknown();
      }
      const config::Expansion& expansion = ExpansionOf(*place.repetition, place.module);
      const std::optional<size_t> row = RowOf(expansion, place.key);
      return row && config::HasRepetition(ref.kind, &expansion)
                 ? rest(config::RepetitionValue(ref.kind, {&expansion, *row}, program_))
                 : Value::DynamicUnknown();
    }
    case ReferenceKind::kPathModule:
      return rest(Value::String(node->source_dir));
    case ReferenceKind::kPathRoot:
      return rest(Value::String(config_.root().source_dir));
    case ReferenceKind::kPathCwd:
      return rest(Value::String(std::filesystem::current_path().string()));
    case ReferenceKind::kWorkspace:
      return rest(Value::String(plan_.backend.workspace));
    case ReferenceKind::kApplying:
      return rest(Value::False());
    default:
      return ref.index < 0 ? Value::DynamicUnknown() : OfObject(ref, traversal, place, *node);
  }
}

Value PlannedValues::OfObject(const config::Reference& ref, const hcl::TraversalExpr& traversal,
                              const Place& place, const config::ConfigNode& node) {
  const auto index = static_cast<size_t>(ref.index);
  const std::span<const hcl::TraversalStep> steps = traversal.steps.subspan(ref.consumed);
  switch (ref.kind) {
    case ReferenceKind::kVariable:
      return Stepped(OfVariable(place.module, node, index), steps, traversal);
    case ReferenceKind::kLocal:
      return Stepped(OfLocal(place.module, node, index), steps, traversal);
    case ReferenceKind::kResource: {
      const AbsResource resource{place.module, node.module->resources[index].name};
      const auto whole = [&] { return WholeResource(resource); };
      // One object of many is looked at alone.
      if (ref.has_key) {
        const PlannedObject* object = objects_.Find({resource, ref.key});
        return object == nullptr
                   ? Value::DynamicUnknown()
                   : Stepped(earlier_ ? object->earlier : object->now, steps.subspan(1), traversal);
      }
      return Stepped(Once(&node.module->resources[index], place.module, whole), steps, traversal);
    }
    case ReferenceKind::kModule: {
      const config::ConfigNode* child = node.children[index];
      if (ref.output.empty() || child == nullptr) {
        return Stepped(WholeCall(place.module, node, index), steps, traversal);
      }
      const int output = child->module->FindOutput(ref.output);
      const ModuleInstId module =
          program_.ModuleInstance(place.module, node.module->calls[index].name, ref.key);
      return output < 0
                 ? Value::DynamicUnknown()
                 : Stepped(OfOutput(module, *child, static_cast<size_t>(output)), steps, traversal);
    }
    default:
      return Value::DynamicUnknown();
  }
}

}  // namespace kinu::why
