// What a finished walk has found to be declared. Private to walks.
#pragma once

#include <vector>

#include "engine/walk.h"
#include "refactoring/refactoring.h"

namespace kinu::engine {

/// The instances that a finished walk has found to be declared.
class WalkedInstances final : public refactoring::DeclaredInstances {
 public:
  /// `expands_resources`: a destruction expands only modules.
  WalkedInstances(const Walk& walk, bool expands_resources)
      : walk_(walk), expands_resources_(expands_resources) {}

  const config::Config& config() const override { return walk_.config; }
  std::vector<ModuleInstId> ModuleInstances(const config::ConfigNode& node) const override {
    std::vector<ModuleInstId> out;
    for (const ModuleInstance* instance : walk_.slots.instances[node.index]) {
      out.push_back(instance->id);
    }
    return out;
  }
  bool ExpandsResources() const override { return expands_resources_; }
  bool Declares(const ResourceInstance& address) const override {
    const AbsResource& resource = address.resource;
    const config::ConfigNode* node = walk_.config.Find(walk_.program.ModuleOf(resource.module));
    for (const ModuleInstance* instance : walk_.slots.instances[node->index]) {
      if (instance->id == resource.module) {
        const auto index = static_cast<size_t>(node->module->FindResource(resource.resource));
        const Row* row = instance->resources[index]->Find(address.key);
        return row != nullptr && !row->orphan();
      }
    }
    return false;
  }

 private:
  const Walk& walk_;
  bool expands_resources_;
};

}  // namespace kinu::engine
