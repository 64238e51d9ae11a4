#include "plan_json/position.h"

#include <algorithm>
#include <ranges>
#include <vector>

#include "diag/range_json.h"
#include "plan_json/expression.h"

namespace kinu::view {
namespace {

void AddConditions(std::vector<PlacedCondition>& out, std::string_view kind,
                   const std::vector<config::Condition>& conditions) {
  for (const config::Condition& condition : conditions) {
    out.push_back({kind, &condition});
  }
}

}  // namespace

std::vector<PlacedCondition> ConditionsOf(const config::Resource& resource) {
  std::vector<PlacedCondition> out;
  AddConditions(out, "precondition", resource.preconditions);
  AddConditions(out, "postcondition", resource.postconditions);
  return out;
}

std::vector<PlacedCondition> ConditionsOf(const config::Output& output) {
  std::vector<PlacedCondition> out;
  AddConditions(out, "precondition", output.preconditions);
  return out;
}

std::vector<PlacedCondition> ConditionsOf(const config::Variable& variable) {
  std::vector<PlacedCondition> out;
  AddConditions(out, "validation", variable.validations);
  return out;
}

std::vector<PlacedCondition> ConditionsOf(const config::Check& check) {
  std::vector<PlacedCondition> out;
  AddConditions(out, "assertion", check.asserts);
  return out;
}

void WritePosition(JsonWriter& out, const SourceRange& range) {
  if (!range.valid()) {
    return;
  }
  out.Key("position");
  out.BeginObject();
  WriteRangeMembers(out, range);
  out.EndObject();
}

std::string EndpointText(const Program& program, const config::Endpoint& endpoint) {
  return endpoint.is_module
             ? program.ToText(endpoint.module)
             : program.ToText(ResourceInstance{{endpoint.module, endpoint.resource}, endpoint.key});
}

BlockPositions::BlockPositions(const config::Config& config) : config_(config) {
  const Program& program = *config.program;
  for (const auto& node : config.nodes) {
    const std::string module = program.ToText(node->path);
    for (const config::Removed& removed : node->module->removed) {
      state_blocks_.push_back(
          {(module.empty() ? "" : module + ".") + EndpointText(program, removed.from),
           removed.from.is_module,
           {node.get(), removed.range, {}}});
    }
  }
  for (const config::Import& import : config.root().module->imports) {
    state_blocks_.push_back(
        {program.ToText(import.target), false, {&config.root(), import.range, {}}});
  }
}

void BlockPositions::Write(JsonWriter& out, const config::ConfigNode& node,
                           const SourceRange& range) const {
  if (!range.valid()) {
    return;
  }
  out.Key("position");
  out.BeginObject();
  WriteRangeMembers(out, range);
  std::vector<const config::ConfigNode*> chain;
  for (const config::ConfigNode* at = &node; at->parent != nullptr; at = at->parent) {
    chain.push_back(at);
  }
  if (!chain.empty()) {
    out.Key("calls");
    out.BeginArray();
    for (const config::ConfigNode* called : chain | std::views::reverse) {
      const config::Module& caller = *called->parent->module;
      out.BeginObject();
      out.Member("address", std::string_view(config_.program->ToText(called->path)));
      WriteRangeMembers(out, caller.calls[static_cast<size_t>(called->call)].range);
      out.EndObject();
    }
    out.EndArray();
  }
  out.EndObject();
}

void BlockPositions::WriteConditions(JsonWriter& out, const config::ConfigNode& node,
                                     const std::vector<PlacedCondition>& conditions) const {
  if (conditions.empty()) {
    return;
  }
  out.Key("conditions");
  out.BeginArray();
  for (const PlacedCondition& entry : conditions) {
    out.BeginObject();
    out.Member("kind", entry.kind);
    if (entry.condition->condition != nullptr) {
      out.Key("condition");
      WriteExpression(out, *entry.condition->condition, true);
    }
    Write(out, node, entry.condition->range);
    out.EndObject();
  }
  out.EndArray();
}

BlockPositions::Block BlockPositions::FindStateBlock(const ConfigResource& resource) const {
  if (state_blocks_.empty()) {
    return {};
  }
  const std::string address = config_.program->ToText(resource);
  for (const StateBlock& entry : state_blocks_) {
    const bool covers =
        entry.is_module ? address.starts_with(entry.address + ".") : address == entry.address;
    if (covers) {
      return entry.block;
    }
  }
  return {};
}

void BlockPositions::WriteResource(JsonWriter& out, const ConfigResource& resource) const {
  Block block = Find({CheckableKind::kResource, resource});
  if (block.node == nullptr) {
    block = FindStateBlock(resource);
  }
  if (block.node != nullptr) {
    Write(out, *block.node, block.range);
  }
}

void BlockPositions::WriteOutput(JsonWriter& out, Symbol name) const {
  const Block block = Find({CheckableKind::kOutput, {ModuleId(), {.type = {}, .name = name}}});
  if (block.node != nullptr) {
    Write(out, *block.node, block.range);
  }
}

void BlockPositions::WriteCheckable(JsonWriter& out, const ConfigCheckable& checkable) const {
  const Block block = Find(checkable);
  if (block.node != nullptr) {
    WriteConditions(out, *block.node, block.conditions);
    Write(out, *block.node, block.range);
  }
}

BlockPositions::Block BlockPositions::Find(const ConfigCheckable& block) const {
  const config::ConfigNode* node = config_.Find(block.block.module);
  if (node == nullptr) {
    return {};
  }
  const auto found = [&](const auto& blocks, int index) -> Block {
    if (index < 0) {
      return {};
    }
    const auto& entry = blocks[static_cast<size_t>(index)];
    return {node, entry.range, ConditionsOf(entry)};
  };
  const config::Module& module = *node->module;
  const Symbol name = block.block.resource.name;
  switch (block.kind) {
    case CheckableKind::kResource:
      return found(module.resources, module.FindResource(block.block.resource));
    case CheckableKind::kOutput:
      return found(module.outputs, module.FindOutput(name));
    case CheckableKind::kVariable:
      return found(module.variables, module.FindVariable(name));
    case CheckableKind::kCheck: {
      const auto check = std::ranges::find(module.checks, name, &config::Check::name);
      return found(module.checks, check == module.checks.end()
                                      ? -1
                                      : static_cast<int>(check - module.checks.begin()));
    }
  }
  return {};
}

}  // namespace kinu::view
