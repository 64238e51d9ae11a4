// Execution of one row of a cell.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "engine/apply.h"
#include "engine/cells.h"
#include "engine/rows/rows.h"

namespace kinu::engine {

/// The results of an apply: the working state and its record in the store. One lock for all, taken
/// once per finished object.
class Recorder {
 public:
  /// `on_failure` is called once, when a record cannot be stored. `stop`: the user has interrupted
  /// the apply, so that it may end at any moment; null: nobody can.
  Recorder(state::State& working, state::Store* store, std::function<void()> on_failure = {},
           const std::atomic<bool>* stop = nullptr)
      : working_(working), store_(store), on_failure_(std::move(on_failure)), stop_(stop) {}
  /// Applies the record to the working state, which keeps husks, and stores it. False if it could
  /// not be stored.
  bool Record(const state::ObjectRecord& record, state::Durability durability);
  /// Why the first record could not be stored; empty if all were.
  const std::string& failure() const { return failure_; }
  /// A copy of the current object of an instance, or nothing.
  std::optional<state::Object> Current(const ResourceInstance& address);
  std::optional<state::Object> Deposed(const ResourceInstance& address, const std::string& key);
  void SetOutput(state::OutputValue output);
  ApplyCounts counts;
  std::mutex& mutex() { return mutex_; }

 private:
  /// Stores the working state if the store wants that from time to time and it is time.
  Result<void> WriteInTime();

  std::mutex mutex_;
  state::State& working_;
  state::Store* store_;
  std::function<void()> on_failure_;
  const std::atomic<bool>* stop_;
  std::string failure_;
  std::optional<std::chrono::steady_clock::time_point> written_;  // or the first change
};

/// Converts the object that a provider returned to its stored form.
state::Object MakeObject(const RowContext& row, const Value& value, const ProviderNotes& notes,
                         state::ObjectStatus status);
/// A record of the row, without its object.
state::ObjectRecord RecordFor(const RowContext& row, state::ObjectRecord::Step step);
/// The durability of an object's record. Objects of provider processes are real, and would be lost
/// with their record; built-in objects and data sources exist only in the state.
state::Durability DurabilityOf(const RowContext& row);

class CellRun;

/// The number of rows that each row of a cell still waits for, plus one until the cell opens. The
/// thread that arrives last executes the row.
class RowGates {
 public:
  explicit RowGates(const Cell& cell);
  /// One more row of an earlier cell that this row waits for. Before the walk.
  void Expect(size_t row) { pending_[row].fetch_add(1, std::memory_order_relaxed); }
  /// The rows can run from now on. The caller then calls Arrive() for each of them, and End() once.
  /// `over` is called after all rows.
  void Open(std::shared_ptr<CellRun> run, std::function<void()> over);
  /// One of the rows that a row waits for is done; `by`: its span.
  void Arrive(size_t row, trace::SpanId by = 0);
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
  const refactoring::Refactoring& removed;  ///< has the `removed` blocks
  /// Change of each address (current objects), for rows that a table lists.
  FlatMap<ResourceInstance, uint32_t> change_of;
  /// Per change: a bit for each phase that is done.
  std::vector<uint8_t> done;
  /// Per change: the deposed key of its old object while the new one is created.
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

/// Expands a block in all its module instances and fills the rows without changes.
void ExpandForApply(ApplyContext& context, NodeId id, Diagnostics& diags);
/// Expands one table at first use, by the node of the block or by cells in keyed modules.
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
/// Executes all rows of a cell. If some wait for rows of a running cell, the node is detached from
/// the walk until all are done.
void ExecuteCell(ApplyContext& context, NodeId id, Diagnostics& diags);

}  // namespace kinu::engine
