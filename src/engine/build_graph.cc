#include "engine/build_graph.h"

#include <concepts>

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
constexpr uint8_t kAll = kBlocks | kApplies;

/// Calls a pass with the arguments that it takes. After a pass that returns nothing the next one
/// runs.
template <auto F>
bool Call(GraphBuild& build) {
  auto call = [&] {
    using Function = decltype(F);
    if constexpr (std::invocable<Function, PlanGraph&>) {
      return F(build.graph);
    } else if constexpr (std::invocable<Function, PlanGraph&, Diagnostics&>) {
      return F(build.graph, build.diags);
    } else if constexpr (std::invocable<Function, PlanGraph&, ApplyGraph&>) {
      return F(build.graph, *build.apply);
    } else if constexpr (std::invocable<Function, PlanGraph&, ApplyGraph&, Diagnostics&>) {
      return F(build.graph, *build.apply, build.diags);
    } else {
      return F(build.graph, build.apply, build.diags);
    }
  };
  if constexpr (std::same_as<decltype(call()), void>) {
    call();
    return true;
  } else {
    return call();
  }
}

constexpr Pass kPasses[] = {
    {"CheckModuleInputs",
     "errors for arguments that a called module lacks or misses, unless a validation came before",
     kAll, Call<CheckModuleInputs>},
    {"AddConfigObjects", "a node per block", kAll, Call<AddConfigObjects>},
    {"AddStateObjects", "orphan and deposed nodes", kBlocks, Call<AddStateObjects>},
    {"AddPlannedProviders", "the providers of the planned changes", kApplies,
     Call<AddPlannedProviders>},
    {"AttachProviders", "the provider of each block, provider nodes", kAll, Call<AttachProviders>},
    {"AttachSchemas", "the schema of each block", kAll, Call<AttachSchemas>},
    {"AddCallableProviders", "the providers that the root module requires, for their functions",
     Bit(WalkKind::kEval), Call<AddCallableProviders>},
    {"AttachImports", "the import blocks of each resource block", kBlocks, Call<AttachImports>},
    {"ConnectReferences", "an edge per reference; from here on no block is added", kAll,
     Call<ConnectReferences>},
    {"CheckAcyclic", "an error per cycle of blocks", kBlocks, Call<CheckAcyclic>},
    {"CollectDependencies",
     "the dependency list of each block with stored objects, shared where equal", kPlans,
     Call<CollectDependencies>},
    {"ApplyTargeting", "the nodes that -target or -exclude keep", kPlans, Call<ApplyTargeting>},
    {"PropagateCreateBeforeDestroy", "the flag of each block, forced by dependents", kPlans,
     Call<PropagateCreateBeforeDestroy>},
    {"CopyBlockDependencies", "dependency lists and flags as a plan of the same blocks has them",
     kApplies, Call<CopyBlockDependencies>},
    {"MakeCells", "a node per cell of changes", kApplies, Call<MakeCells>},
    {"ConnectCells", "edges between cells, blocks and values; joins", kApplies, Call<ConnectCells>},
    {"AddOptionalEdges", "edges between provider configurations that close no cycle", kApplies,
     Call<AddOptionalEdges>},
    {"DropUnusedValues", "ends of modules that wait for no node that nothing needs", kApplies,
     Call<DropUnusedValues>},
    {"ApplyTargetingToCells", "the rows that -target or -exclude keep", kApplies,
     Call<ApplyTargetingToCells>},
    {"AddCloseNodes", "a node per ephemeral block that closes its objects", kPlans | kApplies,
     Call<AddCloseNodes>},
    {"CheckCellOrder", "an error per cycle of cells", kApplies, Call<CheckCellOrder>},
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
