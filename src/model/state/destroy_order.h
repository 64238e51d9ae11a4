// The order in which the objects of a state are destroyed, by the dependencies that are stored with
// them. The configuration plays no part. Ref: opentofu internal/tofu transform_destroy_edge.go,
// graph_builder_plan.go initDestroy.
#pragma once

#include <span>
#include <vector>

#include "addrs/targets.h"
#include "state/state.h"

namespace kinu::state {

/// Orders the current objects of a state: each is destroyed after all objects that list its
/// resource as a dependency. Data sources and objects that are only forgotten are included; deposed
/// objects are not. Objects in different instances of one module do not depend on each other (rule
/// A8 of docs/engine.md).
class DestroyOrder {
 public:
  DestroyOrder(const Program& program, const State& state);

  /// The objects that are destroyed when -target or -exclude limits the destruction: the targets
  /// and all that depends on them; with -exclude, all but the excluded objects and their
  /// dependencies.
  FlatSet<ResourceInstance> Select(const Targets& targets) const;

  /// The objects that are destroyed after one of these, and must stay if these stay.
  FlatSet<ResourceInstance> After(std::span<const ResourceInstance> objects) const;

  /// Objects that wait for each other, cycle by cycle. `selected`: the objects to destroy; null:
  /// all.
  std::vector<std::vector<ResourceInstance>> Cycles(
      const FlatSet<ResourceInstance>* selected) const;
  /// The objects that list their own resource, which can result from a move.
  std::vector<ResourceInstance> SelfReferring(const FlatSet<ResourceInstance>* selected) const;

 private:
  /// Instances of one resource whose objects list the same dependencies.
  struct Group {
    AbsResource resource;
    std::vector<ConfigResource> dependencies;
    std::vector<ResourceInstance> members;
  };
  /// Adds the members of all groups that are reached from the given ones (not those themselves):
  /// their dependents if `users`, else their dependencies.
  void Reach(std::vector<uint32_t> work, bool users, FlatSet<ResourceInstance>& out) const;

  const Program& program_;
  std::vector<Group> groups_;
  FlatMap<AbsResource, std::vector<uint32_t>> at_;
  FlatMap<ConfigResource, std::vector<uint32_t>> of_;
  FlatMap<AbsResource, std::vector<uint32_t>> near_users_;  ///< by what they use, same module
  FlatMap<ConfigResource, std::vector<uint32_t>> far_users_;
};

}  // namespace kinu::state
