// The plan walk, from configuration to plan. Read this file first.
//
// Validate            an invalid configuration is not planned
// Refactoring         moves come before the graph, which has a node per object of the moved state
// CheckImportTargets  before the graph, which looks for the block of each import
// BuildGraph          the order of blocks
// Run                 each node refreshes its objects and plans them
// AssemblePlan        after all nodes, in graph order, so that the plan does not depend on timing
// RelevantAttributes  follows the references of the changes
// FinishPlan          in any case: what the plan records of the request; last the order of an
//                     apply, so that cycles are reported before anything changes
#include "engine/plan.h"

#include <algorithm>

#include "engine/apply.h"
#include "engine/assemble.h"
#include "engine/build_graph.h"
#include "engine/cells.h"
#include "engine/evaluation.h"
#include "engine/imports.h"
#include "engine/module_references.h"
#include "engine/spans.h"
#include "engine/walks/node_table.h"
#include "engine/walks/walked_instances.h"
#include "engine/walks/walks.h"
#include "refactoring/refactoring.h"

namespace kinu::engine {
namespace {

constexpr NodeTable<NodeContext> kPlanNodes({
    {NodeKind::kModule, ExpandModule},
    {NodeKind::kVariable, EvaluateVariable},
    {NodeKind::kLocal, EvaluateLocal},
    {NodeKind::kOutput, EvaluateOutput},
    {NodeKind::kCheck, EvaluateCheck},
    {NodeKind::kProvider, ConfigureProvider},
    {NodeKind::kResource, PlanResource},
    {NodeKind::kOrphan, PlanOrphan},
    {NodeKind::kDeposed, PlanDeposed},
    {NodeKind::kClose, CloseEphemerals},
});

/// Objects that moved must be planned at both addresses: otherwise a second object would be
/// created. Ref: context_plan.go prePlanVerifyTargetedMoves.
void CheckTargetedMoves(const WalkContext& context, Diagnostics& diags) {
  const Program& program = *context.config->program;
  const Targets& targets = context.targets;
  if (!targets.active()) {
    return;
  }
  std::vector<AbsResource> outside;
  for (const auto& [from, to] : context.refactoring->Moves()) {
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

/// Declares the checks that were not evaluated because a dependency failed. Their instances are
/// known from the expansion of their modules. Ref: transform_check.go, node_check.go
/// nodeReportCheck.
void DeclareUnreachedChecks(const Walk& walk, CheckRecord& checks) {
  for (const auto& node : walk.config.nodes) {
    const PlanGraph::Bases& bases = walk.graph.bases[node->index];
    if (bases.module != kNoNode && !walk.scheduler.Succeeded(bases.module)) {
      continue;
    }
    for (size_t i = 0; i < node->module->checks.size(); ++i) {
      const NodeId id = bases.checks + static_cast<NodeId>(i);
      if (walk.scheduler.Succeeded(id) || !walk.graph.Kept(id)) {
        continue;
      }
      for (const ModuleInstance* instance : walk.slots.instances[node->index]) {
        checks.DeclareObject(id, NamedObject(*instance, node->module->checks[i].name));
      }
      checks.DeclareExpanded(id);
    }
  }
}

/// Reports moves and imports that do not fit the instances of the walk. They are likely causes of
/// other errors, so they are reported alone.
bool CheckInstances(const Walk& walk, Diagnostics& diags) {
  if (!CheckImportedInstances(walk, diags)) {
    return false;
  }
  const size_t errors = diags.error_count();
  if (walk.context.refactoring != nullptr) {
    walk.context.refactoring->ValidateMoves(WalkedInstances(walk, true), diags);
  }
  return diags.error_count() == errors;
}

}  // namespace

PlanWalkResult RunPlanWalk(const WalkContext& context, Severity condition_severity,
                           plan::Plan& plan, Diagnostics& diags) {
  PlanGraph graph(context);
  if (!BuildGraph(graph, diags)) {
    plan.rejected = true;
    return {};
  }
  Walk walk(graph);
  CheckRecord checks;
  DeclareChecks(graph, checks);
  NodeContext node_context{walk, checks};
  node_context.condition_severity = condition_severity;
  Diagnostics found_by_nodes;
  walk.Run(
      [&](NodeId id, Diagnostics& found) {
        kPlanNodes.Execute(graph.node(id).kind, node_context, id, found);
      },
      found_by_nodes);
  DeclareUnreachedChecks(walk, checks);
  Inspect(walk);
  if (!context.command_imports.empty() && found_by_nodes.has_errors()) {
    // After errors the instances that could be imported to are not known.
    diags.Append(std::move(found_by_nodes));
    return {};
  }
  if (!CheckInstances(walk, diags)) {
    plan.rejected = true;
    return {};
  }
  bool sound = !found_by_nodes.has_errors();
  diags.Append(std::move(found_by_nodes));
  if (sound && context.refactoring != nullptr) {
    context.refactoring->WarnBlocked(diags);
  }
  AssemblePlan(walk, checks, plan);
  WarnOfUnreadable(walk, plan, diags);
  walk.slots.DropRows();
  plan.relevant_attributes = RelevantAttributes(walk, plan);
  return {.follows_blocks = FollowsBlocks(graph, plan)};
}

namespace {

/// Stores all root outputs anew, as an import does. What is not known becomes null, and an output
/// whose value is null is left out. Known values are in the state already, where zeros keep their
/// signs. Ref: opentofu internal/tofu/node_output.go setValue.
void StoreOutputs(const Request& request, const plan::Plan& plan, state::State& state) {
  const config::Module& root = *request.config->root().module;
  std::vector<state::OutputValue> stored;
  for (const plan::OutputChange& change : plan.outputs) {
    if (change.action == plan::Action::kDelete) {
      continue;
    }
    const int at = root.FindOutput(request.config->program->Find(change.name));
    const config::Output& output = root.outputs[static_cast<size_t>(at)];
    const state::OutputValue* known =
        change.after.IsWhollyKnown() ? state.FindOutput(change.name) : nullptr;
    stored.push_back({change.name, known != nullptr ? known->value : change.after.UnmarkDeep(),
                      output.sensitive, output.deprecated});
  }
  state.outputs.clear();
  for (state::OutputValue& output : stored) {
    state.SetOutput(std::move(output));
  }
}

}  // namespace

state::State ImportToState(const Request& request, std::span<const ImportTarget> targets,
                           Diagnostics& diags) {
  WalkContext context(WalkKind::kPlan, request);
  context.command_imports = targets;
  context.mode = plan::Mode::kRefreshOnly;
  context.refresh = false;
  plan::Plan plan;
  plan.program = request.config->program;
  plan.mode = plan::Mode::kRefreshOnly;
  RunPlanWalk(context, Severity::kWarning, plan, diags);
  if (diags.has_errors()) {
    return request.prior_state->Clone();
  }
  StoreOutputs(request, plan, plan.prior_state);
  plan.prior_state.checks.clear();
  plan.prior_state.has_checks = false;
  return std::move(plan.prior_state);
}

namespace {

/// Warns of values for deprecated variables of the root module.
void WarnOfDeprecatedVariables(const Request& request, Diagnostics& diags) {
  const config::Module& root = *request.config->root().module;
  for (const config::Variable& variable : root.variables) {
    if (variable.deprecated.empty()) {
      continue;
    }
    const std::string name(request.config->program->Text(variable.name));
    const auto given = request.variables->find(name);
    if (given != request.variables->end() && given->second.source != config::InputSource::kConfig) {
      diags.Warning("Deprecated variable used from the root module",
                    "The root variable \"" + name +
                        "\" is deprecated with the following message: " + variable.deprecated,
                    variable.range);
    }
  }
}

/// A plan without changes.
plan::Plan StartPlan(const Request& request) {
  plan::Plan plan;
  plan.program = request.config->program;
  plan.mode = request.options.mode;
  plan.timestamp = request.options.plan_timestamp;
  plan.prior_state.program = plan.program;
  plan.previous_state.program = plan.program;
  return plan;
}

/// Whether a normal plan is made: by itself, or to refresh what is destroyed.
bool PlansChanges(const WalkContext& context) {
  return context.mode == plan::Mode::kNormal ||
         (context.mode == plan::Mode::kDestroy && context.refresh &&
          context.prior_state != nullptr && !context.prior_state->empty());
}

/// Checks the request against the configuration and the state.
void CheckRequest(const WalkContext& context, Diagnostics& diags) {
  const Request& request = context.request;
  WarnOfDeprecatedVariables(request, diags);
  if (context.targets.active()) {
    diags.Warning(
        "Resource targeting is in effect",
        "With -target or -exclude, a plan covers only a part of what the configuration asks for. "
        "The options are meant for mending what went wrong, not for everyday use.");
  }
  if (PlansChanges(context)) {
    const size_t errors = diags.error_count();
    meta_arguments::CheckImportTargets(*request.config, request.generated != nullptr, diags);
    if (diags.error_count() == errors) {
      context.refactoring->ValidateRemoved(diags);
    }
  }
  CheckTargetedMoves(context, diags);
}

/// The values of root variables, as the plan file keeps them.
std::vector<plan::PlanVariable> RecordVariables(const Request& request) {
  std::vector<plan::PlanVariable> out;
  const config::Module& root = *request.config->root().module;
  for (const auto& [name, given] : *request.variables) {
    const int index = root.FindVariable(request.config->program->Find(name));
    if (index < 0) {
      continue;
    }
    const config::Variable& variable = root.variables[static_cast<size_t>(index)];
    if (given.value) {
      out.push_back({name, given.value->UnmarkDeep(), variable.ephemeral});
    } else if (variable.default_value) {
      out.push_back({name, *variable.default_value, variable.ephemeral});
    }
  }
  return out;
}

/// Completes a plan; `failed`: planning reported errors. `ordered`: its changes have no cycle.
void FinishPlan(const Request& request, bool failed, bool ordered, ReferenceCollection& references,
                plan::Plan& plan, Diagnostics& diags) {
  plan.errored = failed;
  // Check results of earlier runs do not apply to the planned state.
  plan.prior_state.checks.clear();
  plan.prior_state.has_checks = false;
  plan.terraform_version = request.record.version;
  plan.backend = request.record.backend;
  plan.force_replace = request.options.force_replace;
  plan.variables = RecordVariables(request);
  if (failed || ordered) {
    return;
  }
  Diagnostics order;
  CheckApplyGraph(request, plan, references, order);
  if (plan.mode == plan::Mode::kDestroy && order.has_errors()) {
    plan.errored = plan.rejected = true;  // a destruction without an order is no plan
  }
  diags.Append(std::move(order));
}

/// Plans the request. `references`: receives those of its configuration.
PlanWalkResult FillPlan(const Request& request, ReferenceCollection& references, plan::Plan& plan,
                        Diagnostics& diags) {
  const size_t errors = diags.error_count();
  auto rejected = [&] { return plan.rejected = diags.error_count() != errors; };
  if (!request.validated) {
    Validate(request, diags, &references);
  }
  plan.invalid = rejected();
  if (plan.invalid) {
    return {};
  }
  trace::Span phase(kTraceScope, "Plan phase");
  DescribePlan(phase, request);
  if (!request.options.force_replace.empty() && request.options.mode != plan::Mode::kNormal) {
    diags.Error("Unsupported plan mode",
                "Forcing resource instance replacement (with -replace=...) is allowed only in "
                "normal planning mode.");
  }
  if (rejected()) {
    return {};
  }
  plan.targets = request.options.targets;
  plan.excludes = request.options.excludes;
  const refactoring::Refactoring refactoring(*request.config, request.prior_state);
  WalkContext context(WalkKind::kPlan, request);
  context.validated = true;
  context.refactoring = &refactoring;
  CheckRequest(context, diags);
  if (rejected()) {
    return {};
  }
  context.references = request.validated ? nullptr : &references;
  if (request.generated != nullptr) {
    request.generated->AddBlocks(*request.config);
    context.config = request.generated->config();
    context.references = nullptr;  // it may have further blocks
  }
  context.imports = context.mode != plan::Mode::kRefreshOnly;
  if (refactoring.state() != nullptr) {
    context.prior_state = refactoring.state();
  }
  switch (context.mode) {
    case plan::Mode::kNormal:
      return RunPlanWalk(context, Severity::kError, plan, diags);
    case plan::Mode::kRefreshOnly:
      return RunPlanWalk(context, Severity::kWarning, plan, diags);
    case plan::Mode::kDestroy:
      RunDestroyWalk(context, plan, diags);
      break;
  }
  return {};
}

}  // namespace

plan::Plan MakePlan(const Request& request, Diagnostics& diags) {
  plan::Plan plan = StartPlan(request);
  const size_t errors = diags.error_count();
  ReferenceCollection references;
  const PlanWalkResult result = FillPlan(request, references, plan, diags);
  FinishPlan(request, diags.error_count() != errors, result.follows_blocks, references, plan,
             diags);
  return plan;
}

}  // namespace kinu::engine
