#include "engine/module_values.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/flat_map.h"

namespace kinu::engine {
namespace {

/// An instance with the outputs that have a value.
struct SeenInstance {
  InstanceKey key;
  std::vector<std::pair<std::string, Value>> outputs;
};

Value UnknownOutputs(const Walk& walk, const config::Module& module) {
  std::vector<std::pair<std::string, Value>> outputs;
  outputs.reserve(module.outputs.size());
  for (const config::Output& output : module.outputs) {
    outputs.emplace_back(walk.program.Text(output.name), Value::DynamicUnknown());
  }
  return Value::Object(std::move(outputs));
}

/// A tuple for count, an object for for_each. Gaps between positions are unknown.
Value CombineInstances(const Walk& walk, const config::ModuleCall& call,
                       const config::Module& module, std::vector<SeenInstance> seen) {
  if (call.count != nullptr) {
    std::vector<Value> elements;
    for (SeenInstance& each : seen) {
      if (each.key.kind() == InstanceKey::Kind::kInt) {
        const auto index = static_cast<size_t>(each.key.index());
        elements.resize(std::max(elements.size(), index + 1), Value::DynamicUnknown());
        elements[index] = Value::Object(std::move(each.outputs));
      }
    }
    return Value::Tuple(std::move(elements));
  }
  if (call.for_each != nullptr) {
    std::vector<std::pair<std::string, Value>> attributes;
    for (SeenInstance& each : seen) {
      if (each.key.kind() == InstanceKey::Kind::kString) {
        attributes.emplace_back(walk.program.Text(each.key.symbol()),
                                Value::Object(std::move(each.outputs)));
      }
    }
    return Value::Object(std::move(attributes));
  }
  if (!seen.empty()) {
    return Value::Object(std::move(seen[0].outputs));
  }
  return call.enabled != nullptr ? Value::Null(Type::Dynamic()) : UnknownOutputs(walk, module);
}

/// Adds the outputs that the plan of an apply knows, where the apply has not come to them.
void AddPlanned(const Walk& walk, const ModuleInstance& instance, Symbol call,
                const config::Module& module, std::vector<SeenInstance>& seen) {
  const plan::Plan& plan = walk.apply->plan;
  FlatMap<InstanceKey, size_t> places;
  for (size_t i = 0; i < seen.size(); ++i) {
    places[seen[i].key] = i;
  }
  for (const plan::ModuleOutput& output : plan.module_outputs) {
    if (plan.mode == plan::Mode::kDestroy || !output.value.IsWhollyKnown() ||
        walk.program.Parent(output.module) != instance.id ||
        walk.program.CallName(output.module) != call || module.FindOutput(output.name) < 0) {
      continue;
    }
    const InstanceKey key = walk.program.Key(output.module);
    if (!places.contains(key)) {
      places[key] = seen.size();
      seen.push_back({key, {}});
    }
    auto& outputs = seen[places[key]].outputs;
    const std::string name(walk.program.Text(output.name));
    if (std::ranges::find(outputs, name, &std::pair<std::string, Value>::first) == outputs.end()) {
      outputs.emplace_back(name, output.value);
    }
  }
}

/// Whether the walk does not execute a node: targets leave it out, or nothing in an apply needs it.
bool IsLeftOut(const Walk& walk, NodeId node) {
  return !walk.graph.Kept(node) || (walk.apply != nullptr && !walk.apply->needed[node]);
}

/// Whether no output of an instance gets a value any more.
bool IsComplete(const Walk& walk, const config::ConfigNode& node, const CallTable& table) {
  const NodeId first = walk.graph.bases[node.index].outputs;
  for (size_t i = 0; i < node.module->outputs.size(); ++i) {
    const bool all = table.expanded && std::ranges::all_of(table.instances, [&](const auto& child) {
                       return child->outputs[i].evaluated();
                     });
    if (!all && !IsLeftOut(walk, first + static_cast<NodeId>(i))) {
      return false;
    }
  }
  return true;
}

}  // namespace

Value ModuleBeforeExpansion(const Walk& walk, const ModuleInstance& instance, size_t call) {
  const config::ConfigNode* child = instance.node->children[call];
  if (child == nullptr || child->module->has_gaps) {
    return Value::DynamicUnknown();
  }
  const config::ModuleCall& block = instance.node->module->calls[call];
  if (walk.context.kind != WalkKind::kValidate) {
    return CombineInstances(walk, block, *child->module, {});
  }
  std::vector<Type::Attribute> outputs;
  outputs.reserve(child->module->outputs.size());
  for (const config::Output& output : child->module->outputs) {
    outputs.push_back({walk.program.Text(output.name), Type::Dynamic(), false});
  }
  const Type object = Type::Object(std::move(outputs));
  if (block.count != nullptr) {
    return Value::Unknown(Type::List(object));
  }
  return Value::Unknown(block.for_each != nullptr ? Type::Map(object) : object);
}

std::optional<Value> OutputOf(const ModuleInstance& child, Symbol output) {
  const int index = child.node->module->FindOutput(output);
  if (index < 0 || !child.outputs[static_cast<size_t>(index)].evaluated()) {
    return std::nullopt;
  }
  return child.outputs[static_cast<size_t>(index)].value();
}

Value WholeModule(const Walk& walk, const ModuleInstance& instance, size_t call) {
  const CallTable& table = *instance.calls[call];
  const config::ConfigNode* node = instance.node->children[call];
  const bool validating = walk.context.kind == WalkKind::kValidate;
  const std::lock_guard lock(table.whole_mutex);
  if (table.whole) {
    return *table.whole;
  }
  if (validating || node == nullptr) {
    table.whole = ModuleBeforeExpansion(walk, instance, call);
    return *table.whole;
  }
  if (table.expanded && table.expansion.kind == Expansion::Kind::kUnknown) {
    return Value::DynamicUnknown();
  }
  const config::Module& module = *node->module;
  std::vector<SeenInstance> seen;
  bool lacks_some = !table.expanded;
  for (size_t i = 0; i < table.instances.size(); ++i) {
    const ModuleInstance& child = *table.instances[i];
    SeenInstance each{table.expansion.key(i), {}};
    for (size_t output = 0; output < module.outputs.size(); ++output) {
      if (child.outputs[output].evaluated()) {
        each.outputs.emplace_back(walk.program.Text(module.outputs[output].name),
                                  child.outputs[output].value());
      } else {
        lacks_some = true;
      }
    }
    if (!each.outputs.empty()) {
      seen.push_back(std::move(each));
    }
  }
  const bool complete = IsComplete(walk, *node, table);
  const config::ModuleCall& block = instance.node->module->calls[call];
  if (lacks_some && walk.apply != nullptr) {
    AddPlanned(walk, instance, block.name, module, seen);
  }
  Value whole = CombineInstances(walk, block, module, std::move(seen));
  if (complete) {
    table.whole = whole;
  }
  return whole;
}

}  // namespace kinu::engine
