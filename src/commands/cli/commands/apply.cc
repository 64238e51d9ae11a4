#include "operation/apply.h"

#include <charconv>

#include "base/environment.h"
#include "base/program_name.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/timings.h"
#include "compatibility/features.h"
#include "meta_arguments/conditions.h"
#include "operation/cloud_plan.h"
#include "operation/saved_plan.h"
#include "session/provider_installation.h"
#include "view/human/output.h"
#include "view/human/text.h"

namespace kinu::cli {
namespace {

/// Shows what only the command apply shows in the end: where the state is, and the outputs.
void ShowOutputs(const Invocation& invocation, const Flags& flags, const state::State& state,
                 const view::ChangeCounts& counts, Audience& audience) {
  const std::string& state_out = flags.String("state-out");
  if (!state_out.empty() && counts.added + counts.changed > 0) {
    audience.Text(view::RenderStatePath(state_out, invocation.stdout_width));
  }
  if (!state.outputs.empty()) {
    audience.Text(view::RenderOutputsHeading(invocation.style()) +
                  view::RenderOutputs(state.outputs, flags.Bool("show-sensitive")));
  }
  if (audience.json() != nullptr) {
    audience.json()->Outputs(state.outputs);
  }
}

void ShowResult(const Invocation& invocation, const Flags& flags, bool destroy_command,
                const engine::ApplyResult& result, Audience& audience) {
  const view::ChangeCounts counts{result.counts.imported, result.counts.added,
                                  result.counts.changed, result.counts.removed,
                                  result.counts.forgotten};
  audience.Text(view::RenderTally(invocation.style(), counts, destroy_command));
  if (audience.json() != nullptr) {
    audience.json()->ChangeSummary(destroy_command ? "destroy" : "apply", counts);
  }
  if (!destroy_command) {
    ShowOutputs(invocation, flags, result.state, counts, audience);
  }
}

/// Asks for approval, which only "yes" is. Says so when it is refused.
bool Approved(OperationRun& run, plan::Mode mode) {
  const Invocation& invocation = run.invocation;
  run.audience->Show(run.diags);
  const view::Approval approval = view::ApprovalFor(mode, run.operation.input.options.workspace);
  const auto answer =
      terminal::Ask(invocation.style(), {"\n" + approval.query, approval.description});
  if (!answer) {
    run.diags.Error("error asking for approval: " + answer.error().message, "");
    return false;
  }
  if (*answer == "yes") {
    return true;
  }
  const std::string text(view::CancelledText(mode));
  run.audience->Text(text + "\n");
  if (run.audience->json() != nullptr) {
    run.audience->json()->Log(text.substr(0, text.size() - 1));
  }
  return false;
}

/// From level 1.13 on the interval at which states are stored is looked at by every apply. Ref:
/// backend/local/backend_apply.go.
bool CheckPersistInterval(Diagnostics& diags) {
  constexpr int kLeast = 20;
  const std::string_view text = Environment("TF_STATE_PERSIST_INTERVAL");
  if (text.empty() || !compatibility::Has(compatibility::Feature::kPersistInterval)) {
    return true;
  }
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && seconds >= kLeast) {
    return true;
  }
  diags.Error("Invalid environment variable value",
              "TF_STATE_PERSIST_INTERVAL must be a whole number of seconds, " +
                  std::to_string(kLeast) + " or more. It is \"" + std::string(text) + "\".");
  return false;
}

/// Opens the saved plan of the command line. Returns nothing after an error.
std::optional<plan::Plan> OpenGivenPlan(OperationRun& run, const std::string& path,
                                        const PlanRequest& request, bool destroy_command) {
  const session::Workspace& workspace = run.invocation.workspace;
  Diagnostics of_encryption;
  const auto encryption = session::LoadEncryption(workspace, request.variables, of_encryption);
  if (!encryption) {
    run.diags.Append(std::move(of_encryption));
    return std::nullopt;
  }
  auto file = plan::PlanFile::Open(path, *(*encryption)->plan());
  if (!session::CheckFiles(workspace, request.variables, file ? &*file : nullptr, run.diags)) {
    return std::nullopt;
  }
  if (destroy_command && (file || operation::IsDamagedPlan(file.error()))) {
    run.diags.Error(
        "Destroy can't be called with a plan file",
        Hint("A plan that was made with \"plan -destroy\" is carried out by\n  tofu apply "
             "\"") +
            path + "\"");
    return std::nullopt;
  }
  plan::Plan plan;
  run.operation.encryption = *encryption;
  if (!operation::OpenSavedPlan(request, path, run.operation, plan, *run.audience, run.diags,
                                operation::SavedPlanUse::kApply) ||
      !CheckPersistInterval(run.diags)) {
    return std::nullopt;
  }
  for (const plan::ResourceChange& change : plan.changes) {
    if (run.audience->json() != nullptr && change.action != plan::Action::kNoOp) {
      run.audience->json()->PlannedChange(*plan.program, change);
    }
  }
  if (!operation::SettleVariables(plan, run.operation.loaded, run.diags)) {
    engine::PostImports(run.operation.input, plan);
    run.operation.Close(run.diags);
    return std::nullopt;
  }
  return plan;
}

/// Plans, shows the plan and asks for approval. Returns nothing after an error or without approval.
std::optional<plan::Plan> MakeApprovedPlan(OperationRun& run, PlanRequest& request) {
  const bool destroying = request.mode == plan::Mode::kDestroy;
  request.precondition = [destroying](Diagnostics& found) {
    return destroying || operation::RequireConfiguration("apply", found);
  };
  request.may_run_remotely = true;
  if (!run.Open(request) || !CheckPersistInterval(run.diags)) {
    return std::nullopt;
  }
  plan::Plan plan = operation::RunPlanning(run.operation, run.diags);
  // A plan that ended with errors may be empty.
  if (!plan.errored || !plan.changes.empty() || !plan.outputs.empty() ||
      !plan.module_outputs.empty() || plan.has_ephemeral_outputs) {
    run.ShowPlan(plan);
  }
  if (run.diags.has_errors() || plan.errored) {
    return std::nullopt;
  }
  if (plan.CanApply() && !run.flags.Bool("auto-approve")) {
    return Approved(run, request.mode) ? std::optional(std::move(plan)) : std::nullopt;
  }
  meta_arguments::DropCheckResults(run.diags);
  return plan;
}

/// Applies a saved plan of the service.
int ApplyInService(OperationRun& run, PlanRequest& request, const operation::CloudPlan& saved) {
  request.precondition = [](Diagnostics& found) {
    return operation::RequireConfiguration("apply", found);
  };
  request.may_run_remotely = true;
  if (run.Open(request) ||
      (run.operation.remote_runs != nullptr && !run.operation.remote_runs->takes_variables())) {
    run.diags.Error("Saved cloud plan cannot be applied here",
                    "The plan is in the service " + saved.host +
                        ", and this configuration has no cloud block whose workspace runs there.");
    run.operation.Close(run.diags);
    return run.Fail();
  }
  return run.operation.remote_runs == nullptr
             ? run.Fail()
             : run.RunInService(request, {.applies = true, .approved = true, .saved = saved});
}

int ApplyOrDestroy(Invocation& invocation, bool destroy_command) {
  OperationRun run(invocation);
  run.Parse();
  const Flags& flags = run.flags;
  StartTimings(invocation, flags);
  const auto& words = flags.positionals();
  const std::string plan_path = words.empty() ? "" : words[0];
  if (words.size() > 1) {
    WordsError(run.diags, std::string(TooManyWordsSummary()),
               "Expected at most one positional argument.");
  }
  if (flags.Bool("json") && plan_path.empty() && !flags.Bool("auto-approve")) {
    run.diags.Error("Plan file or auto-approve required",
                    "OpenTofu cannot ask for interactive approval when -json is set. You can "
                    "either apply a saved plan file, or enable the -auto-approve option.");
  }
  PlanRequest request = ReadPlanRequest(OperationKind::kApply, invocation, flags, run.diags);
  (void)run.ArgumentsFit();
  if (destroy_command) {
    MakeDestroyRequest(request, run.diags);
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    return run.Fail(read.error().message, "");
  }
  run.CatchInterrupts();
  if (const auto saved = operation::ReadCloudPlan(plan_path); saved && !destroy_command) {
    return ApplyInService(run, request, *saved);
  }
  const auto plan = plan_path.empty() ? MakeApprovedPlan(run, request)
                                      : OpenGivenPlan(run, plan_path, request, destroy_command);
  if (!plan) {
    return run.operation.remote_runs == nullptr
               ? run.Fail()
               : run.RunInService(request,
                                  {.applies = true, .approved = flags.Bool("auto-approve")});
  }
  const auto forgotten = flags.Bool("suppress-forget-errors") ? operation::ForgetErrors::kSuppressed
                                                              : operation::ForgetErrors::kReported;
  const engine::ApplyResult result =
      operation::ApplyAndStore(run.operation, *plan, forgotten, *run.audience, run.diags);
  run.operation.Close(run.diags);
  if (run.audience->Show(run.diags)) {
    return 1;
  }
  ShowResult(invocation, flags, destroy_command, result, *run.audience);
  return 0;
}

}  // namespace

