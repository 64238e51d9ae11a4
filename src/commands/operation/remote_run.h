// RemoteRun: a plan or an apply that the service of the state runs. Uploads the configuration,
// shows the logs, asks for approval. Ref: opentofu internal/backend/remote/backend_plan.go,
// backend_apply.go, backend_common.go.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "backend/hosted_runs.h"
#include "operation/cloud_plan.h"
#include "operation/operation.h"
#include "view/human/log_message.h"
#include "view/human/plan.h"

namespace kinu::operation {

struct RemoteRunOptions {
  bool applies = false;
  bool approved = false;       ///< no question is asked
  bool changes_are_2 = false;  ///< -detailed-exitcode
  std::string out;             ///< -out
  CloudPlan saved;             ///< to apply; without a run: a new plan
  std::string generated;       ///< -generate-config-out
  view::PlanTextOptions plan_text;
};

class RemoteRun {
 public:
  /// All must outlive the object. `operation` has been opened as far as its runs.
  RemoteRun(const Operation& operation, const PlanRequest& request, RemoteRunOptions options,
            view::Audience& audience, Diagnostics& diags)
      : operation_(operation),
        runs_(*operation.remote_runs),
        request_(request),
        options_(std::move(options)),
        audience_(audience),
        diags_(diags) {}

  /// Returns the exit code; errors are in the diagnostics.
  int Run();

 private:
  bool Check();
  bool TakeVariables(backend::NewRun& run);
  bool Start();
  bool Plan();
  bool OpenSaved();
  bool FailUnusable(const std::string& page);
  bool Save();
  /// Waits for the tasks of a stage, and reports what they say. False if they end the run.
  bool AwaitTasks(std::string_view stage, std::string_view title);
  bool OverrideTasks(const std::string& id);
  /// Reads what single policies say.
  bool AddOutcomes(backend::TaskStage& stage);
  /// Shows what the start of the run has to be known for.
  bool ShowWarnings();
  /// Shows the plan where the service gives it apart from the log, and keeps what it generated.
  bool ShowPlan();
  bool ShowDocument(const backend::HostedPlan& plan, bool shows);
  bool ShowCostEstimate();
  bool CheckPolicies();
  bool CheckPolicy(const std::string& id, bool last);
  bool Approve();
  bool AskToApply();
  bool Apply();
  bool ShowApply();
  bool AwaitStart(std::string_view what);
  /// Reads the run again. False after an error.
  bool Renew();
  bool ShowLog(std::string_view kind, const std::string& id, int skipped_lines);
  void ShowLine(std::string_view line, view::LoggedPhase phase);
  /// Gives up a run that has waited longer than -lock-timeout says.
  bool EndLockedOut();
  /// What an interrupt leaves: the run is cancelled if the user wants that.
  void EndInterrupted();
  bool Fail(std::string summary, std::string detail = {});
  /// Reports a failed request; an interrupt is no error.
  bool FailedTo(std::string_view what, const Error& error);
  void Say(std::string_view markup);
  /// False: the user interrupts.
  static bool Wait(std::chrono::milliseconds time);
  /// The wait before the n-th question about a run.
  static std::chrono::milliseconds PauseBefore(int n);

  const Operation& operation_;
  const backend::HostedRuns& runs_;
  const PlanRequest& request_;
  const RemoteRunOptions options_;
  view::Audience& audience_;
  Diagnostics& diags_;
  backend::HostedRun run_;
  std::vector<backend::TaskStage> stages_;
};

}  // namespace kinu::operation
