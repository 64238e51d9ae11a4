// The passes that build the graph of a walk, in the order in which they run. The comment of each
// says what it needs from earlier passes and what it gives to later ones (docs/engine.md).
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

/// Needs: blocks and orphans. Gives: the provider of each, and provider nodes with edges to them.
/// False, with diagnostics, if the configuration lacks one.
bool AttachProviders(PlanGraph& graph, Diagnostics& diags);

/// Needs: providers. Gives: the schema of each block. False, with diagnostics, if a schema cannot
/// be loaded.
bool AttachSchemas(PlanGraph& graph, Diagnostics& diags);

/// Needs: providers. Gives: the providers that the root module requires and nothing uses, because
/// an expression that is typed later may call their functions. They get no schema here.
void AddCallableProviders(PlanGraph& graph);

/// Needs: schemas, which decide which names are references. Gives: an edge per reference, bindings
/// of all traversals, module edges. Later passes add no nodes for blocks. False, with diagnostics,
/// if a module calls functions of providers that it does not require; an apply does not check this,
/// because its plan has.
bool ConnectReferences(PlanGraph& graph, ApplyGraph* apply, Diagnostics& diags);

/// Needs: all edges, stored objects, imports. Gives: the dependency list of each resource block
/// whose objects are stored, shared if equal.
void CollectDependencies(PlanGraph& graph);

/// Needs: all edges. Gives: the nodes that -target or -exclude keep, and the blocks whose rows are
/// selected one by one.
void ApplyTargeting(PlanGraph& graph);

/// Needs: cells with their edges. Gives: the rows of cells that -target or -exclude keep.
void ApplyTargetingToCells(PlanGraph& graph, ApplyGraph& apply);

/// Needs: all edges, targeting. Gives: create_before_destroy of each block, own or forced
/// by a dependent.
void PropagateCreateBeforeDestroy(PlanGraph& graph);

/// Needs: a finished graph. Gives: a node per ephemeral block that closes its objects after all
/// their dependents, even if these fail.
void AddCloseNodes(PlanGraph& graph);

/// Needs: a finished graph. Reports each cycle with its members. True if there is none.
bool CheckAcyclic(const PlanGraph& graph, Diagnostics& diags);

/// Reports unknown and missing arguments of module calls, unless a validation did it already. Ref:
/// transform_module_variable.go.
bool CheckModuleInputs(const PlanGraph& graph, Diagnostics& diags);

/// Needs: nothing. Gives: the providers of the planned changes, in the order of the changes.
void AddPlannedProviders(PlanGraph& graph, const ApplyGraph& apply);

/// Needs: blocks. Gives: the dependency lists that new objects store, and create_before_destroy of
/// each block, as the graph of a plan has them.
bool CopyBlockDependencies(PlanGraph& graph, Diagnostics& diags);

/// Needs: connected cells. Gives: the edges of rule A8 that close no cycle; a finished graph.
void AddOptionalEdges(PlanGraph& graph, ApplyGraph& apply);

/// Needs: a finished graph. Reports cells that wait for themselves or for each other.
bool CheckCellOrder(const PlanGraph& graph, const ApplyGraph& apply, Diagnostics& diags);

}  // namespace kinu::engine
