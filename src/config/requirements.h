// Which providers a configuration needs, in which versions. Ref: opentofu
// internal/configs/config.go ProviderRequirements.
#pragma once

#include <vector>

#include "codec/version.h"
#include "config/config.h"

namespace kinu::config {

struct ProviderRequirement {
  Symbol provider;  ///< full source address
  VersionConstraints constraints;
  bool is_explicit = false;  ///< some required_providers lists it
};

/// All providers of all modules, ordered by address; built-in ones too. Reports version constraints
/// that only configuration understands, and import blocks whose provider is not that of the
/// resource.
std::vector<ProviderRequirement> ProviderRequirements(const Config& config, Diagnostics& diags);

}  // namespace kinu::config
