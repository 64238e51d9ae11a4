// Whether the providers that a configuration needs are selected and installed, asked before any of
// them is started. Ref: opentofu internal/tofu/context.go checkConfigDependencies,
// internal/backend/local/backend_local.go.
#pragma once

#include "cli/command.h"
#include "config/config.h"
#include "diag/diagnostic.h"
#include "install/provider_locator.h"
#include "state/state.h"

namespace kinu::cli {

/// Warns when the CLI configuration replaces providers (`dev_overrides`): before a plan or an apply
/// for its result, before an installation because it is not needed.
void WarnOfOverrides(const Invocation& invocation, bool for_init, Diagnostics& diags);

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
/// The second half of that: the lock file selects what the configuration asks for.
void RequireSelected(const config::Config& config, const install::ProviderLocator& locator,
                     Diagnostics& diags);

/// The lock file as installation takes it: what it selects of the predecessor's official providers
/// counts for ours, with a warning.
install::LockFile ReadLocksToInstall(Diagnostics& diags);
/// Objects of providers of the predecessor's registry become those of the same name in ours, unless
/// the configuration asks for the old address. Ref: opentofu internal/tofumigrate.
void TakeOverProviders(const config::Config& config, state::State& state);

/// For a saved plan: the selections of the lock file that it holds (or why that cannot be read)
/// must be those of the working directory.
void RequireSameSelections(const Result<std::string>& saved_text,
                           const install::ProviderLocator& locator, Diagnostics& diags);

}  // namespace kinu::cli
