// What `validate` checks of a configuration that was loaded without errors.
#pragma once

#include <functional>

#include "config/config.h"
#include "diag/diagnostic.h"
#include "engine/request.h"
#include "session/load.h"

namespace kinu::ide {

/// How a validation finds what it needs besides the configuration.
struct ValidationSources {
  /// Checks that the providers of a configuration are there. False after an error.
  std::function<bool(const config::Config& config, Diagnostics& diags)> require_providers;
  /// The input of the engine for a configuration, which keeps providers in the pool.
  std::function<engine::Request(const config::Config& config, engine::ProviderPool& pool)> request;
};

/// Checks the configuration, its test files, and the local modules that these call. False if errors
/// have kept it from looking at all of them.
bool Validate(const session::Loaded& loaded, const ValidationSources& sources, Diagnostics& diags);

}  // namespace kinu::ide
