// The passes that group a plan's changes into cells and order them.
#pragma once

#include <string>
#include <vector>

#include "engine/apply_graph.h"

namespace kinu::engine {

/// Groups the plan's changes into cells and adds their nodes.
void MakeCells(PlanGraph& graph, ApplyGraph& apply);

/// Draws the edges between cells, blocks and values.
void ConnectCells(PlanGraph& graph, ApplyGraph& apply);

/// Nodes that some cell, check or root output needs; the others are not executed. With `strictly`,
/// expansions of blocks that only root outputs name themselves do not count: those look at the
/// objects alone. The end of a module needs no variables and locals
/// for itself. Ref: pruneUnusedNodesTransformer.
std::vector<bool> NeededNodes(const PlanGraph& graph, bool strictly = false);

/// The end of a module does not wait for values that nothing needs (A12). After Graph::Finish().
void DropUnusedValues(PlanGraph& graph);

/// How messages name a cell: each row with its phase.
std::string CellName(const PlanGraph& graph, const ApplyGraph& apply, const Cell& cell);
/// One row of it.
std::string CellRowName(const PlanGraph& graph, const ApplyGraph& apply, const Cell& cell,
                        const CellRow& row);

}  // namespace kinu::engine
