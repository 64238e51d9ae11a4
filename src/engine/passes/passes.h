// The passes that build a walk's graph, in the order in which they run. Each is one function in one
// file; its comment says what it needs and gives. The order is the contract (docs/engine.md).
#pragma once

#include "engine/apply_graph.h"
#include "engine/plan_graph.h"

namespace kinu::engine {

/// Needs: configuration. Gives: one node per block of every module in the tree, ids contiguous per
/// kind.
void AddConfigObjects(PlanGraph& graph);

/// Needs: config nodes, prior state. Gives: orphan and deposed nodes for state rows that no block
/// covers. (Rows of configured blocks are attached when the block expands.)
void AddStateObjects(PlanGraph& graph);

/// Needs: blocks and orphans. Gives: the provider of each, and provider nodes with edges to them;
/// false with problems when the configuration lacks one.
bool AttachProviders(PlanGraph& graph, Diagnostics& diags);

/// Needs: providers. Gives: the schema of each block; problems for unknown types.
bool AttachSchemas(PlanGraph& graph, Diagnostics& diags);

/// Needs: schemas (they say which names are references). Gives: an edge per reference, bindings of
/// all traversals, module edges. Beyond this pass no configuration node is added. False when a
/// module calls functions of providers that it does not require; an apply, which comes after a plan
/// that reported those, does not look for them.
bool ConnectReferences(PlanGraph& graph, ApplyGraph* apply, Diagnostics& diags);

/// Needs: all edges. Gives: the dependency list of each resource block (R1), hash-consed.
void CollectDependencies(PlanGraph& graph);

/// Needs: all edges. Gives: the nodes that -target or -exclude keep, and the blocks whose rows are
/// picked one by one (T1, T2).
void ApplyTargeting(PlanGraph& graph);

/// Needs: cells with their edges. Gives: the same for an apply, down to the rows of cells (T4).
void ApplyTargetingToCells(PlanGraph& graph, ApplyGraph& apply);

/// Needs: all edges, targeting. Gives: create_before_destroy of each block, forced backwards (R3).
void PropagateCreateBeforeDestroy(PlanGraph& graph);

/// Needs: a finished graph. Gives: a node per ephemeral block that closes its objects once all that
/// need them are done, failed or not.
void AddCloseNodes(PlanGraph& graph);

/// Needs: a finished graph. Reports each cycle with its members. True when there is none.
bool CheckAcyclic(const PlanGraph& graph, Diagnostics& diags);

/// Reports arguments that a called module does not have, and those that it misses. Planning and
/// applying come after a validation that did this. Ref: transform_module_variable.go.
bool CheckModuleInputs(const PlanGraph& graph, Diagnostics& diags);

/// Needs: nothing. Gives: the providers of the planned changes, in the order of the changes.
void AddPlannedProviders(PlanGraph& graph, const ApplyGraph& apply);

/// Needs: blocks. Gives: the dependency lists that new objects will store, and the
/// create_before_destroy of each block: those of the block graph alone.
bool CopyBlockDependencies(PlanGraph& graph, Diagnostics& diags);

/// Needs: connected cells. Gives: the edges of rule A8 that close no cycle; a finished graph.
void AddOptionalEdges(PlanGraph& graph, ApplyGraph& apply);

/// Needs: a finished graph. Reports cells that wait for themselves or for each other.
bool CheckCellOrder(const PlanGraph& graph, const ApplyGraph& apply, Diagnostics& diags);

}  // namespace kinu::engine
