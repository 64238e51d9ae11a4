// Carrying out one row of a cell.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/apply.h"
#include "engine/cells.h"
#include "engine/rows/rows.h"

namespace kinu::engine {

/// What becomes of objects during an apply: the working state, and the store's record of it. One
/// lock for all, taken once per finished object.
class Recorder {
 public:
  /// `on_failure` is called once, when a record cannot be kept.
  Recorder(state::State& working, state::Store* store, std::function<void()> on_failure = {})
      : working_(working), store_(store), on_failure_(std::move(on_failure)) {}
  /// Applies the record to the working state, which is left with husks, and remembers it durably.
  /// False when it stands in the working state alone.
  bool Record(const state::ObjectRecord& record, state::Durability durability);
  /// Why the first of the records that were not kept was not; empty when all were.
  const std::string& failure() const { return failure_; }
  /// A copy of the current object of an instance, or nothing.
  std::optional<state::Object> Current(const ResourceInstance& address);
  std::optional<state::Object> Deposed(const ResourceInstance& address, const std::string& key);
  void SetOutput(state::OutputValue output);
  ApplyCounts counts;
  std::mutex& mutex() { return mutex_; }

 private:
  std::mutex mutex_;
  state::State& working_;
  state::Store* store_;
  std::function<void()> on_failure_;
  std::string failure_;
};

/// Brings the object that a provider returned into the form that is stored.
state::Object MakeObject(const RowContext& row, const Value& value, const ProviderNotes& notes,
                         state::ObjectStatus status);
/// A record of the row, without its object.
state::ObjectRecord RecordFor(const RowContext& row, state::ObjectRecord::Step step);
/// What an object's record has to survive: with a provider process there is something real behind
/// it, which a power loss would orphan; a built-in object, and what was read, are in the state
/// alone.
state::Durability DurabilityOf(const RowContext& row);

class CellRun;

/// How many others each row of a cell still waits for, itself being opened among them. The thread
/// that arrives last carries it out.
class RowGates {
 public:
  explicit RowGates(const Cell& cell);
  /// One more row of an earlier cell that this row waits for. Before the walk.
  void Expect(size_t row) { pending_[row].fetch_add(1, std::memory_order_relaxed); }
  /// The cell's rows can run from now on. The caller then arrives at each of them, and ends once
  /// more. `over` is called when all rows have run.
  void Open(std::shared_ptr<CellRun> run, std::function<void()> over);
  /// What a row waits for has come.
  void Arrive(size_t row);
  void End();

 private:
  std::unique_ptr<std::atomic<uint32_t>[]> pending_;
  std::atomic<size_t> unfinished_;  ///< rows, and the opening
  std::shared_ptr<CellRun> run_;
  std::function<void()> over_;
};

struct ApplyContext {
  /// Lists the changes of the walk's plan.
  ApplyContext(NodeContext& node_context, Recorder& records,
               const refactoring::Refactoring& refactoring);

  NodeContext& node;
  const plan::Plan& plan;
  Recorder& recorder;
  const refactoring::Refactoring& removed;  ///< what `removed` blocks say
  /// Change of each address (current objects), for rows that a table lists.
  FlatMap<ResourceInstance, uint32_t> change_of;
  /// Per change: bit of each phase whose part is done.
  std::vector<uint8_t> done;
  /// Per change: the key under which its old object is kept while the new one is made.
  std::vector<std::string> deposed_keys;
  /// Schemas of orphaned resources, per cell.
  std::vector<BlockInfo> orphan_infos;
  /// Per cell: the gates of its rows, when rows of other cells come before them.
  std::vector<std::unique_ptr<RowGates>> gates;

  bool Done(uint32_t change, Phase phase) const {
    return (done[change] & (1U << static_cast<unsigned>(phase))) != 0;
  }
  void SetDone(uint32_t change, Phase phase) {
    done[change] = static_cast<uint8_t>(done[change] | (1U << static_cast<unsigned>(phase)));
  }
};

/// Expands a block in all its module instances and fills the rows that have nothing to do.
void ExpandForApply(ApplyContext& context, NodeId id, Diagnostics& diags);
/// Expands one table, unless it is: the block's node and cells in keyed modules ask for it.
bool ExpandTable(ApplyContext& context, NodeId id, ModuleInstance& instance, Diagnostics& diags);
/// Create, update, or the create half of a replacement.
void ApplyManagedRow(ApplyContext& context, RowContext& row, uint32_t change_index,
                     Diagnostics& diags);
/// Destroys the current object, or a deposed one.
void DestroyRow(ApplyContext& context, RowContext& row, uint32_t change_index,
                const std::string& deposed, Diagnostics& diags);
void ApplyDataRow(ApplyContext& context, RowContext& row, Diagnostics& diags);
void ForgetRow(ApplyContext& context, RowContext& row, const std::string& deposed);

/// Gates for the rows of cells that follow others. Before the walk.
void MakeRowGates(ApplyContext& context);
/// Carries out all rows of a cell. Rows that wait for rows of a cell that is still at work are
/// carried out later: then the node is detached from the walk until they are done.
void ExecuteCell(ApplyContext& context, NodeId id, Diagnostics& diags);

}  // namespace kinu::engine
