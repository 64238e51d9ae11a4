// The plan walk, from configuration to plan. Read me first.
#include "engine/plan.h"

#include <algorithm>

#include "cty/ops.h"
#include "engine/assemble.h"
#include "engine/nodes/nodes.h"
#include "engine/passes/passes.h"

namespace kinu::engine {
namespace {

/// Executes a node of a validate or plan walk.
void ExecuteNode(NodeContext& context, NodeId id, Diagnostics& diags) {
  bool validating = context.walk.kind == WalkKind::kValidate;
  switch (context.walk.graph.node(id).kind) {
    case NodeKind::kModule:
      return ExpandModule(context, id, diags);
    case NodeKind::kModuleEnd:
      return;
    case NodeKind::kVariable:
      return EvaluateVariable(context, id, diags);
    case NodeKind::kLocal:
      return EvaluateLocal(context, id, diags);
    case NodeKind::kOutput:
      return EvaluateOutput(context, id, diags);
    case NodeKind::kCheck:
      return EvaluateCheck(context, id, diags);
    case NodeKind::kProvider:
      return ConfigureProvider(context, id, diags);
    case NodeKind::kResource:
      return validating ? ValidateResource(context, id, diags) : PlanResource(context, id, diags);
    case NodeKind::kOrphan:
      return PlanOrphan(context, id, diags);
    case NodeKind::kDeposed:
      return PlanDeposed(context, id, diags);
    case NodeKind::kCell:
    case NodeKind::kJoin:
      return;  // only while applying
  }
}

void MakeRoot(Walk& walk) {
  walk.root = ModuleInstance::Make(ModuleInstId(), walk.config.nodes[0].get(), nullptr, {});
  walk.instances[0].push_back(walk.root.get());
}

}  // namespace

void Validate(const Input& input, Diagnostics& diags) {
  Input without_state = input;
  without_state.prior_state = nullptr;
  Walk walk(WalkKind::kValidate, without_state);
  if (!BuildGraph(walk, diags)) {
    return;
  }
  MakeRoot(walk);
  CheckRecord checks;
  NodeContext context{walk, checks};
  walk.Run([&](NodeId id, Diagnostics& found) { ExecuteNode(context, id, found); }, diags);
}

plan::Plan MakePlan(const Input& input, Diagnostics& diags) {
  plan::Plan plan;
  plan.program = input.config->program;
  plan.mode = input.options.mode;
  plan.timestamp = input.options.plan_timestamp;
  size_t errors = diags.error_count();

  // A configuration that is wrong in itself is not planned at all.
  Diagnostics validation;
  Validate(input, validation);
  if (validation.has_errors()) {
    diags.Append(std::move(validation));
    plan.errored = true;
    plan.prior_state.program = plan.program;
    plan.previous_state.program = plan.program;
    return plan;
  }
  diags.Append(std::move(validation));

  Walk walk(WalkKind::kPlan, input);
  if (!BuildGraph(walk, diags)) {
    plan.errored = true;
    return plan;
  }
  MakeRoot(walk);
  CheckRecord checks;
  NodeContext context{walk, checks};
  context.condition_severity =
      input.options.mode == plan::Mode::kRefreshOnly ? Severity::kWarning : Severity::kError;
  walk.Run([&](NodeId id, Diagnostics& found) { ExecuteNode(context, id, found); }, diags);

  AssemblePlan(walk, checks, plan);
  plan.errored = diags.error_count() != errors;
  return plan;
}

}  // namespace kinu::engine
