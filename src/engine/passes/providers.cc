#include "engine/deprecated_parts.h"
#include "engine/passes/passes.h"
#include "hcl/parse.h"
#include "provider/provisioner.h"
#include "text/quote.h"

namespace kinu::engine {
namespace {

/// Reports the first provider configuration that a module call passes on and nothing declares.
/// Ref: transform_provider.go addProxyProviders.
bool CheckPassedProviders(const Walk& walk, Diagnostics& diags) {
  const config::Config& config = walk.config;
  for (const auto& node : config.nodes) {
    for (const config::ModuleCall& call : node->module->calls) {
      const config::ConfigNode* child =
          node->children[static_cast<size_t>(&call - node->module->calls.data())];
      for (const auto& passed : call.providers) {
        if (child == nullptr) {
          break;
        }
        const Symbol provider = config.ProviderAddress(*child->module, passed.inside.local_name);
        const Symbol alias = passed.outside.alias;
        if (!config.CanPassOn(*node, provider, alias, walk.kind == WalkKind::kValidate)) {
          diags.Error("missing provider " + walk.program.ToText({node->path, provider, alias}), "");
          return false;
        }
      }
    }
  }
  return true;
}

void ReportUndeclared(const Walk& walk, const std::string& user, const ProviderConfig& provider,
                      Diagnostics& diags) {
  diags.Error(
      "Provider configuration not present",
      "Working with " + user + " takes the provider configuration " +
          walk.program.ToText(provider) +
          ", which the configuration does not have. If its provider block was removed while "
          "objects that were made with it are still in the state, put the block back, "
          "destroy the objects and then remove it; otherwise correct the alias.");
}

/// Reports each block and each object of the state whose provider is not configured anywhere.
void CheckProviderOf(const Walk& walk, NodeId id, uint32_t provider, Diagnostics& diags) {
  const ProviderConfig& missing = walk.providers[provider].address;
  if (walk.providers[provider].declared) {
    return;
  }
  const Node& node = walk.graph.node(id);
  if (node.kind == NodeKind::kResource) {
    const config::ConfigNode& place = *walk.config.nodes[node.config_node];
    const ConfigResource address{place.path, place.module->resources[node.index].name};
    return ReportUndeclared(walk, walk.program.ToText(address), missing, diags);
  }
  const bool orphan = node.kind == NodeKind::kOrphan;
  const state::Resource& resource =
      orphan ? *walk.orphans[node.index].resource : *walk.deposed[node.index].resource;
  for (const state::Instance& instance : resource.instances) {
    const std::string text = walk.program.ToText(ResourceInstance{resource.address, instance.key});
    if (orphan && instance.current != nullptr) {
      ReportUndeclared(walk, text, missing, diags);
    }
    for (size_t i = 0; !orphan && i < instance.deposed.size(); ++i) {
      ReportUndeclared(walk, text + " (deposed " + instance.deposed[i].key + ")", missing, diags);
    }
  }
}

/// The same for import blocks whose target has no block yet.
void CheckProvidersOfImports(const Walk& walk, Diagnostics& diags) {
  if (walk.kind != WalkKind::kValidate) {
    return;
  }
  for (const config::Import& import : walk.config.root().module->imports) {
    const config::ConfigNode* node = walk.config.Find(import.target.module);
    if (node == nullptr || !import.provider_ref ||
        node->module->FindResource(import.target.resource) >= 0) {
      continue;
    }
    const ProviderConfig provider =
        walk.config.ResolveProviderAddress(*node, import.provider, import.provider_ref->alias);
    if (!walk.config.HasProvider(provider, true)) {
      ReportUndeclared(walk, walk.program.ToText(import.target), provider, diags);
    }
  }
}

/// The body of a provider that no block configures.
const hcl::Body* AbsentBody(Walk& walk, const ProviderConfig& address) {
  const std::string name = walk.program.ToText(address) + " with no configuration";
  config::Config::AbsentBlock& block = walk.config.absent_blocks[name];
  if (block.body == nullptr) {
    Diagnostics none;
    block.file = SourceFile::Make(name, "");
    block.body = hcl::ParseNative(block.file.get(), block.tree, none);
  }
  return block.body;
}

}  // namespace

bool AttachProviders(Walk& walk, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  if (!CheckPassedProviders(walk, diags)) {
    return false;
  }
  std::vector<std::pair<NodeId, uint32_t>> users;
  for (NodeId id = 0; id < walk.graph.size(); ++id) {
    const Node& node = walk.graph.node(id);
    switch (node.kind) {
      case NodeKind::kResource: {
        const config::ConfigNode& place = *walk.config.nodes[node.config_node];
        const config::Resource& resource = place.module->resources[node.index];
        uint32_t provider = walk.EnsureProvider(walk.config.ResolveProvider(place, resource));
        walk.blocks[node.config_node][node.index].provider = provider;
        users.emplace_back(id, provider);
        break;
      }
      case NodeKind::kOrphan: {
        OrphanSlot& slot = walk.orphans[node.index];
        slot.provider = walk.EnsureStoredProvider(slot.resource->provider);
        users.emplace_back(id, slot.provider);
        break;
      }
      case NodeKind::kDeposed: {
        DeposedSlot& slot = walk.deposed[node.index];
        slot.provider = walk.EnsureStoredProvider(slot.resource->provider);
        users.emplace_back(id, slot.provider);
        break;
      }
      default:
        break;
    }
  }
  for (const auto& [user, provider] : users) {
    CheckProviderOf(walk, user, provider, diags);
  }
  CheckProvidersOfImports(walk, diags);
  if (diags.error_count() != errors) {
    return false;
  }
  // Those that nothing uses may still be called for their functions.
  for (const auto& node : walk.config.nodes) {
    for (const config::ProviderBlock& block : node->module->providers) {
      walk.EnsureProvider(
          {node->path, walk.config.ProviderAddress(*node->module, block.local_name), block.alias});
    }
  }
  for (ProviderSlot& slot : walk.providers) {
    slot.body = slot.block != nullptr ? slot.block->body : AbsentBody(walk, slot.address);
  }
  for (uint32_t i = 0; i < walk.providers.size(); ++i) {
    walk.provider_nodes.push_back(walk.graph.Add({NodeKind::kProvider, 0, i}));
  }
  if (walk.kind == WalkKind::kApply) {
    // Cells wait for their provider, expansions do not, unless they open something.
    for (const auto& [user, provider] : users) {
      const Node& node = walk.graph.node(user);
      if (node.kind == NodeKind::kResource &&
          walk.config.nodes[node.config_node]->module->resources[node.index].name.mode ==
              ResourceMode::kEphemeral) {
        walk.graph.AddEdge(user, walk.provider_nodes[provider]);
      }
    }
    return true;
  }
  for (const auto& [user, provider] : users) {
    walk.graph.AddEdge(user, walk.provider_nodes[provider]);
  }
  return true;
}

void AttachSchemas(Walk& walk, Diagnostics& diags) {
  FlatMap<uint32_t, const schema::ProviderSchema*> schemas;  // by provider address
  for (ProviderSlot& slot : walk.providers) {
    auto [it, added] = schemas.emplace(slot.address.provider.id, nullptr);
    if (added) {
      auto loaded = walk.input.providers->Schema(walk.program.Text(slot.address.provider));
      if (loaded) {
        it.value() = *loaded;
      } else {
        diags.Error("Failed to load plugin schemas",
                    "Error while loading schemas for plugin components: failed to instantiate "
                    "provider " +
                        text::GoQuote(walk.program.Text(slot.address.provider)) +
                        " to obtain schema: " + loaded.error().message + ".");
      }
    }
    slot.schema = it->second;
  }
  FlatMap<uint64_t, bool> deprecating;  // by schema
  for (const auto& node : walk.config.nodes) {
    const config::Module& module = *node->module;
    for (size_t i = 0; i < module.resources.size(); ++i) {
      const config::Resource& resource = module.resources[i];
      for (const config::Provisioner& block : resource.provisioners) {
        if (provider::FindProvisioner(block.type) == nullptr) {
          // Validation and plans have found it before; the graph alone says it in this way.
          const std::string type = "\"" + std::string(block.type) + "\"";
          diags.Error("failed to read provisioner configuration schema for " + type +
                          ": failed to instantiate provisioner " + type +
                          " to obtain schema: unavailable provisioner " + type,
                      "");
        }
      }
      BlockInfo& info = walk.blocks[node->index][i];
      const schema::ProviderSchema* schema = walk.providers[info.provider].schema;
      if (schema == nullptr) {
        continue;
      }
      std::string_view type = walk.program.Text(resource.name.type);
      switch (resource.name.mode) {
        case ResourceMode::kManaged:
          info.schema = schema->FindResource(type);
          break;
        case ResourceMode::kData:
          info.schema = schema->FindData(type);
          break;
        case ResourceMode::kEphemeral:
          info.schema = schema->FindEphemeral(type);
          break;
      }
      if (info.schema != nullptr) {
        auto [it, added] = deprecating.emplace(reinterpret_cast<uint64_t>(info.schema), false);
        if (added) {
          it.value() = HasDeprecatedParts(info.schema->block);
        }
        info.has_deprecated = it->second;
      }
    }
  }
}

}  // namespace kinu::engine
