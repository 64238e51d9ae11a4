#include "engine/deprecated_parts.h"
#include "engine/passes/passes.h"
#include "provider/provisioner.h"

namespace kinu::engine {

void AttachProviders(Walk& walk, Diagnostics& diags) {
  (void)diags;
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
        slot.provider = walk.EnsureProvider(slot.resource->provider);
        users.emplace_back(id, slot.provider);
        break;
      }
      case NodeKind::kDeposed: {
        DeposedSlot& slot = walk.deposed[node.index];
        slot.provider = walk.EnsureProvider(slot.resource->provider);
        users.emplace_back(id, slot.provider);
        break;
      }
      default:
        break;
    }
  }
  // A configuration that nothing uses is still checked, as the reference does.
  for (const auto& node : walk.config.nodes) {
    for (const config::ProviderBlock& block : node->module->providers) {
      walk.EnsureProvider(
          {node->path, walk.config.ProviderAddress(*node->module, block.local_name), block.alias});
    }
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
    return;
  }
  for (const auto& [user, provider] : users) {
    walk.graph.AddEdge(user, walk.provider_nodes[provider]);
  }
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
        diags.Error("Failed to load plugin schemas", loaded.error().message);
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
