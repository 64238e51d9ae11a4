#include "config/config.h"

#include <algorithm>
#include <iterator>

#include "config/provider_names.h"
#include "hcl/parse.h"

namespace kinu::config {
namespace {

constexpr std::string_view kResourceNames[] = {"count",       "for_each",  "provider",
                                               "depends_on",  "lifecycle", "connection",
                                               "provisioner", "locals",    "_"};
constexpr std::string_view kDataNames[] = {"count",     "for_each", "provider", "depends_on",
                                           "lifecycle", "locals",   "_"};
constexpr std::string_view kModuleNames[] = {"source",     "version",   "count", "for_each",
                                             "depends_on", "providers", "_",     "lifecycle",
                                             "locals",     "provider"};
constexpr std::string_view kProviderNames[] = {
    "alias", "version", "for_each", "count", "depends_on", "source", "_", "lifecycle", "locals"};
constexpr std::string_view kProvisionerNames[] = {"when", "on_failure", "_", "connection",
                                                  "lifecycle"};

}  // namespace

constinit const std::span<const std::string_view> kResourceMetaNames = kResourceNames;
constinit const std::span<const std::string_view> kDataMetaNames = kDataNames;
constinit const std::span<const std::string_view> kModuleMetaNames = kModuleNames;
constinit const std::span<const std::string_view> kProviderMetaNames = kProviderNames;
constinit const std::span<const std::string_view> kProvisionerMetaNames = kProvisionerNames;

std::span<const std::string_view> MetaNames(ResourceMode mode) {
  return mode == ResourceMode::kData ? kDataMetaNames : kResourceMetaNames;
}

const RequiredProvider* Module::FindRequiredProvider(Symbol local_name) const {
  for (const RequiredProvider& provider : required_providers) {
    if (provider.local_name == local_name) {
      return &provider;
    }
  }
  return nullptr;
}

const ConfigNode* Config::Find(ModuleId path) const {
  auto found = node_of_module.find(path.id);
  return found == node_of_module.end() ? nullptr : nodes[found->second].get();
}

Symbol Config::ProviderAddress(const Module& module, Symbol local_name) const {
  return AddressOf(*program, module, local_name);
}

ProviderConfig Config::ResolveProvider(const ConfigNode& node, Symbol local_name,
                                       Symbol alias) const {
  return ResolveProviderAddress(node, AddressOf(*program, *node.module, local_name), alias);
}

namespace {

/// The configuration that a module's call passes in as (provider, alias), or null. The last entry
/// counts if several match.
const ProviderRef* FindPassedIn(const Config& config, const ConfigNode& node, Symbol provider,
                                Symbol alias) {
  const ProviderRef* outside = nullptr;
  if (node.parent != nullptr) {
    const ModuleCall& call = node.parent->module->calls[static_cast<size_t>(node.call)];
    for (const ModuleCall::PassedProvider& passed : call.providers) {
      if (passed.inside.alias == alias &&
          config.ProviderAddress(*node.module, passed.inside.local_name) == provider) {
        outside = &passed.outside;
      }
    }
  }
  return outside;
}

/// Whether validation treats (provider, alias) of the root module as configured: it is one of the
/// configuration_aliases, and no block without alias configures the provider. Ref:
/// transform_provider.go transformSingle.
bool IsAliasOfRequired(const Module& module, Symbol provider, Symbol alias) {
  for (const RequiredProvider& required : module.required_providers) {
    const bool configured =
        std::any_of(module.providers.begin(), module.providers.end(), [&](const auto& block) {
          return block.alias.empty() && block.local_name == required.local_name;
        });
    if (required.provider == provider && !configured &&
        std::any_of(required.aliases.begin(), required.aliases.end(),
                    [&](const ProviderRef& ref) { return ref.alias == alias; })) {
      return true;
    }
  }
  return false;
}

}  // namespace

ProviderConfig Config::ResolveProviderAddress(const ConfigNode& node, Symbol provider,
                                              Symbol alias) const {
  const ConfigNode* at = &node;
  while (true) {
    const ProviderBlock* block = FindProviderBlock({at->path, provider, alias});
    if (at->parent == nullptr || (block != nullptr && !block->is_empty)) {
      return {at->path, provider, alias};
    }
    const ProviderRef* outside = FindPassedIn(*this, *at, provider, alias);
    if (outside != nullptr) {
      at = at->parent;
      provider = AddressOf(*program, *at->module, outside->local_name);
      alias = outside->alias;
    } else if (block != nullptr || !alias.empty()) {
      return {at->path, provider, alias};
    } else {
      at = at->parent;
    }
  }
}

ProviderConfig Config::ResolveFunctionProvider(const ConfigNode& node, Symbol provider,
                                               Symbol alias) const {
  const bool here = FindProviderBlock({node.path, provider, alias}) != nullptr ||
                    FindPassedIn(*this, node, provider, alias) != nullptr;
  return here ? ResolveProviderAddress(node, provider, alias)
              : ProviderConfig{ModuleId(), provider, Symbol()};
}

PassedKey Config::FindPassedKey(const ConfigNode& node, Symbol provider, Symbol alias) const {
  const ConfigNode* at = &node;
  while (at->parent != nullptr) {
    const ProviderBlock* block = FindProviderBlock({at->path, provider, alias});
    if (block != nullptr && !block->is_empty) {
      break;
    }
    const ProviderRef* outside = FindPassedIn(*this, *at, provider, alias);
    if (outside != nullptr) {
      if (outside->key != nullptr) {
        return {outside->key, at};
      }
      provider = AddressOf(*program, *at->parent->module, outside->local_name);
      alias = outside->alias;
    } else if (block != nullptr || !alias.empty()) {
      break;  // configured here; an alias is never inherited
    }
    at = at->parent;
  }
  return {};
}

ProviderConfig Config::ResolveProvider(const ConfigNode& node, const Resource& resource) const {
  const Symbol alias = resource.provider_ref ? resource.provider_ref->alias : Symbol{};
  return ResolveProviderAddress(node, resource.provider, alias);
}

std::optional<ProviderConfig> Config::ProviderAt(const ProviderConfig& address) const {
  const ConfigNode* node = Find(address.module);
  if (node == nullptr) {
    return std::nullopt;
  }
  if (FindPassedIn(*this, *node, address.provider, address.alias) != nullptr) {
    return ResolveProviderAddress(*node, address.provider, address.alias);
  }
  return address;
}

bool Config::HasProvider(const ProviderConfig& address, bool validating) const {
  if (FindProviderBlock(address) != nullptr) {
    return true;
  }
  if (!address.module.is_root()) {
    return false;
  }
  return address.alias.empty() ||
         (validating && IsAliasOfRequired(*root().module, address.provider, address.alias));
}

bool Config::CanPassOn(const ConfigNode& node, Symbol provider, Symbol alias,
                       bool validating) const {
  const ProviderConfig address{node.path, provider, alias};
  if (FindProviderBlock(address) != nullptr ||
      FindPassedIn(*this, node, provider, alias) != nullptr) {
    return true;
  }
  if (node.parent != nullptr) {
    return false;
  }
  if (!alias.empty()) {
    return HasProvider(address, validating);
  }
  const auto& required = node.module->required_providers;
  return std::any_of(required.begin(), required.end(),
                     [&](const RequiredProvider& entry) { return entry.provider == provider; });
}

const ProviderBlock* Config::FindProviderBlock(const ProviderConfig& config) const {
  const ConfigNode* node = Find(config.module);
  if (node == nullptr) {
    return nullptr;
  }
  for (const ProviderBlock& block : node->module->providers) {
    if (block.alias == config.alias &&
        AddressOf(*program, *node->module, block.local_name) == config.provider) {
      return &block;
    }
  }
  return nullptr;
}

const hcl::Body* Config::EmptyBody(const std::string& file) const {
  EmptyFile& empty = (*empty_files_)[file];
  if (empty.body == nullptr) {
    Diagnostics none;
    empty.file = SourceFile::Make(file, "");
    empty.body = hcl::ParseNative(empty.file.get(), empty.tree, none);
  }
  return empty.body;
}

std::unique_ptr<const Config> Config::WithModules(
    std::map<uint32_t, Replacement> replacements) const {
  auto out = std::make_unique<Config>();
  out->program = program;
  std::vector<ConfigNode*> copies(nodes.size());
  for (const auto& node : nodes) {
    ConfigNode* parent = node->parent == nullptr ? nullptr : copies[node->parent->index];
    const bool called =
        node->parent == nullptr ||
        (parent != nullptr && static_cast<size_t>(node->call) < parent->module->calls.size());
    if (!called) {
      continue;
    }
    auto copy = std::make_unique<ConfigNode>(*node);
    copy->parent = parent;
    copy->index = static_cast<uint32_t>(out->nodes.size());
    if (auto found = replacements.find(node->index); found != replacements.end()) {
      copy->module = found->second.module.get();
      copy->provider_instances = std::move(found->second.provider_instances);
      out->modules.push_back(std::move(found->second.module));
    }
    copy->children.assign(copy->module->calls.size(), nullptr);
    if (parent != nullptr) {
      parent->children[static_cast<size_t>(node->call)] = copy.get();
    }
    copies[node->index] = copy.get();
    out->node_of_module[copy->path.id] = copy->index;
    out->nodes.push_back(std::move(copy));
  }
  return out;
}

std::unique_ptr<const Config> Config::WithRootResources(std::vector<Resource> added) const {
  auto module = std::make_unique<Module>(*root().module);
  for (Resource& resource : added) {
    module->resources.push_back(std::move(resource));
    module->resource_index.Add(module->resources, module->resources.size() - 1);
  }
  std::map<uint32_t, Replacement> root_module;
  root_module.emplace(0, Replacement{std::move(module), root().provider_instances});
  return WithModules(std::move(root_module));
}

}  // namespace kinu::config
