// Whether the providers that a configuration needs are selected and installed, asked before any of
// them is started. Ref: opentofu internal/tofu/context.go checkConfigDependencies,
// internal/backend/local/backend_local.go.
#pragma once

#include "config/config.h"
#include "diag/diagnostic.h"
#include "install/provider_locator.h"

namespace kinu::cli {

/// For validation: each provider and provisioner that is missing is an error of its own.
void RequirePlugins(const config::Config& config, const install::ProviderLocator& locator,
                    Diagnostics& diags);
/// For everything else: the selections of the lock file must be installed, and those that the
/// configuration asks for.
void RequireSelections(const config::Config& config, const install::ProviderLocator& locator,
                       Diagnostics& diags);

}  // namespace kinu::cli
