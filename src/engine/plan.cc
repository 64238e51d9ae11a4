// The plan walk, from configuration to plan. Read me first.
#include "engine/plan.h"

#include <algorithm>

#include "cty/ops.h"
#include "engine/assemble.h"
#include "engine/destroy.h"
#include "engine/imports.h"
#include "engine/nodes/nodes.h"
#include "engine/passes/passes.h"
#include "engine/refactoring.h"
#include "engine/relevant.h"
#include "provider/provisioner.h"

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
    case NodeKind::kClose:
      return CloseEphemerals(context, id, diags);
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

bool CheckProvisioners(const config::Config& config, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  for (const auto& node : config.nodes) {
    for (const config::Resource& resource : node->module->resources) {
      for (const config::Provisioner& block : resource.provisioners) {
        if (provider::FindProvisioner(block.type) == nullptr) {
          diags.Error("Failed to load plugin schemas",
                      "There is no provisioner \"" + std::string(block.type) +
                          "\": this program has local-exec, file and remote-exec.");
        }
      }
    }
  }
  return diags.error_count() == errors;
}

void Validate(const Input& input, Diagnostics& diags) {
  if (!CheckProvisioners(*input.config, diags)) {
    return;
  }
  Input without_state = input;
  without_state.prior_state = nullptr;
  without_state.options.targets.clear();
  without_state.options.excludes.clear();
  Walk walk(WalkKind::kValidate, without_state);
  if (!BuildGraph(walk, diags)) {
    return;
  }
  MakeRoot(walk);
  CheckRecord checks;
  NodeContext context{walk, checks};
  walk.Run([&](NodeId id, Diagnostics& found) { ExecuteNode(context, id, found); }, diags);
}

namespace {

/// Objects that moved must be planned at both ends: otherwise one would be created and the other
/// left. Ref: context_plan.go prePlanVerifyTargetedMoves.
void CheckTargetedMoves(const Input& input, const Refactoring& refactoring, Diagnostics& diags) {
  Program& program = *input.config->program;
  Targets targets(program, input.options.targets, input.options.excludes);
  if (!targets.active()) {
    return;
  }
  std::vector<AbsResource> outside;
  for (const auto& [from, to] : refactoring.Moves()) {
    for (const ResourceInstance& end : {from, to}) {
      if (!targets.Wants(end)) {
        outside.push_back(end.resource);
      }
    }
  }
  if (outside.empty()) {
    return;
  }
  std::sort(outside.begin(), outside.end(),
            [&](const AbsResource& a, const AbsResource& b) { return program.Less(a, b); });
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  std::string option = targets.excluding() ? "-exclude" : "-target";
  std::string list;
  for (const AbsResource& resource : outside) {
    list += "\n  " + option + "=\"" + program.ToText(resource) + "\"";
  }
  diags.Error("Moved resource instances excluded by targeting",
              "Some objects have new addresses, and such objects must be part of the plan at both "
              "addresses. Plan without " +
                  option + " options, or " +
                  (targets.excluding() ? "leave out these:" : "add these:") + list);
}

/// Instances of checks are known from the expansion of their modules on, also of those that what
/// they look at kept from being evaluated. Ref: transform_check.go, node_check.go nodeReportCheck.
void DeclareUnreachedChecks(const Walk& walk, CheckRecord& checks) {
  for (const auto& node : walk.config.nodes) {
    const Walk::Bases& bases = walk.bases[node->index];
    if (bases.module != kNoNode && !walk.Succeeded(bases.module)) {
      continue;
    }
    for (size_t i = 0; i < node->module->checks.size(); ++i) {
      const NodeId id = bases.checks + static_cast<NodeId>(i);
      if (walk.Succeeded(id) || !walk.Kept(id)) {
        continue;
      }
      for (const ModuleInstance* instance : walk.instances[node->index]) {
        checks.DeclareObject(id,
                             ObjectAddress(walk, *instance, "check", node->module->checks[i].name));
      }
      checks.DeclareExpanded(id);
    }
  }
}

/// The plan walk proper: everything that exists is read, everything that is configured is planned.
void RunPlanWalk(const Input& input, Severity condition_severity, plan::Plan& plan,
                 Diagnostics& diags) {
  Walk walk(WalkKind::kPlan, input);
  if (!BuildGraph(walk, diags)) {
    plan.rejected = true;
    return;
  }
  AddCloseNodes(walk);
  MakeRoot(walk);
  CheckRecord checks;
  DeclareChecks(walk, checks);
  NodeContext context{walk, checks};
  context.condition_severity = condition_severity;
  Diagnostics found_by_nodes;
  walk.Run([&](NodeId id, Diagnostics& found) { ExecuteNode(context, id, found); }, found_by_nodes);
  DeclareUnreachedChecks(walk, checks);
  if (input.command_import != nullptr && found_by_nodes.has_errors()) {
    // Where something failed, the command cannot know what there would have been to import to.
    diags.Append(std::move(found_by_nodes));
    return;
  }
  if (!CheckImportedInstances(walk, diags)) {
    plan.rejected = true;
    return;
  }
  if (input.refactoring != nullptr) {
    // Wrong moves are a likely cause of whatever else went wrong, so they are told alone.
    size_t errors = diags.error_count();
    input.refactoring->ValidateMoves(walk, diags);
    if (diags.error_count() != errors) {
      plan.rejected = true;
      return;
    }
  }
  bool sound = !found_by_nodes.has_errors();
  diags.Append(std::move(found_by_nodes));
  if (sound && input.refactoring != nullptr) {
    input.refactoring->WarnBlocked(diags);
  }
  AssemblePlan(walk, checks, plan);
  plan.relevant_attributes = RelevantAttributes(walk, plan);
}

}  // namespace

