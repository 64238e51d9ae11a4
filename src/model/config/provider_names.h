// Local names of providers and the source addresses they mean. Private to config. Ref: opentofu
// internal/configs/module.go ProviderForLocalConfig, internal/addrs/provider.go.
#pragma once

#include <string_view>

#include "config/config.h"

namespace kinu::config {

/// The provider that a local name means without `required_providers`: "terraform" is the built-in
/// provider, any other name is in the "hashicorp" namespace of the default registry. `name` must be
/// valid.
Symbol ImpliedProvider(Program& program, std::string_view name);
/// The provider `name` in the default namespace, even for "terraform".
Symbol DefaultProvider(Program& program, std::string_view name);

/// Sets Module::provider_addresses, Resource::provider, Import::provider and
/// ProviderMeta::provider.
void ResolveModuleProviders(Program& program, Module& module);
/// A provider configuration as references name it: "aws", "aws.west".
std::string ProviderConfigName(const Program& program, Symbol local_name, Symbol alias);
/// The source address of a local name, even if the module does not use it.
Symbol AddressOf(Program& program, const Module& module, Symbol local_name);

}  // namespace kinu::config
