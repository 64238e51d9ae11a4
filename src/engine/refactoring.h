// `moved` and `removed` blocks: objects of the state change their address, or are forgotten, before
// anything is planned. Ref: opentofu internal/refactoring.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/walk.h"

namespace kinu::engine {

/// A `removed` block with its address from the root.
struct RemovedRule {
  const config::Removed* block = nullptr;
  ModuleId module;
  bool is_module = false;
  ResourceName resource;
};

struct MoveStatement;

/// The effect of `moved` and `removed` blocks on one prior state.
class Refactoring {
 public:
  /// Reads the blocks, and moves the objects of `prior` (null: there is no state).
  Refactoring(const config::Config& config, const state::State* prior);
  ~Refactoring();

  /// The state with every object at its new address; null when nothing has to move.
  const state::State* state() const { return has_state_ ? &state_ : nullptr; }
  /// Where an object was before; the address itself when it was not moved.
  ResourceInstance PreviousAddress(const ResourceInstance& address) const;
  /// Whether a `moved` block, and not a change of count or for_each alone, brought an object here.
  bool MovedByBlock(const ResourceInstance& address) const;
  /// Every object that moved: where it was, where it is. In no particular order.
  std::vector<std::pair<ResourceInstance, ResourceInstance>> Moves() const;
  /// The rule that says what becomes of an object without a block, or null. The last one counts.
  const RemovedRule* FindRemoved(const AbsResource& address) const;

  /// Reports `removed` blocks for what is still there.
  void ValidateRemoved(Diagnostics& diags) const;
  /// Reports moves that make no sense for what a plan walk found to exist.
  void ValidateMoves(const Walk& walk, Diagnostics& diags) const;
  /// Warns of objects that could not move because another one is in their place.
  void WarnBlocked(Diagnostics& diags) const;

 private:
  void ReportCycles(Diagnostics& diags) const;
  void AddImplied(const state::State& prior);
  void Order();
  void Execute(const MoveStatement& statement);
  void MoveInstance(const ResourceInstance& from, const ResourceInstance& to, bool implied);
  void MoveResource(const AbsResource& from, const AbsResource& to, bool implied);

  const config::Config& config_;
  Program& program_;
  state::State state_;
  bool has_state_ = false;
  std::vector<MoveStatement> statements_;
  std::vector<uint32_t> order_;                ///< of execution
  std::vector<std::vector<uint32_t>> cycles_;  ///< statements that wait for each other
  /// Where an object was, and whether its last step was implied by count or for_each.
  struct Previous {
    ResourceInstance address;
    bool implied = false;
  };
  FlatMap<ResourceInstance, Previous> previous_;
  std::vector<std::pair<std::string, std::string>> blocked_;  ///< where it is, where it should be
  std::vector<RemovedRule> removed_;
};

}  // namespace kinu::engine
