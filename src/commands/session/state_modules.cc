#include "session/state_modules.h"

#include <algorithm>

namespace kinu::session {

StateModules::StateModules(const state::State& state) : program_(*state.program) {
  for (const auto& resource : state.resources) {
    Add(resource->address);
  }
}

void StateModules::Add(const AbsResource& resource) {
  resources_[resource.module.id].insert(resource);
  for (ModuleInstId at = resource.module; known_.insert(at.id).second;) {
    const ModuleInstId parent = program_.Parent(at);
    modules_[parent.id].push_back(at);
    at = parent;
  }
}

void StateModules::Remove(const AbsResource& resource) {
  resources_[resource.module.id].erase(resource);
}

bool StateModules::HasResources(ModuleInstId module) const {
  const auto it = resources_.find(module.id);
  return it != resources_.end() && !it->second.empty();
}

std::vector<AbsResource> StateModules::Inside(ModuleInstId module) const {
  std::vector<AbsResource> out;
  std::vector<ModuleInstId> pending = {module};
  while (!pending.empty()) {
    const ModuleInstId at = pending.back();
    pending.pop_back();
    if (const auto it = resources_.find(at.id); it != resources_.end()) {
      out.insert(out.end(), it->second.begin(), it->second.end());
    }
    if (const auto it = modules_.find(at.id); it != modules_.end()) {
      pending.insert(pending.end(), it->second.begin(), it->second.end());
    }
  }
  std::ranges::sort(out, [&](const auto& a, const auto& b) { return program_.Less(a, b); });
  return out;
}

}  // namespace kinu::session
