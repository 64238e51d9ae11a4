// From flags to a plan and from a plan to a result: what plan, apply and destroy share.
#pragma once

#include <functional>
#include <memory>

#include "cli/operation.h"
#include "engine/apply.h"
#include "session/state_handle.h"
#include "view/audience.h"

namespace kinu::cli {

/// The audience that the flags of an invocation ask for.
class Audience final : public view::Audience {
 public:
  /// Reads -json and -json-into; `flags` null: the command has neither. Reports a file that cannot
  /// be written. `people_too`: the command prints text even with -json.
  static std::unique_ptr<Audience> Make(const Invocation& invocation, const Flags* flags,
                                        Diagnostics& diags, bool people_too = false);
  void TellSlowLock() { ReportSlowLock(); }

 private:
  using view::Audience::Audience;
};

/// Reports wrong arguments to an audience and returns the exit code.
int UsageError(const Invocation& invocation, Audience& audience, Diagnostics& diags);
/// Opens the file of -json-into. Negative after an error.
int OpenJsonInto(const std::string& path, Diagnostics& diags);

/// What the flags of plan, apply and destroy ask for.
struct PlanRequest {
  plan::Mode mode = plan::Mode::kNormal;
  std::vector<config::VariableArgument> variables;
  engine::Options options;
  std::vector<Ref<const SourceFile>> sources;  ///< files of addresses, for messages
  /// What has to hold once the backend is known, before anything is done with the state.
  std::function<bool(Diagnostics& diags)> precondition;
};
/// Checks the flags that they share; problems are usage errors.
PlanRequest ReadPlanRequest(const Flags& flags, Diagnostics& diags);
/// Makes a request that of the command destroy, which takes no mode.
void MakeDestroyRequest(PlanRequest& request, Diagnostics& diags);

/// A command's operation: configuration, providers, state, in the order in which they are needed.
/// Members outlive everything that points into them.
struct Operation {
  Loaded loaded;
  std::unique_ptr<session::ProviderSet> providers;
  engine::ProviderPool pool;
  std::optional<session::StateHandle> handle;
  state::State prior;
  engine::Request input;
  std::optional<session::ConfiguredBackend> backend;
  /// While opening: what the root module alone warns of. It is shown as soon as the backend is
  /// known, and again with all other warnings.
  Diagnostics early_warnings;

  /// Loads everything and takes the lock. False after an error.
  bool Open(const Invocation& invocation, const Flags& flags, const PlanRequest& request,
            std::string_view lock_operation, Audience& audience, Diagnostics& diags);
  /// The first part of that, which needs nothing of the configuration but its root module.
  bool Prepare(const Invocation& invocation, const Flags& flags, const PlanRequest& request,
               std::string_view lock_operation, const Loaded& root, Audience& audience,
               Diagnostics& diags);
  /// Opens the state of the workspace in `backend`, takes the lock and reads it.
  bool OpenState(const Invocation& invocation, const Flags& flags, std::string_view lock_operation,
                 const std::shared_ptr<Program>& program, Audience& audience, Diagnostics& diags);
  state::Store& store() { return handle->store(); }
  /// Releases the lock.
  void Close(Diagnostics& diags);
};

/// Plans, and finds what apply could not order.
plan::Plan RunPlanning(Operation& operation, Diagnostics& diags);

}  // namespace kinu::cli
