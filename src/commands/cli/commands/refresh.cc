#include <algorithm>

#include "base/program_name.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "operation/status_phase.h"
#include "session/provider_installation.h"
#include "view/human/output.h"
#include "view/human/text.h"

namespace kinu::cli {

/// The service of a cloud block has refreshes as a kind of applies, which need no approval.
static int RefreshInService(OperationRun& run, PlanRequest& request) {
  if (!run.operation.remote_runs->takes_variables()) {
    return run.Fail("The \"refresh\" operation is not supported when using the \"remote\" backend.",
                    Hint("Use \"tofu apply -refresh-only\" instead."));
  }
  run.Say(Hint("Proceeding with 'tofu apply -refresh-only -auto-approve'.\n"),
          Hint("Proceeding with 'tofu apply -refresh-only -auto-approve'"));
  request.mode = plan::Mode::kRefreshOnly;
  return run.RunInService(request, {.applies = true, .approved = true});
}

static void ShowOutputs(OperationRun& run, const std::vector<state::OutputValue>& outputs) {
  if (!outputs.empty()) {
    run.audience->Text(view::RenderOutputsHeading(run.invocation.style()) +
                       view::RenderOutputs(outputs, false));
  }
  if (run.audience->json() != nullptr) {
    run.audience->json()->Outputs(outputs);
  }
}

/// Ends a refresh that could not begin. Without a provider of stored objects, outputs are shown as
/// they are stored.
static int FailToOpen(OperationRun& run) {
  const int code = run.Fail();
  if (run.operation.lacks_stored_provider) {
    ShowOutputs(run, run.operation.prior.outputs);
  }
  return code;
}

static int RunRefresh(Invocation& invocation) {
  OperationRun run(invocation);
  run.Parse();
  if (!run.flags.positionals().empty()) {
    WordsError(run.diags, std::string(TooManyWordsSummary()),
               "Expected at most one positional argument.");
  }
  PlanRequest request = ReadPlanRequest(OperationKind::kRefresh, invocation, run.flags, run.diags);
  request.options.force_replace.clear();  // -replace is read, and means nothing here
  request.mode = plan::Mode::kNormal;
  if (request.options.refresh_changed) {
    run.diags.Error("Incompatible refresh options",
                    "This command reads all objects: it cannot be used with -refresh=changed.");
  }
  request.options.refresh_changed = false;
  request.options.refresh = true;
  if (!run.ArgumentsFit()) {
    return run.Usage();
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    return run.Fail(read.error().message, "");
  }
  run.CatchInterrupts();
  request.may_run_remotely = true;
  if (!run.Open(request)) {
    return run.operation.remote_runs == nullptr ? FailToOpen(run) : RefreshInService(run, request);
  }
  const bool any = std::ranges::any_of(run.operation.prior.resources, [](const auto& resource) {
    return resource->address.resource.mode == ResourceMode::kManaged;
  });
  // The state that a plan starts from is the refreshed one.
  Diagnostics found;
  std::optional<operation::StatusPhase> phase;
  phase.emplace(run.operation.status, "refresh", operation::ObjectsToRefresh(run.operation.prior));
  plan::Plan plan = engine::MakePlan(run.operation.input, found);
  phase.reset();
  if (!any && !plan.invalid) {
    run.diags.Warning("Empty or non-existent state",
                      "There are currently no remote objects tracked in the state, so there is "
                      "nothing to refresh.");
  }
  run.diags.Append(std::move(found));
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  // A refresh evaluates no checks, so their results are unknown from now on.
  state::State& refreshed = plan.prior_state;
  refreshed.checks.clear();
  refreshed.has_checks = false;
  if (auto written = run.operation.store().Write(refreshed); !written) {
    run.diags.Error("failed to write state: " + written.error().message, "");
  }
  run.operation.Close(run.diags);
  if (run.audience->Show(run.diags)) {
    return 1;
  }
  ShowOutputs(run, refreshed.outputs);
  return 0;
}

constexpr auto kRefreshFlags =
    JoinFlags(kInput, kTargets, kVariables, kParallelism, kOperationLock, kOperationView,
              Undocumented(JoinFlags(kPlanModes, kPlanning, kStateToRead, kStateToWrite, kBackup)));

extern constexpr CommandSpec kRefreshCommand{
    .name = "refresh",
    .synopsis = "Update the state to match remote systems",
    .group = CommandGroup::kStates,
    .usage = "tofu [global options] refresh [options]",
    .description = R"(Reads real objects again and updates the state with what they are now.
Nothing that exists is changed. "tofu apply -refresh-only" does the same, but
shows what it found before it writes it.)",
    .flags = kRefreshFlags,
    .run = RunRefresh,
};

}  // namespace kinu::cli
