#include "config/provider_names.h"

#include "addrs/provider_source.h"

namespace kinu::config {

Symbol ImpliedProvider(Program& program, std::string_view name) {
  return name == "terraform" ? program.Intern(kBuiltInProvider) : DefaultProvider(program, name);
}

Symbol DefaultProvider(Program& program, std::string_view name) {
  auto normal = ParseProviderPart(name);
  std::string address(kDefaultRegistryHost);
  address += "/hashicorp/";
  address += normal ? *normal : std::string(name);
  return program.Intern(address);
}

std::string ProviderConfigName(const Program& program, Symbol local_name, Symbol alias) {
  std::string name(program.Text(local_name));
  if (!alias.empty()) {
    name += '.';
    name += program.Text(alias);
  }
  return name;
}

Symbol AddressOf(Program& program, const Module& module, Symbol local_name) {
  if (auto found = module.provider_addresses.find(local_name.id);
      found != module.provider_addresses.end()) {
    return found->second;
  }
  return ImpliedProvider(program, program.Text(local_name));
}

void ResolveModuleProviders(Program& program, Module& module) {
  for (const RequiredProvider& required : module.required_providers) {
    module.provider_addresses[required.local_name.id] = required.provider;
  }
  const auto learn = [&](Symbol local_name) {
    auto [entry, is_new] = module.provider_addresses.try_emplace(local_name.id, Symbol{});
    if (is_new) {
      entry.value() = ImpliedProvider(program, program.Text(local_name));
    }
    return entry->second;
  };
  for (const ProviderBlock& provider : module.providers) {
    learn(provider.local_name);
  }
  for (ProviderMeta& meta : module.provider_metas) {
    meta.provider = learn(meta.local_name);
  }
  // Resources are sorted by type: each type is looked up once.
  Symbol last_type;
  Symbol last_provider;
  const auto implied = [&](Symbol type) {
    if (type != last_type || type.empty()) {
      last_type = type;
      const std::string_view name = ImpliedProviderName(program.Text(type));
      last_provider = ParseProviderPart(name) ? learn(program.Intern(name)) : Symbol{};
    }
    return last_provider;
  };
  for (Resource& resource : module.resources) {
    resource.provider = resource.provider_ref ? learn(resource.provider_ref->local_name)
                                              : implied(resource.name.type);
  }
  for (Import& import : module.imports) {
    import.provider = import.provider_ref ? learn(import.provider_ref->local_name)
                                          : implied(import.target.resource.type);
  }
}

}  // namespace kinu::config
