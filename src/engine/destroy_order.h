// While a destruction is planned: which object of the state goes before which, by the dependencies
// that are stored with them. The configuration has no say in it. Ref: opentofu internal/tofu
// transform_destroy_edge.go, graph_builder_plan.go initDestroy.
#pragma once

#include <span>
#include <vector>

#include "engine/targets.h"
#include "state/state.h"

namespace kinu::engine {

/// The current objects of a state, each after all that list its resource. Objects that are only
/// forgotten and data sources have their place like all others; deposed objects have none. Objects
/// in different instances of one module know nothing of each other (A8).
class DestroyOrder {
 public:
  DestroyOrder(const Program& program, const state::State& state);

  /// What a destruction limited by `targets` takes: what is wanted and all that depends on it; when
  /// excluding, all but what is excluded and what that depends on. (T3)
  FlatSet<ResourceInstance> Select(const Targets& targets) const;

  /// What goes after one of these objects, which keep it from going when they stay (P8).
  FlatSet<ResourceInstance> After(std::span<const ResourceInstance> objects) const;

  /// Objects that wait for each other, cycle by cycle. `selected`: those that are to go; null: all.
  std::vector<std::vector<ResourceInstance>> Cycles(
      const FlatSet<ResourceInstance>* selected) const;
  /// Those whose own resource is in their list, which a move can bring about.
  std::vector<ResourceInstance> SelfReferring(const FlatSet<ResourceInstance>* selected) const;

 private:
  /// Instances of one resource whose objects list the same dependencies: they are taken together.
  struct Group {
    AbsResource resource;
    std::vector<ConfigResource> dependencies;
    std::vector<ResourceInstance> members;
  };
  /// All members of groups that are reached from the given ones (not those themselves): who depends
  /// on them, or what they depend on.
  void Reach(std::vector<uint32_t> work, bool users, FlatSet<ResourceInstance>& out) const;

  const Program& program_;
  std::vector<Group> groups_;
  FlatMap<AbsResource, std::vector<uint32_t>> at_;
  FlatMap<ConfigResource, std::vector<uint32_t>> of_;
  FlatMap<AbsResource, std::vector<uint32_t>> near_users_;  ///< by what they use, same module
  FlatMap<ConfigResource, std::vector<uint32_t>> far_users_;
};

}  // namespace kinu::engine
