// `moved` and `removed` blocks: before anything is planned, objects of the state get new addresses
// or are marked to be forgotten. Ref: opentofu internal/refactoring.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "refactoring/move_index.h"
#include "refactoring/move_statement.h"

namespace kinu::refactoring {

/// A `removed` block with its address from the root.
struct RemovedStatement {
  const config::Removed* block = nullptr;
  const config::ConfigNode* node = nullptr;  ///< where the block stands
  ModuleId module;
  bool is_module = false;
  ResourceName resource;
};

/// What a plan found to be declared, after the expansion of all blocks.
class DeclaredInstances {
 public:
  virtual ~DeclaredInstances() = default;
  /// The configuration with generated blocks.
  virtual const config::Config& config() const = 0;
  /// The instances of a module.
  virtual std::vector<ModuleInstId> ModuleInstances(const config::ConfigNode& node) const = 0;
  /// Whether resources are expanded: a destruction does not do that, so that it declares none.
  virtual bool ExpandsResources() const = 0;
  /// Whether the configuration declares an instance of one of its resources.
  virtual bool Declares(const ResourceInstance& instance) const = 0;
};

/// The effect of `moved` and `removed` blocks on one state.
class Refactoring {
 public:
  /// Reads the blocks, and moves the objects of `prior` (null: there is no state).
  Refactoring(const config::Config& config, const state::State* prior);

  /// The state with every object at its new address; null if nothing moves.
  const state::State* state() const { return has_state_ ? &state_ : nullptr; }
  /// Where an object was before; the address itself if it was not moved.
  ResourceInstance PreviousAddress(const ResourceInstance& address) const;
  /// Whether a `moved` block, and not a change of count alone, moved an object to this address.
  bool MovedByBlock(const ResourceInstance& address) const;
  /// The previous and the new address of each object that moved, in no particular order.
  std::vector<std::pair<ResourceInstance, ResourceInstance>> Moves() const;
  /// The last `removed` block for an object without a resource block, or null.
  const RemovedStatement* FindRemoved(const AbsResource& address) const;

  /// Reports `removed` blocks for what is still configured.
  void ValidateRemoved(Diagnostics& diags) const;
  /// Reports contradictory `moved` blocks, and those that move what is still declared.
  void ValidateMoves(const DeclaredInstances& declared, Diagnostics& diags) const;
  /// Warns of objects that could not move because another object has their new address.
  void WarnBlocked(Diagnostics& diags) const;

 private:
  void ReportCycles(Diagnostics& diags) const;
  void Order();
  void Execute(const MoveStatement& statement);
  void MoveModules(const MoveStatement& statement);
  void MoveInstance(const ResourceInstance& from, const ResourceInstance& to, bool implied);
  /// `to` does not exist yet.
  void MoveResource(const AbsResource& from, const AbsResource& to, bool implied);
  state::Resource& Ensure(const AbsResource& address, const ProviderConfig& provider);
  void Remove(const AbsResource& address);
  void Remember(const ResourceInstance& from, const ResourceInstance& to, bool implied);

  const config::Config& config_;
  Program& program_;
  state::State state_;
  bool has_state_ = false;
  ObjectIndex objects_;  ///< of state_
  std::vector<MoveStatement> statements_;
  std::vector<uint32_t> order_;                ///< of execution
  std::vector<std::vector<uint32_t>> cycles_;  ///< statements that wait for each other
  /// Where an object was, and whether its last move was implied by count.
  struct Previous {
    ResourceInstance address;
    bool implied = false;
  };
  FlatMap<ResourceInstance, Previous> previous_;
  std::vector<std::pair<std::string, std::string>> blocked_;  ///< actual and wanted address
  std::vector<RemovedStatement> removed_;
  /// The last element of `removed_` for a resource block, and for a module.
  FlatMap<ConfigResource, uint32_t> removed_resources_;
  FlatMap<ModuleId, uint32_t> removed_modules_;
};

}  // namespace kinu::refactoring
