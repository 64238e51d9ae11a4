// Move statements: `moved` blocks with their place in the module tree, and the moves that a change
// of count implies. Ref: opentofu internal/refactoring move_statement.go, internal/addrs
// move_endpoint_module.go.
#pragma once

#include <vector>

#include "addrs/address.h"
#include "config/config.h"
#include "refactoring/step_tree.h"
#include "state/state.h"

namespace kinu::refactoring {

/// A module call on the way to an address, with its instance key.
struct Step {
  Symbol call;
  InstanceKey key;
};
using Steps = std::vector<Step>;

/// The steps from the root module to a module instance.
Steps StepsOf(const Program& program, ModuleInstId module);
/// The module instance that steps lead to.
ModuleInstId InstanceOf(Program& program, const Steps& steps);

/// One end of a move.
struct MoveEnd {
  Steps steps;      ///< from the root module
  size_t open = 0;  ///< the first steps lead to the declaring module: their keys do not count
  bool is_module = false;  ///< a module, not a resource
  bool whole = false;      ///< stands for all instances of its resource or module call
  ResourceName resource;
  InstanceKey key;

  /// The steps, without the keys that do not count.
  std::vector<StepPattern> Pattern() const;
  /// Whether both ends can mean the same object.
  bool CanBe(const MoveEnd& other) const;
  /// Whether this end is a part of what the other one stands for.
  bool InsideOf(const MoveEnd& other) const;
  /// An address that `from` matches, with the steps of this end in place of those of `from`.
  Steps Replace(const MoveEnd& from, const Steps& address) const;
  std::string ToText(Program& program, const Steps& absolute) const;

 private:
  bool IsAnyKey(size_t step) const {
    return step < open || (is_module && whole && step + 1 == steps.size());
  }
  bool Overlaps(const MoveEnd& other, size_t count) const;
};

struct MoveStatement {
  MoveEnd from;
  MoveEnd to;
  SourceRange range;
  bool implied = false;                      ///< by count, without a `moved` block
  const config::ConfigNode* node = nullptr;  ///< where the block stands; null: implied

  /// Whether the other statement has to be executed first.
  bool WaitsFor(const MoveStatement& other) const;
};

/// The `moved` blocks of a configuration.
std::vector<MoveStatement> ReadMoves(const config::Config& config);

/// Adds moves of objects of the state whose resource, or a module around it, got or lost its count.
/// Addresses that `moved` blocks mention are left to those.
void AddImpliedMoves(const config::Config& config, const state::State& prior,
                     std::vector<MoveStatement>& statements);

}  // namespace kinu::refactoring
