// The part of the graph that only an apply has: cells, and references of blocks that become edges
// between cells. A cell is the maximal set of rows that share block, phase, module instance, stored
// dependency list and, if the configuration names single instances, key. Cells have edges, rows do
// not; there are one to three cells per block and module instance, whatever `count` is.
//
// Edges to all rows of a block in all modules go through joins, so instances are never paired with
// instances. Rules A1 to A9 of docs/engine.md.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/plan_graph.h"

namespace kinu::engine {

enum class Phase : uint8_t {
  kApply,    ///< A: create, update, read, the create half of a replacement
  kCheck,    ///< no change, but conditions to evaluate again
  kDestroy,  ///< D: destroy before the dependencies change
  kDispose,  ///< K: destroy after the dependents changed (create_before_destroy, deposed objects)
  kForget,   ///< F: remove from the state only
};

/// The part of one row in a phase.
struct CellRow {
  uint32_t change = 0;  ///< index into Plan::changes
  bool kept = true;     ///< false: -target or -exclude leaves it out
};

/// A row of another cell that waits for a row of this one (A4).
struct RowFollower {
  uint32_t row = 0;            ///< here
  uint32_t cell = 0;           ///< index of the other cell
  uint32_t following_row = 0;  ///< there
};

/// The rows of other cells that come before and after rows of a cell (A4).
struct CellOrder {
  std::vector<RowFollower> followers;  ///< ordered by row
  std::vector<uint32_t> followed_by;   ///< cells of `followers`, in order, once each
  std::vector<uint32_t> follows;       ///< cells that have this one in `followed_by`, in order
};

struct CellFlags {
  bool left_over = false;      ///< kForget of deposed objects: no node waits for it
  bool names_itself = false;   ///< its rows wait for each other: two rows are a cycle
  bool runs_commands = false;  ///< has provisioners, as slow as a provider process
  /// A dependent that changes is replaced with the new object first, so these rows are too.
  bool forced_create_first = false;
};

struct Cell {
  AbsResource resource;            ///< module instance and resource
  const config::ConfigNode* node;  ///< null: the configuration no longer has the module
  int block = -1;                  ///< index in the module's resources, or -1
  Phase phase = Phase::kApply;
  state::DependencyList dependencies;  ///< of the stored objects, or the block's
  std::optional<InstanceKey> single;   ///< the key that configuration names: a cell of its own
  CellFlags flags;
  uint32_t provider = 0;
  NodeId id = kNoNode;
  std::vector<CellRow> rows;
  CellOrder order;

  bool live() const { return phase == Phase::kApply || phase == Phase::kCheck; }
  /// The block; null if the configuration no longer has it.
  const config::Resource* config_block() const {
    return block < 0 ? nullptr : &node->module->resources[static_cast<size_t>(block)];
  }
};

/// Whether executing the rows calls a provider. Data sources are forgotten without one.
inline bool TakesProvider(const Cell& cell) {
  return cell.phase != Phase::kDestroy || cell.resource.resource.mode != ResourceMode::kData;
}

/// Node::index of the join (NodeKind::kJoin) that data sources of checks wait for.
inline constexpr uint32_t kCheckStart = 1;

/// A reference of a block, which becomes edges between cells.
struct BlockReference {
  NodeId target = kNoNode;
  bool to_resource = false;
  std::optional<InstanceKey> key;  ///< only the instance with this literal key
};

/// An edge to a resource block, which becomes edges to the ends of its rows.
struct ResourceEdge {
  NodeId from = kNoNode;
  NodeId to = kNoNode;
  std::optional<InstanceKey> key;  ///< only the instance with this literal key
};

/// An edge that is dropped if it would close a cycle (rule A8) in the order without
/// create_before_destroy.
struct OptionalEdge {
  NodeId from = kNoNode;
  NodeId to = kNoNode;
  bool turned = false;  ///< it points in the other direction in that order
};

struct ApplyGraph {
  explicit ApplyGraph(const plan::Plan& applied) : plan(applied) {}

  const plan::Plan& plan;
  std::vector<Cell> cells;  ///< by Node::index
  /// References of each resource block, per config node.
  std::vector<std::vector<std::vector<BlockReference>>> block_references;
  /// The join after all rows of a block, for which dependents wait, by node of the block.
  FlatMap<NodeId, NodeId> block_ends;
  std::vector<ResourceEdge> resource_edges;
  std::vector<OptionalEdge> optional_edges;
  /// Edges that point in the other direction without create_before_destroy.
  std::vector<std::pair<NodeId, NodeId>> turned_edges;
  /// The nodes that a cell, check or root output needs; the others are not executed.
  std::vector<bool> needed;
  /// The nodes that more than root outputs need; blocks that only these name are not expanded
  /// (A12).
  std::vector<bool> expanded;
};

}  // namespace kinu::engine
