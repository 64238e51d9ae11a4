// Operation: configuration, providers, state and lock of a plan or an apply, opened in the order in
// which the reference reports their problems. Ref: opentofu
// internal/backend/local/backend_local.go.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/apply.h"
#include "engine/plan.h"
#include "operation/offline.h"
#include "session/open_workspace.h"
#include "session/state_handle.h"
#include "view/audience.h"

namespace kinu::operation {

/// What an operation is, as far as that decides how it is opened.
/// Ref: opentofu internal/backend/operation_type.go.
enum class OperationKind : uint8_t {
  kPlan,
  kApply,
  kRefresh,
  kImport,   ///< runs here, whatever the service of the state runs
  kConsole,  ///< only reads
};

/// The reason that locks give for such an operation: "OperationTypePlan". The reference has no name
/// for imports and consoles.
std::string_view LockReason(OperationKind kind);

/// What the user asks for.
struct PlanRequest {
  OperationKind kind = OperationKind::kPlan;
  plan::Mode mode = plan::Mode::kNormal;
  std::vector<config::VariableArgument> variables;
  engine::Options options;
  /// Of the configuration and of the addresses in `options`.
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::vector<Ref<const SourceFile>> sources;  ///< files of addresses, for messages
  backend::StateFlags state_flags;
  bool lock = true;
  std::chrono::milliseconds lock_timeout{0};
  bool again = false;  ///< OpenAgain() will follow
  /// Where the configuration is read; null: the disk.
  const config::SourceFiles* files = nullptr;
  bool may_run_remotely = false;  ///< RemoteRun is wanted where the service runs the workspace
  /// Nothing but files is read: no processes, no network. Plans only.
  bool offline = false;
  std::string schemas;           ///< file of `providers schema -json` for `offline`, or empty
  bool ignore_version = false;   ///< whatever version the service of the state runs
  bool input = false;            ///< ask for the values of variables
  terminal::Style style{false};  ///< of questions
  /// Checked once the backend is known, before the state is opened.
  std::function<bool(Diagnostics& diags)> precondition;
};

/// An operation in progress: the workspace, its state under a lock, and the input of the engine.
/// Members outlive everything that points into them.
struct Operation : session::OpenWorkspace {
  using OpenWorkspace::OpenWorkspace;

  engine::ProviderPool pool;
  std::optional<session::StateHandle> handle;
  state::State prior;
  engine::Request input;
  view::Status* status = nullptr;  ///< of the audience; null: nobody sees it
  /// Set by an Open() that returns false without errors: the service runs the workspace.
  std::shared_ptr<const backend::HostedRuns> remote_runs;
  /// Set by Open(): providers of stored objects are missing, and nothing else is wrong. Where the
  /// operation needs them, Open() fails.
  bool lacks_stored_provider = false;
  /// What plans in place of providers; null: they do.
  std::unique_ptr<OfflinePlanning> offline;
  /// Of a saved plan and its state, before OpenSavedPlan().
  session::EncryptionRef encryption = encryption::Encryption::Undecided();

  /// Loads what is not loaded yet and takes the lock. Returns false after an error.
  bool Open(const PlanRequest& request, view::Audience& audience, Diagnostics& diags);
  /// What OpenAgain() finds.
  enum class Again : uint8_t {
    kOpen,
    kFailed,   ///< the errors are in the diagnostics
    kChanged,  ///< Open() is needed, after Forget(): it is about the state, too
  };
  /// Opens it once more after Close(), with the configuration as it is now, for another plan. The
  /// state is the one that Open() has read: nothing is locked or read but files. Nobody is asked
  /// for values of variables: those of Open() stay.
  Again OpenAgain(const PlanRequest& request, view::Audience& audience, Diagnostics& diags);
  /// Drops all, for another Open().
  void Forget();
  /// Opens the state of the workspace in `backend`, takes the lock and reads the state. Returns
  /// false after an error.
  bool OpenState(const PlanRequest& request, const std::shared_ptr<Program>& program,
                 view::Audience& audience, Diagnostics& diags);
  /// Sets the input of the engine, once the workspace is open: `prior_state` is what it starts
  /// from.
  void FillInput(engine::Options options, const state::State& prior_state,
                 view::Audience& audience);
  /// Requires the providers of all objects that the plan has left as they are stored, and those of
  /// the state that it began with, once it is made and saved. False after an error.
  bool RequireStoredProviders(const plan::Plan& plan, Diagnostics& diags) const;
  state::Store& store() { return handle->store(); }
  /// Where the schemas of its objects are.
  provider::ProviderSource& schemas() {
    return offline ? offline->providers() : providers->source();
  }
  /// Releases the lock of an operation that cannot begin. Nobody hears of it if that fails, as in
  /// the reference.
  void GiveUp();
  /// Stops the providers and releases the lock.
  void Close(Diagnostics& diags);

