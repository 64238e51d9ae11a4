// ProviderSet: the providers of a working directory: the selections of the lock file, packages,
// schemas and processes. Checks that the providers which a configuration, a state or a plan
// requires are installed, before any of them is started.
// Ref: opentofu internal/command/meta_providers.go, internal/tofu/context.go
// checkConfigDependencies, internal/backend/local/backend_local.go.
#pragma once

#include <memory>
#include <set>
#include <string_view>

#include "backend/remote_state.h"
#include "config/config.h"
#include "diag/diagnostic.h"
#include "install/provider_locator.h"
#include "plan/plan_file.h"
#include "session/encryption.h"
#include "session/workspace.h"
#include "state/state.h"

namespace kinu::session {

class ProviderSet {
 public:
  /// How missing packages are reported.
  enum class Missing : uint8_t {
    kList,    ///< one error whose summary lists all problems
    kAdvice,  ///< "Required plugins are not installed", with what to do
  };

  /// Reads the lock file and reports an invalid one. Attached processes and the overrides of the
  /// CLI configuration come with the workspace. Never null.
  static std::unique_ptr<ProviderSet> Open(const Workspace& workspace, Diagnostics& diags,
                                           install::ProviderLocator::Processes processes =
                                               install::ProviderLocator::Processes::kAllowed);

  /// How states that terraform_remote_state reads are decrypted from now on.
  void Decrypt(const EncryptionRef& encryption);

  /// Finds schemas and starts processes.
  provider::ProviderSource& source() { return *locator_; }
  install::ProviderLocator& locator() { return *locator_; }
  const install::LockFile& locks() const { return locator_->locks(); }
  /// Schemas as plan files need them, found through `program`, which must outlive the result.
  plan::SchemaLookup PlanSchemas(const Program& program);

  /// Requires the packages of all selections of the lock file, needed or not, but for providers
  /// that are overridden. Returns false, with an error, if one is missing.
  bool RequirePackages(Missing form, Diagnostics& diags) const;
  /// Whether a provider whose package is missing is an error.
  enum class Packages : uint8_t { kRequired, kOptional };
  /// Requires providers and provisioners, for validation: each missing one is an error of its own.
  void RequirePlugins(const config::Config& config, Diagnostics& diags,
                      Packages packages = Packages::kRequired) const;
  /// For everything else, after a backend was opened, which requires the packages: requires that
  /// the lock file selects what the configuration asks for, and that overridden providers have
  /// executables. Ref: opentofu internal/tofu/schemas.go loadSchemas.
  void RequireSelected(const config::Config& config, Diagnostics& diags) const;
  /// The providers of a state's objects must be there, whatever the configuration says of their
  /// resources by now. False, and an error for each that is missing.
  /// Ref: opentofu internal/tofu/schemas.go loadSchemas.
  bool RequireForState(const state::State& state, Diagnostics& diags) const;
  /// The same for all that a configuration requires too.
  bool RequireForSchemas(const config::Config& config, const state::State& state,
                         Diagnostics& diags) const;
  /// Whether a provisioner that does not exist is an error: validation reports it too.
  enum class Provisioners : uint8_t { kRequired, kValidated };
  /// Loads the schemas of all providers of a configuration and a state, by address. One error lists
  /// all failures.
  std::vector<std::pair<std::string, const schema::ProviderSchema*>> LoadSchemas(
      const config::Config& config, const state::State* state, Provisioners provisioners,
      Diagnostics& diags);
  /// Requires that the lock file in a saved plan (or the error of reading it) has the selections of
  /// the directory's. `workspace` keeps the objects that diagnostics point into.
  void RequireSame(const Result<std::string>& saved_text, const Workspace& workspace,
                   Diagnostics& diags) const;

 private:
  ProviderSet(install::ProviderLocator::Options options,
              std::shared_ptr<backend::StoredStates> states)
      : states_(std::move(states)),
        locator_(std::make_unique<install::ProviderLocator>(std::move(options))) {}

  /// Requires that providers are there. `failures`: of schemas that cannot be loaded besides.
  bool RequireAvailable(const std::set<std::string_view>& addresses,
                        std::vector<std::string> failures, Diagnostics& diags) const;

  std::shared_ptr<backend::StoredStates> states_;
  std::unique_ptr<install::ProviderLocator> locator_;
};

/// Adds one error that lists all problems of the lock file.
void AddLockFileError(const Diagnostics& lock_diags, Diagnostics& diags);

/// Warns when the CLI configuration replaces providers (`dev_overrides`): before a plan or an apply
/// for its result, before an installation because it is not needed.
void WarnOfOverrides(const Workspace& workspace, bool for_init, Diagnostics& diags);

/// Reads the lock file for installation: selections of official providers in Terraform's registry
/// count for those in OpenTofu's, with a warning.
install::LockFile ReadLocksToInstall(const Workspace& workspace, Diagnostics& diags);

/// Assigns objects of providers in Terraform's registry to those of the same name in OpenTofu's,
/// unless the configuration asks for the old address. Ref: opentofu internal/tofumigrate.
void AdoptProviders(const config::Config& config, state::State& state);

}  // namespace kinu::session
