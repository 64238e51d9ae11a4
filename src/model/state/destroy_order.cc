#include "state/destroy_order.h"

#include <algorithm>

#include "base/digraph.h"

namespace kinu::state {

DestroyOrder::DestroyOrder(const Program& program, const State& state) : program_(program) {
  for (const auto& resource : state.resources) {
    FlatMap<uint64_t, uint32_t> by_list;
    for (const Instance& instance : resource->instances) {
      if (instance.current == nullptr) {
        continue;  // deposed objects have no place in this order
      }
      const DependencyList list = instance.current->dependencies;
      auto [it, added] = by_list.emplace(reinterpret_cast<uint64_t>(list.get()),
                                         static_cast<uint32_t>(groups_.size()));
      if (added) {
        Group group;
        group.resource = resource->address;
        if (list != nullptr) {
          group.dependencies = *list;
        }
        groups_.push_back(std::move(group));
      }
      groups_[it->second].members.push_back({resource->address, instance.key});
    }
  }
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    const AbsResource& own = groups_[i].resource;
    ModuleId module = program.ModuleOf(own.module);
    at_[own].push_back(i);
    of_[ConfigResource{module, own.resource}].push_back(i);
    for (const ConfigResource& dependency : groups_[i].dependencies) {
      if (dependency.module == module) {
        near_users_[AbsResource{own.module, dependency.resource}].push_back(i);
      } else {
        far_users_[dependency].push_back(i);
      }
    }
  }
}

void DestroyOrder::Reach(std::vector<uint32_t> work, bool users,
                         FlatSet<ResourceInstance>& out) const {
  std::vector<bool> taken(groups_.size(), false);
  FlatSet<AbsResource> near_done;  // looked up before: all that was found is taken
  FlatSet<ConfigResource> far_done;
  auto take = [&](const auto& index, const auto& key, auto& done) {
    auto it = index.find(key);
    if (it == index.end() || !done.insert(key).second) {
      return;
    }
    for (uint32_t i : it->second) {
      if (!taken[i]) {
        taken[i] = true;
        out.insert(groups_[i].members.begin(), groups_[i].members.end());
        work.push_back(i);
      }
    }
  };
  while (!work.empty()) {
    const Group& group = groups_[work.back()];
    work.pop_back();
    ModuleId module = program_.ModuleOf(group.resource.module);
    if (users) {
      take(near_users_, group.resource, near_done);
      take(far_users_, ConfigResource{module, group.resource.resource}, far_done);
      continue;
    }
    for (const ConfigResource& dependency : group.dependencies) {
      if (dependency.module == module) {
        take(at_, AbsResource{group.resource.module, dependency.resource}, near_done);
      } else {
        take(of_, dependency, far_done);
      }
    }
  }
}

FlatSet<ResourceInstance> DestroyOrder::Select(const Targets& targets) const {
  FlatSet<ResourceInstance> matched;
  std::vector<uint32_t> from;
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    bool any = false;
    for (const ResourceInstance& instance : groups_[i].members) {
      if (targets.Contains(instance)) {
        matched.insert(instance);
        any = true;
      }
    }
    if (any) {
      from.push_back(i);
    }
  }
  Reach(std::move(from), !targets.excluding(), matched);
  if (!targets.excluding()) {
    return matched;
  }
  FlatSet<ResourceInstance> rest;
  for (const Group& group : groups_) {
    for (const ResourceInstance& instance : group.members) {
      if (!matched.contains(instance)) {
        rest.insert(instance);
      }
    }
  }
  return rest;
}

FlatSet<ResourceInstance> DestroyOrder::After(std::span<const ResourceInstance> objects) const {
  const FlatSet<ResourceInstance> given(objects.begin(), objects.end());
  std::vector<uint32_t> from;
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    const auto& members = groups_[i].members;
    if (std::any_of(members.begin(), members.end(),
                    [&](const ResourceInstance& member) { return given.contains(member); })) {
      from.push_back(i);
    }
  }
  FlatSet<ResourceInstance> out;
  Reach(std::move(from), false, out);
  return out;
}

std::vector<std::vector<ResourceInstance>> DestroyOrder::Cycles(
    const FlatSet<ResourceInstance>* selected) const {
  // A node per group, then one per resource that others list, between it and them: so there are no
  // more edges than dependencies.
  Digraph graph;
  auto is_selected = [&](const ResourceInstance& member) {
    return selected == nullptr || selected->contains(member);
  };
  std::vector<bool> present;
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    graph.AddNode();
    const auto& members = groups_[i].members;
    present.push_back(std::any_of(members.begin(), members.end(), is_selected));
  }
  auto connect = [&](const auto& users, const auto& used) {
    for (const auto& [resource, waited_for] : users) {
      auto waiting = used.find(resource);
      if (waiting == used.end()) {
        continue;
      }
      const Digraph::Id join = graph.AddNode();
      for (uint32_t i : waiting->second) {
        if (present[i]) {
          graph.AddEdge(i, join);
        }
      }
      for (uint32_t i : waited_for) {
        if (present[i]) {
          graph.AddEdge(join, i);
        }
      }
    }
  };
  connect(near_users_, at_);
  connect(far_users_, of_);
  graph.Finish();
  std::vector<std::vector<ResourceInstance>> out;
  for (const std::vector<Digraph::Id>& cycle : graph.Cycles()) {
    std::vector<ResourceInstance> members;
    for (Digraph::Id id : cycle) {
      if (id < groups_.size()) {
        const auto& all = groups_[id].members;
        std::copy_if(all.begin(), all.end(), std::back_inserter(members), is_selected);
      }
    }
    if (members.size() > 1) {
      out.push_back(std::move(members));
    }
  }
  return out;
}

std::vector<ResourceInstance> DestroyOrder::SelfReferring(
    const FlatSet<ResourceInstance>* selected) const {
  std::vector<ResourceInstance> out;
  for (const Group& group : groups_) {
    const ConfigResource own{program_.ModuleOf(group.resource.module), group.resource.resource};
    const auto& list = group.dependencies;
    if (std::find(list.begin(), list.end(), own) == list.end()) {
      continue;
    }
    std::copy_if(group.members.begin(), group.members.end(), std::back_inserter(out),
                 [&](const ResourceInstance& member) {
                   return selected == nullptr || selected->contains(member);
                 });
  }
  return out;
}

}  // namespace kinu::state