static int RunApply(Invocation& invocation) {
  return ApplyOrDestroy(invocation, false);
}
static int RunDestroy(Invocation& invocation) {
  return ApplyOrDestroy(invocation, true);
}

constexpr FlagSpec kAutoApproveForJson{
    .name = "auto-approve",
    .help = "Do not ask for approval. With -json this or a saved plan is needed."};
constexpr FlagSpec kSuppressForgetErrors{.name = "suppress-forget-errors",
                                         .help = "Exit 0 although objects were forgotten."};

constexpr auto kApplyFlags =
    JoinFlags(kAutoApproveForJson, kPlanModes, kSuppressForgetErrors, kTimings, kOperation);

extern constexpr CommandSpec kApplyCommand{
    .name = "apply",
    .synopsis = "Create or update infrastructure",
    .group = CommandGroup::kMain,
    .usage = "tofu [global options] apply [options] [PLAN]",
    .description = R"(Creates or updates infrastructure. Without PLAN a plan is made first and
approval is asked for; with PLAN exactly that saved plan is carried out.)",
    .flags = kApplyFlags,
    .run = RunApply,
};

constexpr auto kDestroyFlags = JoinFlags(kAutoApproveForJson, Undocumented(kPlanModes),
                                         kSuppressForgetErrors, kTimings, kOperation);

extern constexpr CommandSpec kDestroyCommand{
    .name = "destroy",
    .synopsis = "Destroy previously-created infrastructure",
    .group = CommandGroup::kMain,
    .usage = "tofu [global options] destroy [options]",
    .description = R"(Destroys everything that the configuration manages. Takes the options of
"tofu apply"; it is a shorthand for "tofu apply -destroy".)",
    .flags = kDestroyFlags,
    .run = RunDestroy,
};

}  // namespace kinu::cli
