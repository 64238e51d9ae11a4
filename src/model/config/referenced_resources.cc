#include "config/referenced_resources.h"

#include <algorithm>

#include "config/reference.h"
#include "hcl/static.h"

namespace kinu::config {

void AddReferencedResources(Program& program, const ConfigNode& node, const hcl::Expr* expr,
                            std::vector<ConfigResource>& out) {
  if (expr == nullptr) {
    return;
  }
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(*expr, traversals);
  for (const hcl::TraversalExpr* traversal : traversals) {
    const Reference reference = ResolveReference(program, *node.module, *traversal, nullptr);
    if (reference.kind == ReferenceKind::kResource && reference.index >= 0) {
      const auto index = static_cast<size_t>(reference.index);
      const ConfigResource address = {node.path, node.module->resources[index].name};
      if (std::find(out.begin(), out.end(), address) == out.end()) {
        out.push_back(address);
      }
    }
  }
}

std::optional<std::vector<ConfigResource>> ResourcesOfNamedValues(const Config& config,
                                                                  size_t most) {
  std::vector<ConfigResource> out;
  for (const auto& node : config.nodes) {
    const Module& module = *node->module;
    const auto add = [&](const hcl::Expr* expr) {
      AddReferencedResources(*config.program, *node, expr, out);
    };
    const auto add_conditions = [&](const std::vector<Condition>& conditions) {
      for (const Condition& condition : conditions) {
        add(condition.condition);
        add(condition.error_message);
      }
    };
    for (const Local& local : module.locals) {
      add(local.expr);
    }
    for (const Output& output : module.outputs) {
      add(output.expr);
      add_conditions(output.preconditions);
    }
    for (const Variable& variable : module.variables) {
      add_conditions(variable.validations);
    }
    for (const ModuleCall& call : module.calls) {
      add(call.count);
      add(call.for_each);
      add(call.enabled);
      for (const auto& input : call.inputs) {
        add(input.expr);
      }
    }
    if (out.size() > most) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace kinu::config
