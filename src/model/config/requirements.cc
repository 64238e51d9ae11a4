#include "config/requirements.h"

#include <algorithm>
#include <unordered_set>

#include "config/module_test_file.h"
#include "config/provider_names.h"

namespace kinu::config {
namespace {

/// Collects the requirements of modules, one after the other.
class Collector {
 public:
  Collector(Program& program, Diagnostics& diags) : program_(program), diags_(diags) {}

  /// Adds each module of a tree once.
  void AddTree(const Config& config) {
    for (const auto& node : config.nodes) {
      if (added_.insert(node->module).second) {
        Add(*node->module);
      }
    }
  }
  /// Adds the version constraints of `provider` blocks, whose names are those of `module`.
  void AddBlocks(const Module& module, const std::vector<ProviderBlock>& blocks);
  std::vector<ProviderRequirement> Finish();

 private:
  void Add(const Module& module);
  ProviderRequirement& Entry(Symbol provider) {
    auto [entry, is_new] = index_.try_emplace(provider.id, out_.size());
    if (is_new) {
      out_.push_back({provider, {}, false});
    }
    return out_[entry->second];
  }
  void Constrain(Symbol provider, const std::string& version, const SourceRange& range);

  Program& program_;
  Diagnostics& diags_;
  std::unordered_set<const Module*> added_;
  FlatMap<uint32_t, size_t> index_;
  std::vector<ProviderRequirement> out_;
};

void Collector::Constrain(Symbol provider, const std::string& version, const SourceRange& range) {
  ProviderRequirement& entry = Entry(provider);
  if (version.empty()) {
    return;
  }
  auto constraints = VersionConstraints::ParseForProviders(version);
  if (!constraints) {
    diags_.Error("Invalid version constraint",
                 "Incorrect version constraint syntax: " + constraints.error().message + ".",
                 range);
    return;
  }
  entry.constraints.Append(*constraints);
}

void Collector::Add(const Module& module) {
  for (const RequiredProvider& required : module.required_providers) {
    Constrain(required.provider, required.version, required.range);
    Entry(required.provider).is_explicit = true;
  }
  Symbol last;
  for (const Resource& resource : module.resources) {
    if (resource.provider != last && !resource.provider.empty()) {
      last = resource.provider;
      Entry(last);
    }
  }
  for (const Import& import : module.imports) {
    if (!import.provider.empty()) {
      Entry(import.provider);
    }
    CheckImportProvider(module, import, diags_);
  }
  AddBlocks(module, module.providers);
}

void Collector::AddBlocks(const Module& module, const std::vector<ProviderBlock>& blocks) {
  for (const ProviderBlock& block : blocks) {
    Constrain(AddressOf(program_, module, block.local_name), block.version, block.range);
  }
}

std::vector<ProviderRequirement> Collector::Finish() {
  std::sort(out_.begin(), out_.end(),
            [this](const ProviderRequirement& a, const ProviderRequirement& b) {
              return program_.Text(a.provider) < program_.Text(b.provider);
            });
  return std::move(out_);
}

/// The first block of the module that uses the provider: managed resources, data sources, ephemeral
/// resources.
const Resource* FirstUser(const Module& module, Symbol provider) {
  const Resource* first = nullptr;
  for (const Resource& resource : module.resources) {
    if (resource.provider == provider &&
        (first == nullptr || resource.name.mode < first->name.mode)) {
      first = &resource;
    }
  }
  return first;
}

}  // namespace

void CheckImportProvider(const Module& module, const Import& import, Diagnostics& diags) {
  if (!import.provider_ref || !import.target.module.is_root()) {
    return;
  }
  const int index = module.FindResource(import.target.resource);
  if (index < 0) {
    return;
  }
  const Rare<ProviderRef>& own = module.resources[static_cast<size_t>(index)].provider_ref;
  if (own && own->local_name == import.provider_ref->local_name &&
      own->alias == import.provider_ref->alias) {
    return;
  }
  diags.Error("Invalid import provider argument",
              "The resource exists in the configuration: its block says which provider it has. Set "
              "the same \"provider\" there, or leave it out here.",
              import.provider_range);
}

std::vector<ProviderRequirement> ProviderRequirements(const Config& config, Diagnostics& diags) {
  Collector collector(*config.program, diags);
  collector.AddTree(config);
  if (config.tests != nullptr) {
    for (const TestFile& file : config.tests->files) {
      collector.AddBlocks(*config.root().module, file.providers);
      for (const TestRun& run : file.runs) {
        if (run.config != nullptr) {
          collector.AddTree(*run.config);
        }
      }
    }
  }
  return collector.Finish();
}

std::optional<ImpliedUse> FindImpliedUse(const Config& config, Symbol provider) {
  for (const auto& node : config.nodes) {
    if (std::ranges::any_of(node->module->required_providers,
                            [&](const RequiredProvider& r) { return r.provider == provider; })) {
      return std::nullopt;
    }
  }
  for (const auto& node : config.nodes) {
    if (const Resource* user = FirstUser(*node->module, provider)) {
      return user->provider_ref ? std::nullopt
                                : std::optional(ImpliedUse{{node->path, user->name}, user->range});
    }
    for (const Import& import : node->module->imports) {
      if (import.provider == provider) {
        return ImpliedUse{import.target, import.range};
      }
    }
  }
  return std::nullopt;
}

}  // namespace kinu::config
