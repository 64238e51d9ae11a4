// From flags to a plan and from a plan to a result: what plan, apply and destroy share.
#pragma once

#include <functional>
#include <memory>

#include "cli/operation.h"
#include "engine/apply.h"
#include "session/state_handle.h"
#include "view/events/json_ui.h"
#include "view/events/progress_sink.h"

namespace kinu::cli {

/// Who is told what while an operation runs: lines for people, or JSON messages, or both.
class Audience {
 public:
  /// Reads -json and -json-into. Reports a file that cannot be written. `people_too`: the command
  /// has no form for programs alone, whatever -json says.
  static std::unique_ptr<Audience> Make(const Invocation& invocation, const Flags* flags,
                                        Diagnostics& diags, bool people_too = false);
  ~Audience();
  bool json_only() const { return json_only_; }
  view::JsonUi* json() { return json_.get(); }
  /// The sink for events of that program's objects.
  engine::EventSink* Sink(const Program& program);
  /// JSON text that is complete in itself, to wherever JSON goes.
  void JsonText(std::string_view text) const;
  /// Human text, unless only JSON is wanted.
  void Text(std::string_view text) const;
  /// Says that somebody else holds the state's lock.
  void TellSlowLock();
  /// Diagnostics in every form that is wanted; clears them. True when there was an error.
  bool Show(Diagnostics& diags);

 private:
  explicit Audience(const Invocation& invocation) : invocation_(invocation) {}
  const Invocation& invocation_;
  bool json_only_ = false;
  int fd_ = -1;
  view::Style style_{false};
  std::unique_ptr<view::JsonUi> json_;
  std::unique_ptr<view::ProgressSink> progress_;
  std::unique_ptr<view::TeeSink> tee_;
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
