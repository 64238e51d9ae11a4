// ProviderSet: the providers of a working directory. What the lock file selects, where the packages
// are, their schemas, and how to start them. What a configuration, a state or a plan
// needs of them is checked before any of them is started.
// Ref: opentofu internal/command/meta_providers.go, internal/tofu/context.go
// checkConfigDependencies, internal/backend/local/backend_local.go.
#pragma once

#include <memory>

#include "config/config.h"
#include "diag/diagnostic.h"
#include "install/provider_locator.h"
#include "plan/plan_file.h"
#include "session/workspace.h"
#include "state/state.h"

namespace kinu::session {

class ProviderSet {
 public:
  /// How missing packages are reported.
  enum class Missing : uint8_t {
    kList,    ///< an error made of errors: their text is the whole summary
    kAdvice,  ///< "Required plugins are not installed", with what to do
  };

  /// Reads the lock file, TF_REATTACH_PROVIDERS and the overrides of the CLI configuration. Never
  /// null; what is wrong with them is in `diags`.
  static std::unique_ptr<ProviderSet> Open(const Workspace& workspace, Diagnostics& diags);

  /// Finds schemas and starts processes.
  provider::ProviderSource& source() { return *locator_; }
  install::ProviderLocator& locator() { return *locator_; }
  const install::LockFile& locks() const { return locator_->locks(); }
  /// Schemas as plan files need them, found through `program`, which must outlive the result.
  plan::SchemaLookup PlanSchemas(const Program& program);

  /// The packages of all selections of the lock file must be there, needed or not. False, and an
  /// error, when one is missing.
  bool RequirePackages(Missing form, Diagnostics& diags) const;
  /// For validation: each provider and provisioner that is missing is an error of its own.
  void RequirePlugins(const config::Config& config, Diagnostics& diags) const;
  /// For everything else: the packages must be there, and RequireSelected().
  void RequireSelections(const config::Config& config, Diagnostics& diags) const;
  /// The lock file selects what the configuration asks for.
  void RequireSelected(const config::Config& config, Diagnostics& diags) const;
  /// The providers of a state's objects must be there, whatever the configuration says of their
  /// resources by now. False, and one error for the first that is missing: `walked`, a
  /// configuration that is walked together with the state, decides its form.
  /// Ref: opentofu internal/tofu/transform_attach_schema.go, schemas.go loadSchemas.
  bool RequireForState(const state::State& state, const config::Config* walked,
                       Diagnostics& diags) const;
  /// The schemas of all providers of a configuration and a state, by address. Each that cannot be
  /// had is an error.
  std::vector<std::pair<std::string, const schema::ProviderSchema*>> LoadSchemas(
      const config::Config& config, const state::State* state, Diagnostics& diags);
  /// For a saved plan: the selections of the lock file that it holds (or why that cannot be read)
  /// must be those of the directory. `workspace` keeps what diagnostics point into.
  void RequireSame(const Result<std::string>& saved_text, const Workspace& workspace,
                   Diagnostics& diags) const;

 private:
  explicit ProviderSet(install::ProviderLocator::Options options)
      : locator_(std::make_unique<install::ProviderLocator>(std::move(options))) {}

  std::unique_ptr<install::ProviderLocator> locator_;
};

/// Makes one error of what is wrong with the lock file, as commands that use it do.
void AddLockFileError(const Diagnostics& lock_diags, Diagnostics& diags);

/// Warns when the CLI configuration replaces providers (`dev_overrides`): before a plan or an apply
/// for its result, before an installation because it is not needed.
void WarnOfOverrides(const Workspace& workspace, bool for_init, Diagnostics& diags);

/// The lock file as installation reads it: what it selects of the predecessor's official providers
/// counts for ours, with a warning.
install::LockFile ReadLocksToInstall(const Workspace& workspace, Diagnostics& diags);

/// Objects of providers of the predecessor's registry become those of the same name in ours, unless
/// the configuration asks for the old address. Ref: opentofu internal/tofumigrate.
void AdoptProviders(const config::Config& config, state::State& state);

}  // namespace kinu::session
