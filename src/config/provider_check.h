// Which provider configurations modules need and get. Private to config.
// Ref: opentofu internal/configs/provider_validation.go.
#pragma once

#include "config/config.h"

namespace kinu::config {

/// Checks the whole tree of a configuration that loaded without errors.
void CheckProviderConfigs(const Config& config, Diagnostics& diags);

}  // namespace kinu::config
