// The passes that build a walk's graph, in the order in which they run. Each is one function in one
// file; its comment says what it needs and gives. The order is the contract (docs/engine.md).
#pragma once

#include "engine/walk.h"

namespace kinu::engine {

/// Needs: configuration. Gives: one node per block of every module in the tree, ids contiguous per
/// kind.
void AddConfigObjects(Walk& walk);

/// Needs: config nodes, prior state. Gives: orphan and deposed nodes for state rows that no block
/// covers. (Rows of configured blocks are attached when the block expands.)
void AddStateObjects(Walk& walk);

/// Needs: blocks and orphans. Gives: the provider of each, and provider nodes with edges to them;
/// false with problems when the configuration lacks one.
bool AttachProviders(Walk& walk, Diagnostics& diags);

/// Needs: providers. Gives: the schema of each block; problems for unknown types.
void AttachSchemas(Walk& walk, Diagnostics& diags);

/// Needs: schemas (they tell which names are references). Gives: an edge per reference, bindings of
/// all traversals, module edges. Beyond this pass no configuration node is added.
/// Reports functions of providers that the module does not require, when given `diags`.
void ConnectReferences(Walk& walk, Diagnostics* diags = nullptr);

/// Needs: all edges. Gives: the dependency list of each resource block (R1), hash-consed.
void CollectDependencies(Walk& walk);

/// Needs: all edges. Gives: the nodes that -target or -exclude keep, and the blocks whose rows are
/// picked one by one (T1, T2).
void ApplyTargeting(Walk& walk);

/// Needs: cells with their edges. Gives: the same for an apply, down to the rows of cells (T4).
void ApplyTargetingToCells(Walk& walk, const plan::Plan& plan);

/// Needs: all edges, targeting. Gives: create_before_destroy of each block, forced backwards (R3).
void PropagateCreateBeforeDestroy(Walk& walk);

/// Needs: a finished graph. Gives: a node per ephemeral block that closes its objects once all that
/// need them are done, failed or not.
void AddCloseNodes(Walk& walk);

/// Needs: a finished graph. Reports each cycle with its members. True when there is none.
bool CheckAcyclic(const Walk& walk, Diagnostics& diags);

/// The node's address as messages show it.
std::string NodeName(const Walk& walk, NodeId id);

/// Runs all of the above.
bool BuildGraph(Walk& walk, Diagnostics& diags);

}  // namespace kinu::engine
