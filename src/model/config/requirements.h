// The providers that a configuration requires, and in which versions. Ref: opentofu
// internal/configs/config.go ProviderRequirements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "addrs/version.h"
#include "config/config.h"

namespace kinu::config {

/// A required provider.
struct ProviderRequirement {
  Symbol provider;  ///< full source address
  VersionConstraints constraints;
  bool is_explicit = false;  ///< a required_providers block lists it
};

/// The providers of all modules, sorted by address, built-in ones included. Reports invalid version
/// constraints of provider blocks, and import blocks whose provider differs from that of their
/// resource.
std::vector<ProviderRequirement> ProviderRequirements(const Config& config, Diagnostics& diags);

/// Reports an import block of the root module whose provider differs from that of its resource.
void CheckImportProvider(const Module& module, const Import& import, Diagnostics& diags);

/// A block whose resource type implies a provider.
struct ImpliedUse {
  ConfigResource resource;
  SourceRange range;
};

/// The first block, from the root module downwards, that uses the provider. Nothing if a module
/// lists the provider in required_providers, or if the block has a `provider` argument.
std::optional<ImpliedUse> FindImpliedUse(const Config& config, Symbol provider);

}  // namespace kinu::config
