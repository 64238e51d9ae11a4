// The resources of a state by module: what `state mv` of modules asks for, move after move.
#pragma once

#include <vector>

#include "base/flat_map.h"
#include "state/state.h"

namespace kinu::session {

/// The resources of a state by module instance. Whoever changes the state meanwhile says so.
class StateModules {
 public:
  explicit StateModules(const state::State& state);

  void Add(const AbsResource& resource);
  void Remove(const AbsResource& resource);
  /// Whether a resource is in the module itself.
  bool HasResources(ModuleInstId module) const;
  /// The resources in a module and in the modules inside it, in the order of addresses.
  std::vector<AbsResource> Inside(ModuleInstId module) const;

 private:
  const Program& program_;
  FlatMap<uint32_t, FlatSet<AbsResource>> resources_;     ///< by ModuleInstId::id
  FlatMap<uint32_t, std::vector<ModuleInstId>> modules_;  ///< by that of the module around
  FlatSet<uint32_t> known_ = {ModuleInstId().id};         ///< those in modules_, and the root
};

}  // namespace kinu::session
