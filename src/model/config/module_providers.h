// Checks which provider configurations modules require and receive. Private to config. Ref:
// opentofu internal/configs/provider_validation.go.
#pragma once

#include "config/config.h"

namespace kinu::config {

/// Checks all modules of a configuration that loaded without errors.
void CheckProviderConfigs(const Config& config, Diagnostics& diags);

}  // namespace kinu::config
