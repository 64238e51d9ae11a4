// Determines the backend of a directory: what its configuration asks for, what `init` recorded in
// the data directory, and whether the two agree. Ref: opentofu internal/command/meta_backend.go.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "plan/plan.h"
#include "session/backend_record.h"
#include "session/encryption.h"
#include "session/load.h"

namespace kinu::session {

/// A backend that is ready for use.
struct ConfiguredBackend {
  std::string type;
  Value settings;  ///< as records and plan files keep them
  std::shared_ptr<backend::Backend> backend;
  /// Of what the backend stores, and of plans.
  EncryptionRef encryption = encryption::Encryption::Undecided();

  const state::SealerRef& sealer() const { return encryption->state(); }
  /// Sets the encryption of all that is stored from now on, and where results are recorded until
  /// they are stored.
  void Prepare(const Workspace& workspace, const EncryptionRef& with) {
    encryption = with;
    backend->Seal(encryption->state());
    backend->KeepJournals(workspace.data_directory);
  }
};

/// The backend block of the configuration with the values of -backend-config.
struct BackendSettings {
  std::string
      type;  ///< empty: there is no block; that of a `cloud` block is backend::kCloudBackend
  SourceRange missing;  ///< where problems are shown that are about no setting of the block
  Value settings = Value::EmptyObject();  ///< of the block and the command line together
  /// Where the settings of the block have their values. Those that only the command line gives have
  /// no place of their own: problems are shown at the block.
  std::map<std::string, SourceRange> given;
  uint64_t hash = 0;        ///< of the block alone
  bool overridden = false;  ///< the command line adds values
  bool complete = true;     ///< false: the block has errors
  Diagnostics problems;     ///< of the values: for those who configure with them

  bool is_cloud() const { return type == backend::kCloudBackend; }
  /// Whether the settings, with those of the command line, are those that `init` recorded.
  bool AreRecorded(const BackendRecord& record) const;
};

/// The `backend` block of a root module, or its `cloud` block as one.
std::optional<config::Backend> BackendBlockOf(const config::Module& root);

/// Whether there is a backend of the type that a record or a plan names; reports it if not.
bool IsKnownBackend(const std::string& type, Diagnostics& diags);

/// The settings of a record; reports why they cannot be used.
std::optional<Value> RecordedSettings(const BackendRecord& record, Diagnostics& diags);

/// Writes the record of the data directory; reports why that is impossible.
bool SaveRecord(const Workspace& workspace, const BackendRecord& record, Diagnostics& diags);

/// Reads the backend block of a loaded root module. `overrides` are the values of -backend-config;
/// `for_init` selects the message for types that do not exist. Invalid values are not reported:
/// BackendSettings::problems has them.
BackendSettings ReadBackendSettings(const Workspace& workspace, const Loaded& loaded,
                                    const std::vector<std::string>& overrides, bool for_init,
                                    Diagnostics& diags);

/// The summary of errors that are one text in the reference: a line that says what is wrong, after
/// an empty one, and an explanation.
std::string TextAsSummary(std::string_view what, std::string_view explanation);

/// Adds what a backend reports, at the places of its settings (null: none). False if it has an
/// error.
bool AddProblems(const provider::Problems& problems, Diagnostics& diags,
                 const BackendSettings* settings = nullptr);
/// Reports that the service of a backend runs the workspace with a version that does not suit; a
/// warning if the user wants to `go_on`. False after an error.
bool CheckServiceVersion(const ConfiguredBackend& backend, std::string_view workspace, bool go_on,
                         Diagnostics& diags);
/// Requires that plans of the workspace, and so saved ones, are carried out here. False after an
/// error.
bool RequireLocalRuns(const ConfiguredBackend& backend, std::string_view workspace,
                      Diagnostics& diags);

/// Configures a backend whose type this version has. Returns nothing after an error. `settings` has
/// the ranges of the settings, for the diagnostics.
std::optional<ConfiguredBackend> ConfigureWithWarnings(const Workspace& workspace,
                                                       const std::string& type, const Value& values,
                                                       const backend::StateFlags& flags,
                                                       Diagnostics& diags,
                                                       const BackendSettings* settings = nullptr);
/// The same for commands that show the warnings of a backend only beside its errors.
std::optional<ConfiguredBackend> Configure(const Workspace& workspace, const std::string& type,
                                           const Value& values, const backend::StateFlags& flags,
                                           Diagnostics& diags,
                                           const BackendSettings* settings = nullptr);
/// Returns the backend of a directory whose configuration has no backend block.
ConfiguredBackend ImpliedBackend(const backend::StateFlags& flags = {});

/// What becomes of warnings where the backend cannot be used. Those beside an error of the
/// configuration or of its encryption always stay.
enum class BackendWarnings : uint8_t { kBesideErrors, kLeftOut };

/// Returns the backend that the directory was initialized with. Returns nothing, with a diagnostic,
/// if the root module asks for another one, or for one that this version does not have.
std::optional<ConfiguredBackend> ChooseBackend(
    const Workspace& workspace, const Loaded& loaded, const backend::StateFlags& flags,
    Diagnostics& diags, BackendWarnings warnings = BackendWarnings::kBesideErrors);
/// The same with the encryption of the root module, where that was set up before.
std::optional<ConfiguredBackend> ChooseBackend(
    const Workspace& workspace, const Loaded& loaded, const EncryptionRef& encryption,
    const backend::StateFlags& flags, Diagnostics& diags,
    BackendWarnings warnings = BackendWarnings::kBesideErrors);
/// The same for commands that need nothing else of the configuration. The directory need not have
/// a configuration.
std::optional<ConfiguredBackend> ChooseBackend(const Workspace& workspace,
                                               std::span<const config::VariableArgument> arguments,
                                               const backend::StateFlags& flags, Diagnostics& diags,
                                               BackendWarnings = BackendWarnings::kBesideErrors);
/// Returns the backend of a plan, with its warnings. Returns nothing, with a diagnostic, if this
/// version lacks it.
std::optional<ConfiguredBackend> PlannedBackend(const Workspace& workspace,
                                                const plan::BackendRecord& record,
                                                const backend::StateFlags& flags,
                                                Diagnostics& diags);
/// Returns the backend that `init` recorded, whatever the configuration says (-backend=false).
std::optional<ConfiguredBackend> RecordedBackend(const Workspace& workspace, Diagnostics& diags);

/// Returns the workspaces of the backend in the configuration, initialized or not, for completion.
/// Returns none after any error.
std::vector<std::string> WorkspaceNames(const Workspace& workspace);

}  // namespace kinu::session
