#include "engine/build_graph.h"

#include "engine/cells.h"
#include "engine/imports.h"
#include "engine/passes/passes.h"

namespace kinu::engine {
namespace {

constexpr uint8_t Bit(WalkKind kind) {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(kind));
}
constexpr uint8_t kChecks = Bit(WalkKind::kValidate) | Bit(WalkKind::kEval);
constexpr uint8_t kPlans = Bit(WalkKind::kPlan);
constexpr uint8_t kApplies = Bit(WalkKind::kApply);
constexpr uint8_t kBlocks = kChecks | kPlans;

constexpr Pass kPasses[] = {
    {.name = "CheckModuleInputs",
     .walks = "validate, eval",
     .gives = "errors for arguments that a called module lacks or misses",
     .kinds = kChecks,
     .run = [](GraphBuild& build) { return CheckModuleInputs(build.graph, build.diags); }},
    {.name = "AddConfigObjects",
     .walks = "all",
     .gives = "a node per block",
     .kinds = kBlocks | kApplies,
     .run =
         [](GraphBuild& build) {
           AddConfigObjects(build.graph);
           return true;
         }},
    {.name = "AddStateObjects",
     .walks = "validate, plan, eval",
     .gives = "orphan and deposed nodes",
     .kinds = kBlocks,
     .run =
         [](GraphBuild& build) {
           AddStateObjects(build.graph);
           return true;
         }},
    {.name = "AddPlannedProviders",
     .walks = "apply",
     .gives = "the providers of the planned changes",
     .kinds = kApplies,
     .run =
         [](GraphBuild& build) {
           AddPlannedProviders(build.graph, *build.apply);
           return true;
         }},
    {.name = "AttachProviders",
     .walks = "all",
     .gives = "the provider of each block, provider nodes",
     .kinds = kBlocks | kApplies,
     .run = [](GraphBuild& build) { return AttachProviders(build.graph, build.diags); }},
    {.name = "AttachSchemas",
     .walks = "all",
     .gives = "the schema of each block",
     .kinds = kBlocks | kApplies,
     .run =
         [](GraphBuild& build) {
           AttachSchemas(build.graph, build.diags);
           return !build.diags.has_errors();
         }},
    {.name = "AttachImports",
     .walks = "validate, plan, eval",
     .gives = "the import blocks of each resource block",
     .kinds = kBlocks,
     .run =
         [](GraphBuild& build) {
           AttachImports(build.graph);
           return true;
         }},
    {.name = "ConnectReferences",
     .walks = "all",
     .gives = "an edge per reference; from here on no block is added",
     .kinds = kBlocks | kApplies,
     .run =
         [](GraphBuild& build) {
           return ConnectReferences(build.graph, build.apply, build.diags);
         }},
    {.name = "CheckAcyclic",
     .walks = "validate, plan, eval",
     .gives = "an error per cycle of blocks",
     .kinds = kBlocks,
     .run = [](GraphBuild& build) { return CheckAcyclic(build.graph, build.diags); }},
    {.name = "CollectDependencies",
     .walks = "plan",
     .gives = "the dependency list of each resource block, shared where equal",
     .kinds = kPlans,
     .run =
         [](GraphBuild& build) {
           CollectDependencies(build.graph);
           return true;
         }},
    {.name = "ApplyTargeting",
     .walks = "plan",
     .gives = "the nodes that -target or -exclude keep",
     .kinds = kPlans,
     .run =
         [](GraphBuild& build) {
           ApplyTargeting(build.graph);
           return true;
         }},
    {.name = "PropagateCreateBeforeDestroy",
     .walks = "plan",
     .gives = "the flag of each block, forced by dependents",
     .kinds = kPlans,
     .run =
         [](GraphBuild& build) {
           PropagateCreateBeforeDestroy(build.graph);
           return true;
         }},
    {.name = "CopyBlockDependencies",
     .walks = "apply",
     .gives = "dependency lists and flags as a plan of the same blocks has them",
     .kinds = kApplies,
     .run = [](GraphBuild& build) { return CopyBlockDependencies(build.graph, build.diags); }},
    {.name = "MakeCells",
     .walks = "apply",
     .gives = "a node per cell of changes",
     .kinds = kApplies,
     .run =
         [](GraphBuild& build) {
           MakeCells(build.graph, *build.apply);
           return true;
         }},
    {.name = "ConnectCells",
     .walks = "apply",
     .gives = "edges between cells, blocks and values; joins",
     .kinds = kApplies,
     .run =
         [](GraphBuild& build) {
           ConnectCells(build.graph, *build.apply);
           return true;
         }},
    {.name = "AddOptionalEdges",
     .walks = "apply",
     .gives = "edges between provider configurations that close no cycle",
     .kinds = kApplies,
     .run =
         [](GraphBuild& build) {
           AddOptionalEdges(build.graph, *build.apply);
           return true;
         }},
    {.name = "DropUnusedValues",
     .walks = "apply",
     .gives = "ends of modules that wait for no value that nothing needs",
     .kinds = kApplies,
     .run =
         [](GraphBuild& build) {
           DropUnusedValues(build.graph);
           return true;
         }},
    {.name = "ApplyTargetingToCells",
     .walks = "apply",
     .gives = "the rows that -target or -exclude keep",
     .kinds = kApplies,
     .run =
         [](GraphBuild& build) {
           ApplyTargetingToCells(build.graph, *build.apply);
           return true;
         }},
    {.name = "AddCloseNodes",
     .walks = "plan, apply",
     .gives = "a node per ephemeral block that closes its objects",
     .kinds = kPlans | kApplies,
     .run =
         [](GraphBuild& build) {
           AddCloseNodes(build.graph);
           return true;
         }},
    {.name = "CheckCellOrder",
     .walks = "apply",
     .gives = "an error per cycle of cells",
     .kinds = kApplies,
     .run =
         [](GraphBuild& build) { return CheckCellOrder(build.graph, *build.apply, build.diags); }},
};

bool RunPasses(GraphBuild build) {
  for (const Pass& pass : kPasses) {
    if (pass.RunsIn(build.graph.context.kind) && !pass.run(build)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::span<const Pass> Passes() {
  return kPasses;
}

bool BuildGraph(PlanGraph& graph, Diagnostics& diags) {
  return RunPasses({graph, nullptr, diags});
}

bool BuildApplyGraph(PlanGraph& graph, ApplyGraph& apply, Diagnostics& diags) {
  return RunPasses({graph, &apply, diags});
}

}  // namespace kinu::engine
