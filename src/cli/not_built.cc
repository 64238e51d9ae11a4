#include "cli/not_built.h"

#include <algorithm>

namespace kinu::cli {
namespace {

/// A module instance's path without the keys of its steps: "module.a" of "module.a[0]".
std::string WithoutKeys(std::string_view module) {
  std::string out;
  bool inside = false;
  bool quoted = false;
  for (size_t i = 0; i < module.size(); ++i) {
    char c = module[i];
    if (quoted) {
      i += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (inside) {
      quoted = c == '"';
      inside = c != ']';
    } else if (c == '[') {
      inside = true;
    } else {
      out += c;
    }
  }
  return out;
}

/// Whether the state holds an object at that address of a block in `node`. Keys of modules on the
/// way are not compared: this only has to be right when it says no.
bool Holds(const Program& program, const state::State& state, const config::ConfigNode& node,
           const config::Endpoint& endpoint) {
  std::string path = program.ToText(node.path);
  std::string below = WithoutKeys(program.ToText(endpoint.module));
  if (!path.empty() && !below.empty()) {
    path += '.';
  }
  path += below;
  return std::any_of(state.resources.begin(), state.resources.end(), [&](const auto& resource) {
    std::string module = WithoutKeys(program.ToText(resource->address.module));
    if (endpoint.is_module) {
      return module == path || module.starts_with(path + ".");
    }
    if (module != path || resource->address.resource != endpoint.resource) {
      return false;
    }
    return endpoint.key == InstanceKey() || resource->Find(endpoint.key) != nullptr;
  });
}

}  // namespace

void RefuseUnbuiltBlocks(const config::Config& config, const state::State& state,
                         Diagnostics& diags) {
  const Program& program = *config.program;
  for (const auto& node : config.nodes) {
    for (const config::Moved& moved : node->module->moved) {
      if (Holds(program, state, *node, moved.from_endpoint)) {
        diags.Error("Moving objects is not built yet",
                    "The state holds an object at the address that this block moves away from. "
                    "This version cannot move it, and will not replace it instead.",
                    moved.range);
      }
    }
    for (const config::Removed& removed : node->module->removed) {
      bool forgets = !removed.destroy || !removed.provisioners.empty();
      if (forgets && Holds(program, state, *node, removed.from)) {
        diags.Error("Forgetting objects is not built yet",
                    "The state holds an object that this block wants forgotten. This version can "
                    "only destroy what configuration no longer mentions.",
                    removed.range);
      }
    }
    for (const config::Import& import : node->module->imports) {
      const state::Resource* resource =
          import.instance ? state.Find(import.instance->resource) : nullptr;
      // An object that is there already was imported by an earlier run.
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
  for (const plan::ResourceChange& change : plan.changes) {
    bool creates = change.action == plan::Action::kCreate || plan::IsReplace(change.action);
    bool destroys = change.action == plan::Action::kDelete || plan::IsReplace(change.action);
    const config::ConfigNode* node = config.Find(program.ModuleOf(change.address.resource.module));
    int index = node == nullptr ? -1 : node->module->FindResource(change.address.resource.resource);
    if (index < 0) {
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
}

}  // namespace kinu::cli
