// The providers that a configuration requires, and in which versions. Ref: opentofu
// internal/configs/config.go ProviderRequirements.
#pragma once

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

}  // namespace kinu::config
