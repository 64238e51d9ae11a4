// Local names of providers and the addresses that they stand for. Private to config.
// Ref: opentofu internal/configs/module.go ProviderForLocalConfig, internal/addrs/provider.go.
#pragma once

#include <string_view>

#include "config/config.h"

namespace kinu::config {

/// The provider that a name means when nothing else is said: "terraform" is built in, others belong
/// to the "hashicorp" namespace of the default registry. `name` must be valid.
Symbol ImpliedProvider(Program& program, std::string_view name);
/// The provider of the default namespace with that name, "terraform" too.
Symbol DefaultProvider(Program& program, std::string_view name);
/// The local name that a resource type implies: up to its first underscore.
std::string_view ImpliedLocalName(std::string_view resource_type);

/// Fills Module::provider_addresses and Resource::provider, Import::provider and
/// ProviderMeta::provider.
void ResolveModuleProviders(Program& program, Module& module);
/// A provider configuration as references write it: "aws", "aws.west".
std::string ProviderConfigName(const Program& program, Symbol local_name, Symbol alias);
/// The address of a name, also of one that the module does not use.
Symbol AddressOf(Program& program, const Module& module, Symbol local_name);

}  // namespace kinu::config
