// The passes that group a plan's changes into cells and order them.
#pragma once

#include <string>
#include <vector>

#include "engine/apply_graph.h"

namespace kinu::engine {

/// Groups the plan's changes into cells and adds their nodes.
void MakeCells(PlanGraph& graph, ApplyGraph& apply);

/// Adds the edges between cells, blocks and values.
void ConnectCells(PlanGraph& graph, ApplyGraph& apply);

/// Whether the order of blocks is an order of the plan's changes, so that they have no cycle:
/// nothing is destroyed or forgotten, no block refers to itself, and no data source of a check
/// waits for the changes (A10). `graph`: of the plan walk, without cycles.
bool FollowsBlocks(const PlanGraph& graph, const plan::Plan& plan);

/// The nodes that a cell, check or root output needs; the others are not executed. If `strictly`, a
/// root output does not need the expansions of the blocks that it names, only their objects, and
/// nothing needs those of blocks of which it names single instances. The
/// end of a module needs the module's outputs if something refers to the whole module, and nothing
/// else in it. Ref: pruneUnusedNodesTransformer.
std::vector<bool> NeededNodes(const PlanGraph& graph, bool strictly = false);

/// Drops the edges from the end of a module to nodes that nothing needs (A12). After
/// Graph::Finish().
void DropUnusedValues(PlanGraph& graph);

/// The name of a cell in messages: each row with its phase.
std::string CellName(const PlanGraph& graph, const ApplyGraph& apply, const Cell& cell);
/// The name of one row of a cell.
std::string CellRowName(const PlanGraph& graph, const ApplyGraph& apply, const Cell& cell,
                        const CellRow& row);

}  // namespace kinu::engine
