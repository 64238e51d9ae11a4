#include "engine/targets.h"

#include <vector>

namespace kinu::engine {

Targets::Targets(Program& program, std::span<const std::string> targets,
                 std::span<const std::string> excludes)
    : program_(&program),
      active_(!targets.empty() || !excludes.empty()),
      excluding_(targets.empty() && !excludes.empty()) {
  for (const std::string& text : excluding_ ? excludes : targets) {
    ModuleInstId module;
    ResourceInstance instance;
    if (program.ParseModuleInstance(text, &module)) {
      modules_.insert(module.id);
      if (program.Key(module).none()) {
        any_key_.insert(module.id);
      }
      ModuleId general = program.ModuleOf(module);
      general_modules_.insert(general.id);
      if (!program.HasKeys(module)) {
        whole_modules_.insert(general.id);
      }
    } else if (program.ParseResourceInstance(text, &instance)) {
      const AbsResource& resource = instance.resource;
      ConfigResource general{program.ModuleOf(resource.module), resource.resource};
      general_blocks_.insert(general);
      if (!instance.key.none()) {
        instances_.insert(instance);
        continue;
      }
      resources_.insert(resource);
      if (!program.HasKeys(resource.module)) {
        whole_blocks_.insert(general);
      }
    }
  }
}

bool Targets::ContainsModule(ModuleInstId module) const {
  for (ModuleInstId at = module;; at = program_->Parent(at)) {
    if (modules_.contains(at.id)) {
      return true;
    }
    if (at.is_root()) {
      return false;
    }
    if (!any_key_.empty() && !program_->Key(at).none()) {
      ModuleInstId all = program_->ModuleInstance(program_->Parent(at), program_->CallName(at), {});
      if (any_key_.contains(all.id)) {
        return true;
      }
    }
  }
}

bool Targets::Contains(const ResourceInstance& instance) const {
  return instances_.contains(instance) || resources_.contains(instance.resource) ||
         (!modules_.empty() && ContainsModule(instance.resource.module));
}

namespace {

/// Whether the module or one around it is in the set.
bool ContainsPath(const Program& program, const FlatSet<uint32_t>& modules, ModuleId module) {
  for (ModuleId at = module;; at = program.Parent(at)) {
    if (modules.contains(at.id)) {
      return true;
    }
    if (at.is_root()) {
      return false;
    }
  }
}

}  // namespace

bool Targets::Contains(const ConfigResource& block) const {
  return whole_blocks_.contains(block) ||
         (!whole_modules_.empty() && ContainsPath(*program_, whole_modules_, block.module));
}

bool Targets::Touches(const ConfigResource& block) const {
  return general_blocks_.contains(block) ||
         (!general_modules_.empty() && ContainsPath(*program_, general_modules_, block.module));
}

namespace {

/// Instances of one resource whose objects list the same dependencies: they are taken together.
struct Group {
  AbsResource resource;
  std::vector<ConfigResource> dependencies;
  std::vector<ResourceInstance> members;
};

class DestroyGroups {
 public:
  DestroyGroups(const Program& program, const state::State& state) : program_(program) {
    for (const auto& resource : state.resources) {
      FlatMap<uint64_t, uint32_t> by_list;
      for (const state::Instance& instance : resource->instances) {
        if (instance.current == nullptr) {
          continue;  // what is deposed alone orders nothing while planning
        }
        const state::DependencyList list = instance.current->dependencies;
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
    taken_.resize(groups_.size(), false);
  }

  /// All members of groups that are reached from the given ones (not those themselves): who
  /// depends on them, or what they depend on. Objects in different instances of one module know
  /// nothing of each other (A8).
  void Reach(const std::vector<uint32_t>& from, bool users, FlatSet<ResourceInstance>& out) {
    std::vector<uint32_t> work = from;
    FlatSet<AbsResource> near_done;  // each answer is used up the first time it is given
    FlatSet<ConfigResource> far_done;
    auto take = [&](const auto& index, const auto& key, auto& done) {
      auto it = index.find(key);
      if (it == index.end() || !done.insert(key).second) {
        return;
      }
      for (uint32_t i : it->second) {
        if (!taken_[i]) {
          taken_[i] = true;
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

  const std::vector<Group>& groups() const { return groups_; }

 private:
  const Program& program_;
  std::vector<Group> groups_;
  FlatMap<AbsResource, std::vector<uint32_t>> at_;
  FlatMap<ConfigResource, std::vector<uint32_t>> of_;
  FlatMap<AbsResource, std::vector<uint32_t>> near_users_;  ///< by what they use, same module
  FlatMap<ConfigResource, std::vector<uint32_t>> far_users_;
  std::vector<bool> taken_;
};

}  // namespace

FlatSet<ResourceInstance> SelectForDestroy(const Program& program, const Targets& targets,
                                           const state::State& state) {
  DestroyGroups all(program, state);
  FlatSet<ResourceInstance> matched;
  std::vector<uint32_t> from;
  for (uint32_t i = 0; i < all.groups().size(); ++i) {
    bool any = false;
    for (const ResourceInstance& instance : all.groups()[i].members) {
      if (targets.Contains(instance)) {
        matched.insert(instance);
        any = true;
      }
    }
    if (any) {
      from.push_back(i);
    }
  }
  all.Reach(from, !targets.excluding(), matched);
  if (!targets.excluding()) {
    return matched;
  }
  FlatSet<ResourceInstance> rest;
  for (const Group& group : all.groups()) {
    for (const ResourceInstance& instance : group.members) {
      if (!matched.contains(instance)) {
        rest.insert(instance);
      }
    }
  }
  return rest;
}

}  // namespace kinu::engine
