// Whether the providers that a configuration needs are selected and installed, asked before any of
// them is started. Ref: opentofu internal/tofu/context.go checkConfigDependencies,
// internal/backend/local/backend_local.go.
#pragma once

#include "config/config.h"
#include "diag/diagnostic.h"
#include "install/provider_locator.h"

namespace kinu::cli {

/// How packages that are missing are told of.
enum class MissingPackagesForm : uint8_t {
  kList,    ///< an error made of errors: their text is the whole summary
  kAdvice,  ///< "Required plugins are not installed", with what to do
};
/// The packages of all selections of the lock file must be there, needed or not. False, and an
/// error, when one is missing.
bool RequirePackages(const install::ProviderLocator& locator, MissingPackagesForm form,
                     Diagnostics& diags);
/// For validation: each provider and provisioner that is missing is an error of its own.
void RequirePlugins(const config::Config& config, const install::ProviderLocator& locator,
                    Diagnostics& diags);
/// For everything else: the selections of the lock file must be installed, and those that the
/// configuration asks for.
void RequireSelections(const config::Config& config, const install::ProviderLocator& locator,
                       Diagnostics& diags);

/// For a saved plan: the selections of the lock file that it holds (or why that cannot be read)
/// must be those of the working directory.
void RequireSameSelections(const Result<std::string>& saved_text,
                           const install::ProviderLocator& locator, Diagnostics& diags);

}  // namespace kinu::cli
