#include <algorithm>
#include <array>
#include <string>

#include "addrs/provider_source.h"
#include "engine/passes/passes.h"
#include "hcl/parse.h"
#include "meta_arguments/deprecated_parts.h"
#include "provider/find_schema.h"
#include "provisioners/provisioner.h"
#include "text/quote.h"

namespace kinu::engine {
namespace {

/// Reports the first provider configuration that a module call passes on and nothing declares.
/// Ref: transform_provider.go addProxyProviders.
bool CheckPassedProviders(const PlanGraph& graph, Diagnostics& diags) {
  const config::Config& config = graph.config;
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
        if (!config.CanPassOn(*node, provider, alias, graph.context.kind == WalkKind::kValidate)) {
          diags.Error("missing provider " + graph.program.ToText({node->path, provider, alias}),
                      "");
          return false;
        }
      }
    }
  }
  return true;
}

void ReportUndeclared(const PlanGraph& graph, const std::string& user,
                      const ProviderConfig& provider, Diagnostics& diags) {
  diags.Error(
      "Provider configuration not present",
      "Working with " + user + " takes the provider configuration " +
          graph.program.ToText(provider) +
          ", which the configuration does not have. If its provider block was removed while "
          "objects that were made with it are still in the state, put the block back, "
          "destroy the objects and then remove it; otherwise correct the alias.");
}

/// Reports each block and each object of the state whose provider is not configured anywhere.
void CheckProviderOf(const PlanGraph& graph, NodeId id, uint32_t provider, Diagnostics& diags) {
  const ProviderConfig& missing = graph.providers[provider].address;
  if (graph.providers[provider].declared) {
    return;
  }
  const Node& node = graph.node(id);
  if (node.kind == NodeKind::kResource) {
    const config::ConfigNode& place = *graph.config.nodes[node.config_node];
    const ConfigResource address{place.path, place.module->resources[node.index].name};
    return ReportUndeclared(graph, graph.program.ToText(address), missing, diags);
  }
  const bool orphan = node.kind == NodeKind::kOrphan;
  const state::Resource& resource = *graph.stored[node.index].resource;
  for (const state::Instance& instance : resource.instances) {
    const std::string text = graph.program.ToText(ResourceInstance{resource.address, instance.key});
    if (orphan && instance.current != nullptr) {
      ReportUndeclared(graph, text, missing, diags);
    }
    for (size_t i = 0; !orphan && i < instance.deposed.size(); ++i) {
      ReportUndeclared(graph, text + " (deposed " + instance.deposed[i].key + ")", missing, diags);
    }
  }
}

/// The same for import blocks whose target has no block yet.
void CheckProvidersOfImports(const PlanGraph& graph, Diagnostics& diags) {
  if (graph.context.kind != WalkKind::kValidate) {
    return;
  }
  for (const config::Import& import : graph.config.root().module->imports) {
    const config::ConfigNode* node = graph.config.Find(import.target.module);
    if (node == nullptr || !import.provider_ref ||
        node->module->FindResource(import.target.resource) >= 0) {
      continue;
    }
    const ProviderConfig provider =
        graph.config.ResolveProviderAddress(*node, import.provider, import.provider_ref->alias);
    if (!graph.config.HasProvider(provider, true)) {
      ReportUndeclared(graph, graph.program.ToText(import.target), provider, diags);
    }
  }
}

/// The address of a block or of the resource of stored objects, if `node` is one of provider `of`.
std::optional<std::string> UserOf(const PlanGraph& graph, const Node& node, Symbol of) {
  if (node.kind == NodeKind::kResource &&
      graph.providers[graph.InfoOf(node).provider].address.provider == of) {
    return graph.program.ToText(
        ConfigResource{graph.PlaceOf(node).path, graph.ResourceOf(node).name});
  }
  if ((node.kind == NodeKind::kOrphan || node.kind == NodeKind::kDeposed) &&
      graph.providers[graph.stored[node.index].provider].address.provider == of) {
    return graph.program.ToText(graph.stored[node.index].resource->address);
  }
  return std::nullopt;
}

/// Reports that a provider gave no schema. All walks but the validation of a plan name the first
/// user.
void ReportMissingSchema(const PlanGraph& graph, const ProviderInfo& provider,
                         std::string_view cause, Diagnostics& diags) {
  const std::string_view address = graph.program.Text(provider.address.provider);
  if (graph.context.kind == WalkKind::kValidate &&
      graph.context.request.missing_schemas == MissingSchemas::kReport) {
    diags.Error("Failed to load plugin schemas",
                provider::SchemaLoadFailure(std::array{provider::SchemaFailure(address, cause)}));
    return;
  }
  std::string summary = "failed to read provider configuration schema for ";
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (auto user = UserOf(graph, graph.node(id), provider.address.provider)) {
      summary = "failed to read schema for " + *user + " in ";
      break;
    }
  }
  diags.Error(summary + std::string(address) + ": " + provider::SchemaFailure(address, cause), "");
}

/// The provider of stored objects: that of their block, if there is one.
ProviderConfig ProviderOfStored(const PlanGraph& graph, const state::Resource& stored) {
  const config::Config& config = graph.config;
  const config::ConfigNode* place = config.Find(graph.program.ModuleOf(stored.address.module));
  const int block = place != nullptr ? place->module->FindResource(stored.address.resource) : -1;
  return block >= 0
             ? config.ResolveProvider(*place, place->module->resources[static_cast<size_t>(block)])
             : config.ProviderAt(stored.provider).value_or(stored.provider);
}

}  // namespace

