// Cells: what apply runs on. A cell is the maximal set of rows that share block, phase, module
// instance, stored dependency list and (where configuration names one) the singled-out key. Cells,
// not rows, carry edges; one to three per block and module instance whatever count is.
//
// "All rows of a" across modules goes through joins and gates, so nobody pairs instances with
// instances. Rules A1 to A9 of docs/engine.md.
#pragma once

#include "engine/walk.h"

namespace kinu::engine {

enum class Phase : uint8_t {
  kApply,    ///< A: create, update, read, the create half of a replacement
  kCheck,    ///< A-check: nothing to do but conditions to evaluate again
  kDestroy,  ///< D: destroy, before what it depended on changes
  kDispose,  ///< K: destroy after dependents moved on (create_before_destroy, deposed objects)
  kForget,   ///< F: drop from the state only
};

/// One row's part in a phase.
struct CellRow {
  uint32_t change = 0;  ///< index into Plan::changes
  bool done = false;
  bool failed = false;
  bool kept = true;  ///< false: -target or -exclude leaves it out
};

/// A row of another cell that waits for a row of this one (A4).
struct RowFollower {
  uint32_t row = 0;            ///< here
  uint32_t cell = 0;           ///< index of the other cell
  uint32_t following_row = 0;  ///< there
};

struct Cell {
  AbsResource resource;                      ///< module instance and resource
  const config::ConfigNode* node = nullptr;  ///< null when the block is gone
  int block = -1;                            ///< index in the module's resources, or -1
  Phase phase = Phase::kApply;
  state::DependencyList dependencies;  ///< of the stored objects, or the block's
  InstanceKey single;  ///< the key that configuration names, if it has a cell of its own
  bool has_single = false;
  bool left_over = false;      ///< kForget of deposed objects, which nobody waits for
  bool names_itself = false;   ///< its rows wait for each other: two of them are a cycle
  bool runs_commands = false;  ///< provisioners: as slow as a provider process
  uint32_t provider = 0;
  NodeId id = kNoNode;
  std::vector<CellRow> rows;
  std::vector<RowFollower> followers;  ///< ordered by row
  std::vector<uint32_t> followed_by;   ///< cells of `followers`, in order, once each
  std::vector<uint32_t> follows;       ///< cells that have this one in `followed_by`, in order
  bool begun = false;                  ///< its rows are being carried out, or were
  /// A dependent that changes is replaced create-first, so these rows are too (R4).
  bool forced_create_first = false;
};

/// Whether carrying out the rows takes a provider: what was read is forgotten without one.
inline bool TakesProvider(const Cell& cell) {
  return cell.phase != Phase::kDestroy || cell.resource.resource.mode != ResourceMode::kData;
}

/// Index of the join (see NodeKind::kJoin) that data sources of checks wait for.
inline constexpr uint32_t kCheckStart = 1;

/// Groups the plan's changes into cells and adds their nodes.
void MakeCells(Walk& walk, const plan::Plan& plan);

/// Draws the edges between cells, blocks and values. `destroy_all`: everything goes, so no
/// provider-crossing edge may be dropped.
void ConnectCells(Walk& walk, const plan::Plan& plan, bool destroy_all);

/// Nodes that some cell, check or root output needs; the others are not executed. With `strictly`,
/// expansions of blocks that only root outputs name themselves do not count: those look at the
/// objects alone. The end of a module needs no variables and locals
/// for itself. Ref: pruneUnusedNodesTransformer.
std::vector<bool> NeededNodes(const Walk& walk, bool strictly = false);

/// The end of a module does not wait for values that nothing needs (A12). After Graph::Finish().
void DropUnusedValues(Walk& walk);

/// What a cycle between cells is called: each row with its phase.
std::string CellName(const Walk& walk, const plan::Plan& plan, const Cell& cell);
/// One row of it.
std::string CellRowName(const Walk& walk, const plan::Plan& plan, const Cell& cell,
                        const CellRow& row);

}  // namespace kinu::engine
