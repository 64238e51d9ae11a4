// The apply walk: executes a plan on cells. Read walks/plan.cc first.
//
// BuildApplyGraph  cells from the changes; a cycle ends the apply before anything changes
// NeededNodes      values that no cell and no root output needs are not evaluated
// StartRecording   before the first change, so that none is lost
// MakeRowGates     before the nodes run: rows that follow rows of other cells wait at gates
// Run              expansions, values and cells; each finished object is recorded at once
// FinishState      removed outputs, and the results of the checks
#include "engine/apply.h"

#include <algorithm>

#include "engine/build_graph.h"
#include "engine/cells.h"
#include "engine/evaluation.h"
#include "engine/rows/apply_row.h"
#include "engine/spans.h"
#include "engine/walks/node_table.h"
#include "refactoring/refactoring.h"

namespace kinu::engine {
namespace {

/// A node function that does not use the ApplyContext.
template <void (*F)(NodeContext&, NodeId, Diagnostics&)>
void Plain(ApplyContext& context, NodeId id, Diagnostics& diags) {
  F(context.node, id, diags);
}

/// Evaluates an output; those of the root module are recorded.
void ApplyOutput(ApplyContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.node.walk;
  const Node& node = walk.graph.node(id);
  const bool is_root = node.config_node == 0;
  if (is_root && context.node.destroying) {
    return;
  }
  EvaluateOutput(context.node, id, diags);
  const config::Output& output = walk.graph.PlaceOf(node).module->outputs[node.index];
  if (is_root && !diags.has_errors() && !output.ephemeral) {
    context.recorder.SetOutput({std::string(walk.program.Text(output.name)),
                                walk.slots.root->outputs[node.index].value().UnmarkDeep(),
                                output.sensitive, output.deprecated});
  }
}

constexpr NodeTable<ApplyContext> kApplyNodes({
    {NodeKind::kModule, Plain<ExpandModule>},
    {NodeKind::kVariable, Plain<EvaluateVariable>},
    {NodeKind::kLocal, Plain<EvaluateLocal>},
    {NodeKind::kOutput, ApplyOutput},
    {NodeKind::kCheck, Plain<EvaluateCheck>},
    {NodeKind::kProvider, Plain<ConfigureProvider>},
    {NodeKind::kResource, ExpandForApply},
    {NodeKind::kClose, Plain<CloseEphemerals>},
    {NodeKind::kCell, ExecuteCell},
});

/// Whether any object changes.
bool HasWork(const plan::Plan& plan) {
  return std::any_of(
      plan.changes.begin(), plan.changes.end(),
      [](const plan::ResourceChange& change) { return change.action != plan::Action::kNoOp; });
}

/// The values of outputs that the plan knows: these are not evaluated again. Ref: opentofu
/// node_output.go NodeApplyableOutput.Execute.
FlatMap<ResourceInstance, const Value*> KnownOutputs(const Program& program,
                                                     const plan::Plan& plan) {
  FlatMap<ResourceInstance, const Value*> known;
  for (const plan::OutputChange& change : plan.outputs) {
    const Symbol name = program.Find(change.name);
    if (!name.empty() && change.action != plan::Action::kDelete && change.after.IsWhollyKnown()) {
      known[NamedObject(ModuleInstId(), name)] = &change.after;
    }
  }
  for (const plan::ModuleOutput& output : plan.module_outputs) {
    if (plan.mode != plan::Mode::kDestroy && output.value.IsWhollyKnown()) {
      known[NamedObject(output.module, output.name)] = &output.value;
    }
  }
  return known;
}

/// Counts what the walk does not come to: imported objects, which the prior state has already, and
/// objects to forget.
void CountWithoutWalk(const plan::Plan& plan, ApplyCounts& counts) {
  for (const plan::ResourceChange& change : plan.changes) {
    counts.imported += change.importing ? 1 : 0;
    counts.forgotten += change.action == plan::Action::kForget ? 1 : 0;
  }
}

void FinishState(const Recorder& recorder, const CheckRecord& checks, const plan::Plan& plan,
                 ApplyResult& result) {
  state::DropHusks(result.state);
  state::DropEmptyResources(result.state);
  result.counts = recorder.counts;
  // A refresh-only plan has evaluated all conditions.
  result.checks = plan.mode == plan::Mode::kRefreshOnly ? plan.checks : checks.Results();
  result.state.checks = result.checks;
  result.state.has_checks = !result.checks.empty();
}

/// Runs the walk on a valid graph.
void RunApplyWalk(const PlanGraph& graph, const ApplyGraph& apply, state::Store* store,
                  ApplyResult& result, Diagnostics& diags) {
  const plan::Plan& plan = apply.plan;
  Walk walk(graph, &apply);
  CheckRecord checks;
  DeclareChecks(graph, checks);
  checks.DeclareObjectsOf(plan.checks);
  NodeContext node_context{walk, checks};
  node_context.destroying = plan.mode == plan::Mode::kDestroy;
  node_context.known_outputs = KnownOutputs(graph.program, plan);
  Recorder recorder(
      result.state, store, [&walk] { walk.scheduler.Halt(); }, graph.context.request.stop);
  const refactoring::Refactoring refactoring(walk.config, nullptr);
  ApplyContext context(node_context, recorder, refactoring);
  if (node_context.destroying && !graph.context.targets.active()) {
    // Root outputs are removed first, because they depend on objects.
    result.state.outputs.clear();
  }
  CountWithoutWalk(plan, recorder.counts);
  MakeRowGates(context);
  walk.Run(
      [&](NodeId id, Diagnostics& found) {
        const NodeKind kind = graph.node(id).kind;
        if (apply.needed[id] || kind == NodeKind::kClose) {
          kApplyNodes.Execute(kind, context, id, found);
        }
      },
      diags);
  Inspect(walk);
  if (!recorder.failure().empty()) {
    diags.Error("Failed to record changes",
                "What had become of an object could not be written beside the state, so nothing "
                "further was started: " +
                    recorder.failure() +
                    ". What was done is written with the state, unless an error says otherwise.");
  }
  for (const plan::OutputChange& change : plan.outputs) {
    if (change.action == plan::Action::kDelete && !node_context.destroying) {
      recorder.SetOutput({change.name, Value::Null(Type::Dynamic()), false, ""});
    }
  }
  FinishState(recorder, checks, plan, result);
}

}  // namespace

WalkContext ContextOfApply(const Request& request, const plan::Plan& plan) {
  WalkContext context(WalkKind::kApply, request);
  context.validated = true;
  context.mode = plan.mode;
  context.imports = false;
  context.targets = Targets(*request.config->program, plan.targets, plan.excludes);
  if (request.generated != nullptr && request.generated->config() != nullptr) {
    context.config = request.generated->config();
  }
  return context;
}

void CheckApplyGraph(const Request& request, const plan::Plan& plan,
                     ReferenceCollection& references, Diagnostics& diags) {
  if (!HasWork(plan)) {
    return;
  }
  WalkContext context = ContextOfApply(request, plan);
  if (context.config == request.config) {
    context.references = &references;
  }
  PlanGraph graph(context);
  ApplyGraph apply(plan);
  (void)BuildApplyGraph(graph, apply, diags);
}

void PostImports(const Request& request, const plan::Plan& plan) {
  if (request.events == nullptr) {
    return;
  }
  for (const plan::ResourceChange& change : plan.changes) {
    if (!change.importing) {
      continue;
    }
    Event event{.kind = EventKind::kImportStart, .address = change.address};
    if (change.importing->id.empty()) {
      std::tie(event.id_key, event.id_value) = IdentifyOrNameObject(change.importing->identity);
    } else {
      event.id_key = "id";
      event.id_value = change.importing->id;
    }
    request.events->Post(event);
    event.kind = EventKind::kImportComplete;
    request.events->Post(std::move(event));
  }
}

ApplyResult Apply(const Request& request, const plan::Plan& plan, state::Store* store,
                  Diagnostics& diags) {
  trace::Span phase(kTraceScope, "Apply phase");
  if (phase.on()) {
    phase.Set("opentofu.plan.mode", std::string(ModeWord(plan.mode)));
  }
  PostImports(request, plan);
  ApplyResult result;
  result.state = plan.prior_state.Clone();
  const WalkContext context = ContextOfApply(request, plan);
  PlanGraph graph(context);
  ApplyGraph apply(plan);
  if (!BuildApplyGraph(graph, apply, diags)) {
    return result;
  }
  apply.needed = NeededNodes(graph);
  apply.expanded = NeededNodes(graph, true);
  if (store != nullptr && HasWork(plan)) {
    if (Result<void> recording = store->StartRecording(); !recording) {
      diags.Error("Failed to record changes",
                  "Nothing was changed, because what becomes of it could not be kept if this run "
                  "came to a sudden end: " +
                      recording.error().message + ".");
      return result;
    }
  }
  result.started = true;
  RunApplyWalk(graph, apply, store, result, diags);
  return result;
}

}  // namespace kinu::engine
