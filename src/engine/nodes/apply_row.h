// Carrying out one row of a cell.
#pragma once

#include "engine/apply.h"
#include "engine/cells.h"
#include "engine/nodes/managed.h"

namespace kinu::engine {

/// What becomes of objects during an apply: the working state, and the store's record of it. One
/// lock for all, taken once per finished object.
class Recorder {
 public:
  Recorder(state::State& working, state::Store* store) : working_(working), store_(store) {}
  /// Applies the record to the working state, which is left with husks, and remembers it durably.
  void Record(const state::ObjectRecord& record, state::Durability durability);
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
};

struct ApplyContext {
  NodeContext& node;
  const plan::Plan& plan;
  Recorder& recorder;
  bool destroy_all = false;
  /// Change of each address (current objects), for rows that a table lists.
  FlatMap<ResourceInstance, uint32_t> change_of;
  /// Per change: bit of each phase whose part is done.
  std::vector<uint8_t> done;
  /// Per change: the key under which its old object is kept while the new one is made.
  std::vector<std::string> deposed_keys;
  /// What `removed` blocks say; null: none of them runs anything.
  const Refactoring* removed = nullptr;
  /// Schemas of orphaned resources.
  std::vector<BlockInfo> orphan_infos;

  bool Done(uint32_t change, Phase phase) const {
    return (done[change] & (1U << static_cast<unsigned>(phase))) != 0;
  }
  void SetDone(uint32_t change, Phase phase) {
    done[change] = static_cast<uint8_t>(done[change] | (1U << static_cast<unsigned>(phase)));
  }
};

/// Expands a block in all its module instances and fills the rows that have nothing to do.
void ExpandForApply(ApplyContext& context, NodeId id, Diagnostics& diags);
/// Carries out all rows of a cell.
void ExecuteCell(ApplyContext& context, NodeId id, Diagnostics& diags);

}  // namespace kinu::engine
