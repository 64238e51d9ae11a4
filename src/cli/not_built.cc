#include "cli/not_built.h"

#include <algorithm>

namespace kinu::cli {

void RefuseImports(const config::Config& config, const state::State& state, Diagnostics& diags) {
  for (const auto& node : config.nodes) {
    for (const config::Import& import : node->module->imports) {
      const state::Resource* resource =
          import.instance ? state.Find(import.instance->resource) : nullptr;
      if (resource == nullptr || resource->Find(import.instance->key) == nullptr) {
        diags.Error("Import is not built yet",
                    "This version cannot bring existing objects into the state, and will not "
                    "create new ones instead.",
                    import.range);
      }
    }
  }
}

void RefuseProvisioners(const config::Config& config, const plan::Plan& plan, Diagnostics& diags) {
  const Program& program = *config.program;
  std::vector<const config::Resource*> refused;
  bool destroyed_without_block = false;
  for (const plan::ResourceChange& change : plan.changes) {
    bool creates = change.action == plan::Action::kCreate || plan::IsReplace(change.action);
    bool destroys = change.action == plan::Action::kDelete || plan::IsReplace(change.action);
    const config::ConfigNode* node = config.Find(program.ModuleOf(change.address.resource.module));
    int index = node == nullptr ? -1 : node->module->FindResource(change.address.resource.resource);
    if (index < 0) {
      destroyed_without_block |= destroys;
      continue;
    }
    const config::Resource& resource = node->module->resources[static_cast<size_t>(index)];
    bool runs = std::any_of(
        resource.provisioners.begin(), resource.provisioners.end(),
        [&](const config::Provisioner& provisioner) {
          return provisioner.when == config::Provisioner::When::kDestroy ? destroys : creates;
        });
    if (runs && std::find(refused.begin(), refused.end(), &resource) == refused.end()) {
      refused.push_back(&resource);
      diags.Error("Provisioners are not built yet",
                  "This change would have to run the provisioners of the resource, which this "
                  "version cannot do.",
                  resource.range);
    }
  }
  for (const auto& node : config.nodes) {
    for (const config::Removed& removed : node->module->removed) {
      if (destroyed_without_block && !removed.provisioners.empty()) {
        diags.Error(
            "Provisioners are not built yet",
            "This change may have to run the provisioners of a removed resource, which this "
            "version cannot do.",
            removed.range);
      }
    }
  }
}

}  // namespace kinu::cli
