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
#include "session/load.h"
#include "session/provider_set.h"
#include "session/state_handle.h"
#include "view/audience.h"

namespace kinu::operation {

/// What the user asks for.
struct PlanRequest {
  plan::Mode mode = plan::Mode::kNormal;
  std::vector<config::VariableArgument> variables;
  engine::Options options;
  /// Of the configuration and of the addresses in `options`.
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::vector<Ref<const SourceFile>> sources;  ///< files of addresses, for messages
  backend::StateFlags state_flags;
  bool lock = true;
  std::chrono::milliseconds lock_timeout{0};
  bool may_run_remotely = false;  ///< RemoteRun is wanted where the service runs the workspace
  bool ignore_version = false;    ///< whatever version the service of the state runs
  bool input = false;             ///< ask for the values of variables
  terminal::Style style{false};   ///< of questions
  /// Checked once the backend is known, before the state is opened.
  std::function<bool(Diagnostics& diags)> precondition;
};

/// An operation in progress. Members outlive everything that points into them.
struct Operation {
  session::Loaded loaded;
  std::unique_ptr<session::ProviderSet> providers;
  engine::ProviderPool pool;
  std::optional<session::StateHandle> handle;
  state::State prior;
  engine::Request input;
  view::Status* status = nullptr;  ///< of the audience; null: nobody sees it
  std::optional<session::ConfiguredBackend> backend;
  /// Set by an Open() that returns false without errors: the service runs the workspace.
  std::shared_ptr<const backend::HostedRuns> remote_runs;
  /// Of a saved plan and its state, before OpenSavedPlan().
  session::EncryptionRef encryption = encryption::Encryption::Undecided();

  /// Loads everything and takes the lock, whose reason is `lock_operation`. Returns false after an
  /// error.
  bool Open(const session::Workspace& workspace, const PlanRequest& request,
            std::string_view lock_operation, view::Audience& audience, Diagnostics& diags);
  /// Opens the state of the workspace in `backend`, takes the lock and reads the state. Returns
  /// false after an error.
  bool OpenState(const session::Workspace& workspace, const PlanRequest& request,
                 std::string_view lock_operation, const std::shared_ptr<Program>& program,
                 view::Audience& audience, Diagnostics& diags);
  state::Store& store() { return handle->store(); }
  /// Stops the providers and releases the lock.
  void Close(Diagnostics& diags);

 private:
  /// Finds out whether the service runs the workspace, and sets `remote_runs`. False if it does,
  /// and after an error.
  bool RunsHere(const session::Workspace& workspace, const PlanRequest& request,
                Diagnostics& diags);
  /// Whether the service of the state leaves this operation to us.
  bool FitsService(const session::Workspace& workspace, const PlanRequest& request,
                   std::string_view lock_operation, Diagnostics& diags) const;
  /// The steps of Open() that need only the root module. `early_warnings` are shown as soon as the
  /// backend is known.
  bool Prepare(const session::Workspace& workspace, const PlanRequest& request,
               std::string_view lock_operation, const session::Loaded& root,
               Diagnostics& early_warnings, view::Audience& audience, Diagnostics& diags);
  void FillInput(const session::Workspace& workspace, const PlanRequest& request,
                 view::Audience& audience);
};

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