bool AttachProviders(PlanGraph& graph, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  Diagnostics ignored;
  // A provider that an incomplete configuration lacks may be left out.
  Diagnostics& missing = graph.config.is_incomplete ? ignored : diags;
  if (!CheckPassedProviders(graph, missing) && !graph.config.is_incomplete) {
    return false;
  }
  std::vector<std::pair<NodeId, uint32_t>> users;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kResource) {
      const ProviderConfig address =
          graph.config.ResolveProvider(graph.PlaceOf(node), graph.ResourceOf(node));
      users.emplace_back(id, graph.InfoOf(node).provider = graph.EnsureProvider(address));
    } else if (node.kind == NodeKind::kOrphan || node.kind == NodeKind::kDeposed) {
      StoredNode& stored = graph.stored[node.index];
      stored.provider = graph.EnsureProvider(ProviderOfStored(graph, *stored.resource));
      users.emplace_back(id, stored.provider);
    }
  }
  for (const auto& [user, provider] : users) {
    CheckProviderOf(graph, user, provider, missing);
  }
  CheckProvidersOfImports(graph, missing);
  if (diags.error_count() != errors) {
    return false;
  }
  // Expressions may call functions of providers without resources.
  for (const auto& node : graph.config.nodes) {
    for (const config::ProviderBlock& block : node->module->providers) {
      graph.EnsureProvider(
          {node->path, graph.config.ProviderAddress(*node->module, block.local_name), block.alias});
    }
  }
  for (uint32_t i = 0; i < graph.providers.size(); ++i) {
    ProviderInfo& info = graph.providers[i];
    info.body =
        info.block != nullptr
            ? info.block->body
            : graph.config.EmptyBody(graph.program.ToText(info.address) + " with no configuration");
    info.id = graph.Add({NodeKind::kProvider, 0, i});
  }
  if (graph.context.kind == WalkKind::kApply) {
    // Cells wait for their provider, expansions do not, unless they open something.
    for (const auto& [user, provider] : users) {
      const Node& node = graph.node(user);
      if (node.kind == NodeKind::kResource &&
          graph.config.nodes[node.config_node]->module->resources[node.index].name.mode ==
              ResourceMode::kEphemeral) {
        graph.AddEdge(user, graph.providers[provider].id);
      }
    }
    return true;
  }
  for (const auto& [user, provider] : users) {
    graph.AddEdge(user, graph.providers[provider].id);
  }
  return true;
}

/// Whether a module of which something was left out means this provider.
static bool IsCertain(const config::Module& module, Symbol provider, const Program& program) {
  return program.Text(provider) == kBuiltInProvider ||
         std::ranges::any_of(module.required_providers,
                             [&](const auto& required) { return required.provider == provider; });
}

bool AttachSchemas(PlanGraph& graph, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  FlatMap<uint32_t, const schema::ProviderSchema*> schemas;  // by provider address
  for (ProviderInfo& slot : graph.providers) {
    auto [it, added] = schemas.emplace(slot.address.provider.id, nullptr);
    if (added) {
      auto loaded =
          graph.context.request.providers->Schema(graph.program.Text(slot.address.provider));
      if (loaded) {
        it.value() = *loaded;
      } else if (graph.context.request.missing_schemas != MissingSchemas::kSkip) {
        ReportMissingSchema(graph, slot, loaded.error().message, diags);
      }
    }
    const bool is_certain = slot.node == nullptr || !slot.node->module->has_gaps ||
                            IsCertain(*slot.node->module, slot.address.provider, graph.program);
    slot.schema = is_certain ? it->second : nullptr;
  }
  FlatMap<uint64_t, bool> deprecating;  // by schema
  for (const auto& node : graph.config.nodes) {
    const config::Module& module = *node->module;
    for (size_t i = 0; i < module.resources.size(); ++i) {
      const config::Resource& resource = module.resources[i];
      for (const config::Provisioner& block : resource.provisioners) {
        if (provisioners::FindProvisioner(block.type) == nullptr) {
          // Validation and plans report this earlier; the `graph` command reports it here.
          diags.Error("failed to read provisioner configuration schema for " +
                          text::GoQuote(block.type) + ": " +
                          provider::ProvisionerFailure(block.type),
                      "");
        }
      }
      BlockInfo& info = graph.blocks[node->index][i];
      const schema::ProviderSchema* schema = graph.providers[info.provider].schema;
      const bool is_certain =
          !module.has_gaps || IsCertain(module, resource.provider, graph.program);
      if (schema == nullptr || !is_certain) {
        continue;
      }
      std::string_view type = graph.program.Text(resource.name.type);
      info.schema = provider::FindSchema(*schema, resource.name.mode, type);
      if (info.schema != nullptr) {
        auto [it, added] = deprecating.emplace(reinterpret_cast<uint64_t>(info.schema), false);
        if (added) {
          it.value() = meta_arguments::HasDeprecatedParts(info.schema->block);
        }
        info.has_deprecated = it->second;
      }
    }
  }
  return diags.error_count() == errors;
}

void AddCallableProviders(PlanGraph& graph) {
  const config::ConfigNode& root = graph.config.root();
  for (const config::RequiredProvider& required : root.module->required_providers) {
    (void)graph.EnsureFunctionProvider(root, {graph.program.Text(required.local_name), {}, {}});
  }
}

}  // namespace kinu::engine