 private:
  /// Open(), which may leave the lock behind after an error.
  bool Begin(const PlanRequest& request, view::Audience& audience, Diagnostics& diags);
  /// Loads the modules that `request` is about.
  void LoadFor(const PlanRequest& request, session::AskVariable ask);
  /// Sets the input of the engine to what `request` asks for.
  void Fill(const PlanRequest& request, view::Audience& audience);
  /// Keeps what OpenAgain() needs, once the values of the variables are there.
  void KeepForAgain();
  /// The backend that the configuration asks for, as a text that changes with it.
  std::string BackendBlock() const;
  /// Finds out whether the service runs the workspace, and sets `remote_runs`. False if it does,
  /// and after an error.
  bool RunsHere(const PlanRequest& request, Diagnostics& diags);
  /// Whether the service of the state leaves this operation to us.
  bool FitsService(const PlanRequest& request, Diagnostics& diags) const;
  /// The steps of Open() that need only the root module. `early_warnings` are shown as soon as the
  /// backend is known.
  bool Prepare(const PlanRequest& request, Diagnostics& early_warnings, view::Audience& audience,
               Diagnostics& diags);
  /// The steps of Prepare() before the state. Adds what the backend reports to `early_warnings`;
  /// for an apply its errors to `diags`.
  bool PrepareBackend(const PlanRequest& request, Diagnostics& early_warnings, Diagnostics& diags);
  /// The same without processes and network.
  bool PrepareOffline(const PlanRequest& request, Diagnostics& diags);
  /// The steps of Open() once the values of the variables are there. Returns false after an error.
  bool MakeReady(const PlanRequest& request, view::Audience& audience, Diagnostics& diags);
  /// Requires the providers of objects that `request` cannot go without. If one is missing, reports
  /// what is wrong with the configuration first.
  bool RequireProviders(const PlanRequest& request, Diagnostics& diags);

  state::State stored_;        // as it was read: `prior` is adapted to the configuration
  std::string backend_block_;  // of the configuration that Open() has loaded
  /// The values that were asked for.
  std::map<std::string, config::RawInput> answers_;
};

/// The input of the engine for one configuration of a workspace, which all commands begin with.
/// What it is made of outlives it. Of `options`, the names of the workspace and of the directory
/// are set.
engine::Request MakeRequest(const session::Workspace& workspace, const config::Config& config,
                            const std::map<std::string, config::InputValue>& variables,
                            session::ProviderSet& providers, engine::ProviderPool& pool,
                            engine::Options options = {});

/// How values are asked for that loading the configuration needs. An apply does not ask.
session::AskVariable QuestionsOf(const PlanRequest& request, const view::Audience& audience);

/// The current time as RFC 3339 in UTC: what plantimestamp() returns.
std::string Timestamp();

/// Plans, with a record of the backend for a plan file.
plan::Plan RunPlanning(Operation& operation, Diagnostics& diags);

/// Reads the values of the variables. Asks for missing ones if `interactive`.
void CollectValues(const terminal::Style& style, session::Loaded& loaded, bool interactive,
                   Diagnostics& diags);

/// Whether the working directory has a configuration; otherwise reports "No configuration files".
bool RequireConfiguration(std::string_view command, Diagnostics& diags);

}  // namespace kinu::operation