state::State ImportToState(const Input& given, const ImportTarget& target, Diagnostics& diags) {
  Input input = given;
  input.command_import = &target;
  input.options.mode = plan::Mode::kRefreshOnly;
  input.options.refresh = false;
  plan::Plan plan;
  plan.program = given.config->program;
  plan.mode = plan::Mode::kRefreshOnly;
  RunPlanWalk(input, Severity::kWarning, plan, diags);
  return diags.has_errors() ? input.prior_state->Clone() : std::move(plan.prior_state);
}

namespace {

/// Values that are given for variables of the root module which their author wants nobody to use.
void WarnOfDeprecatedVariables(const Input& input, Diagnostics& diags) {
  const config::Module& root = *input.config->root().module;
  for (const config::Variable& variable : root.variables) {
    if (variable.deprecated.empty()) {
      continue;
    }
    const std::string name(input.config->program->Text(variable.name));
    const auto given = input.variables->find(name);
    if (given != input.variables->end() && given->second.source != config::InputSource::kConfig) {
      diags.Warning("Deprecated variable used from the root module",
                    "The root variable \"" + name +
                        "\" is deprecated with the following message: " + variable.deprecated,
                    variable.range);
    }
  }
}

}  // namespace

plan::Plan MakePlan(const Input& given, Diagnostics& diags) {
  plan::Plan plan;
  plan.program = given.config->program;
  plan.mode = given.options.mode;
  plan.timestamp = given.options.plan_timestamp;
  plan.prior_state.program = plan.program;
  plan.previous_state.program = plan.program;
  size_t errors = diags.error_count();

  // A configuration that is wrong in itself is not planned at all.
  Validate(given, diags);
  if (diags.error_count() != errors) {
    plan.errored = true;
    plan.rejected = true;
    return plan;
  }
  WarnOfDeprecatedVariables(given, diags);
  plan.targets = given.options.targets;
  plan.excludes = given.options.excludes;
  if (!plan.targets.empty() || !plan.excludes.empty()) {
    diags.Warning(
        "Resource targeting is in effect",
        "With -target or -exclude, a plan covers only a part of what the configuration asks for. "
        "The options are meant for mending what went wrong, not for everyday use.");
  }
  Refactoring refactoring(*given.config, given.prior_state);
  if (given.options.mode != plan::Mode::kDestroy) {
    refactoring.ValidateRemoved(diags);
  }
  if (given.options.mode != plan::Mode::kRefreshOnly) {
    CheckImportTargets(*given.config, given.generated != nullptr, diags);
  }
  CheckTargetedMoves(given, refactoring, diags);
  if (diags.error_count() != errors) {
    plan.errored = true;
    plan.rejected = true;
    return plan;
  }
  if (given.generated != nullptr) {
    AddGeneratedBlocks(*given.config, *given.generated);
  }
  Input input = given;
  input.options.imports = given.options.mode != plan::Mode::kRefreshOnly;
  input.refactoring = &refactoring;
  if (refactoring.state() != nullptr) {
    input.prior_state = refactoring.state();
  }
  switch (input.options.mode) {
    case plan::Mode::kNormal:
      RunPlanWalk(input, Severity::kError, plan, diags);
      break;
    case plan::Mode::kRefreshOnly:
      RunPlanWalk(input, Severity::kWarning, plan, diags);
      break;
    case plan::Mode::kDestroy:
      PlanDestroyAll(input, RunPlanWalk, plan, diags);
      break;
  }
  // What was checked before says nothing of the state that is planned from.
  plan.prior_state.checks.clear();
  plan.prior_state.has_checks = false;
  plan.errored = diags.error_count() != errors;
  return plan;
}

}  // namespace kinu::engine
