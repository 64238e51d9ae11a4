#include "backend/state_file.h"
#include "base/files.h"
#include "cli/flag_groups.h"
#include "cli/interrupts.h"
#include "cli/prompt.h"
#include "cli/saved_plan.h"
#include "meta/conditions.h"
#include "plan/plan_file.h"
#include "state/state.h"
#include "view/human/output.h"
#include "view/human/plan.h"
#include "view/human/text.h"

namespace kinu::cli {
namespace {

/// Asks for approval. Only "yes" will do.
bool Approve(const Invocation& invocation, plan::Mode mode, std::string_view workspace,
             Diagnostics& diags) {
  view::Approval approval = view::ApprovalFor(mode, workspace);
  auto answer = Ask(invocation, {"\n" + approval.query, approval.description});
  if (!answer) {
    diags.Error("error asking for approval: " + answer.error().message, "");
    return false;
  }
  return *answer == "yes";
}

/// What was not done although the apply ended: forgotten objects, a plan with limits.
void ReportRemains(const engine::ApplyResult& result, const plan::Plan& plan, bool may_forget,
                   Diagnostics& diags) {
  if (!may_forget && result.counts.forgotten > 0 && !diags.has_errors()) {
    diags.Error("Destroy was successful but left behind forgotten instances",
                "Objects with lifecycle.destroy = false were dropped from the state but "
                "still exist.");
  }
  if (result.started && (!plan.targets.empty() || !plan.excludes.empty())) {
    diags.Warning(
        "Applied changes may be incomplete",
        "The plan was limited by -target or -exclude, so the configuration may ask for more than "
        "was done. Plan again without these options to see what is left.");
  }
}

/// Keeps a state that its store did not accept: in errored.tfstate, or else in the output.
void RescueState(state::State& state, Audience& audience, Diagnostics& diags) {
  if (auto saved = backend::WriteErroredState(state); !saved) {
    diags.Error("Failed to create local state file", saved.error().message);
    // The last resort: whoever reads the output can keep it.
    std::string text = state::WriteState(state, state::Layout::kIndented);
    if (audience.json() != nullptr) {
      audience.json()->StateDump(text);
    }
    audience.Text(text);
    diags.Error("Failed to persist state to backend",
                "The state could be written neither to its place nor to errored.tfstate, so it "
                "is printed above, as JSON. Copy it from the first { to the last } into a file, "
                "and once the cause is mended put it back with \"tofu state push\".");
    return;
  }
  diags.Error("Failed to persist state to backend",
              "The state was written to errored.tfstate in this directory instead. Put it "
              "back with \"tofu state push errored.tfstate\" once the cause is mended.");
}

void StoreResult(engine::ApplyResult& result, Operation& operation, Audience& audience,
                 Diagnostics& diags) {
  auto written = result.started ? operation.store().Write(result.state) : Result<void>();
  if (!written) {
    diags.Error("Failed to save state", written.error().message);
    RescueState(result.state, audience, diags);
  }
}

/// Applies a plan and stores the new state. Even where there is nothing to change, values and
/// checks are computed anew.
engine::ApplyResult ApplyAndStore(Operation& operation, const plan::Plan& plan, bool may_forget,
                                  Audience& audience, Diagnostics& diags) {
  Diagnostics apply_diags;
  operation.input.prior_state = &plan.prior_state;
  engine::ApplyResult result =
      engine::Apply(operation.input, plan, &operation.store(), apply_diags);
  ReportRemains(result, plan, may_forget, apply_diags);
  StoreResult(result, operation, audience, diags);
  diags.Append(std::move(apply_diags));
  return result;
}

/// What only the command apply shows in the end: where the state is, and the outputs.
void ShowOutputs(const Invocation& invocation, const Flags& flags, const state::State& state,
                 const view::ChangeCounts& counts, Audience& audience) {
  std::string state_out = flags.String("state-out");
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

/// Shows a plan that was just made. A plan that ended with errors may be empty and is not shown.
void ShowNewPlan(const Invocation& invocation, const Flags& flags, const Operation& operation,
                 const plan::Plan& plan, Audience& audience, Diagnostics& diags) {
  if (plan.errored && plan.changes.empty() && plan.outputs.empty()) {
    return;
  }
  if (audience.json() != nullptr) {
    audience.json()->Plan(plan);
  }
  view::PlanTextOptions options;
  options.width = invocation.stdout_width;
  options.show_sensitive = flags.Bool("show-sensitive");
  options.in_automation = invocation.in_automation;
  SourceSchemas schemas(operation.providers->source());
  auto text = view::RenderPlan(plan, schemas, invocation.style(), options);
  if (!text) {
    diags.Error("Failed to render plan", text.error().message);
  } else {
    audience.Text(*text);
  }
}

/// Asks for approval, and says so when it is refused.
bool Approved(const Invocation& invocation, const PlanRequest& request, const Operation& operation,
              Audience& audience, Diagnostics& diags) {
  audience.Show(diags);
  if (Approve(invocation, request.mode, operation.input.options.workspace, diags)) {
    return true;
  }
  if (!diags.has_errors()) {
    const std::string text(view::CancelledText(request.mode));
    audience.Text(text + "\n");
    if (audience.json() != nullptr) {
      audience.json()->Log(text.substr(0, text.size() - 1));
    }
  }
  return false;
}

/// Drops what check blocks found: the apply reports it once.
void DropCheckResults(Diagnostics& diags) {
  Diagnostics rest;
  for (const Diagnostic& diagnostic : diags) {
    if (!meta::FromCheckBlock(diagnostic)) {
      rest.Add(diagnostic);
    }
  }
  diags = std::move(rest);
}

/// Whether the files that a saved plan needs are right, and the command takes it.
bool CheckGivenPlan(const Invocation& invocation, const std::string& path,
                    const PlanRequest& request, plan::Mode mode, Diagnostics& diags) {
  auto file = plan::PlanFile::Open(path);
  if (!session::FilesAreRight(invocation.workspace, request.variables, file ? &*file : nullptr,
                              diags)) {
    return false;
  }
  if (mode == plan::Mode::kDestroy && (file || IsUnusablePlan(file.error()))) {
    diags.Error("Destroy can't be called with a plan file",
                "A plan that was made with \"plan -destroy\" is carried out by\n  tofu apply \"" +
                    path + "\"");
    return false;
  }
  return true;
}

/// Opens the saved plan of the command line. False after an error.
bool OpenGivenPlan(const Invocation& invocation, const Flags& flags, const std::string& path,
                   const PlanRequest& request, plan::Mode mode, Operation& operation,
                   plan::Plan& plan, Audience& audience, Diagnostics& diags) {
  if (!CheckGivenPlan(invocation, path, request, mode, diags) ||
      !OpenSavedPlan(invocation, flags, path, operation, plan, audience, diags)) {
    return false;
  }
  for (const plan::ResourceChange& change : plan.changes) {
    if (audience.json() != nullptr && change.action != plan::Action::kNoOp) {
      audience.json()->PlannedChange(*plan.program, change);
    }
  }
  return true;
}

/// Plans, shows the plan and asks for approval. False after an error or without approval.
bool MakeApprovedPlan(const Invocation& invocation, const Flags& flags, PlanRequest& request,
                      Operation& operation, plan::Plan& plan, Audience& audience,
                      Diagnostics& diags) {
  const bool destroying = request.mode == plan::Mode::kDestroy;
  request.precondition = [destroying](Diagnostics& found) {
    return destroying || RequireConfiguration("apply", found);
  };
  if (!operation.Open(invocation, flags, request, "OperationTypeApply", audience, diags)) {
    return false;
  }
  plan = RunPlanning(operation, diags);
  ShowNewPlan(invocation, flags, operation, plan, audience, diags);
  if (diags.has_errors() || plan.errored) {
    return false;
  }
  if (plan.CanApply() && !flags.Bool("auto-approve")) {
    return Approved(invocation, request, operation, audience, diags);
  }
  DropCheckResults(diags);
  return true;
}

int ApplyOrDestroy(Invocation& invocation, plan::Mode mode) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  std::string plan_path;
  const auto& words = flags.positionals();
  if (!words.empty()) {
    plan_path = words[0];
  }
  if (words.size() > 1) {
    diags.Error("Too many command line arguments", "Expected at most one positional argument.");
  }
  if (flags.Bool("json") && plan_path.empty() && !flags.Bool("auto-approve")) {
    diags.Error("Plan file or auto-approve required",
                "OpenTofu cannot ask for interactive approval when -json is set. You can either "
                "apply a saved plan file, or enable the -auto-approve option.");
  }
  PlanRequest request = ReadPlanRequest(flags, diags);
  auto audience = Audience::Make(invocation, &flags, diags);
  if (mode == plan::Mode::kDestroy) {
    MakeDestroyRequest(request, diags);
  }
  if (diags.has_errors()) {
    return UsageError(invocation, *audience, diags);
  }
  Operation operation;
  CatchInterrupts(&operation.pool);
  plan::Plan plan;
  const bool have_plan = plan_path.empty() ? MakeApprovedPlan(invocation, flags, request, operation,
                                                              plan, *audience, diags)
                                           : OpenGivenPlan(invocation, flags, plan_path, request,
                                                           mode, operation, plan, *audience, diags);
  if (!have_plan) {
    operation.Close(diags);
    audience->Show(diags);
    return 1;
  }
  const bool destroying = (plan_path.empty() ? request.mode : plan.mode) == plan::Mode::kDestroy;
  const bool may_forget = !destroying || flags.Bool("suppress-forget-errors");
  const engine::ApplyResult result = ApplyAndStore(operation, plan, may_forget, *audience, diags);
  operation.Close(diags);
  if (audience->Show(diags)) {
    return 1;
  }
  ShowResult(invocation, flags, mode == plan::Mode::kDestroy, result, *audience);
  return 0;
}

}  // namespace

static int RunApply(Invocation& invocation) {
  return ApplyOrDestroy(invocation, plan::Mode::kNormal);
}
static int RunDestroy(Invocation& invocation) {
  return ApplyOrDestroy(invocation, plan::Mode::kDestroy);
}

constexpr FlagSpec kAutoApproveForJson{
    .name = "auto-approve",
    .help = "Do not ask for approval. With -json this or a saved plan is needed."};
constexpr FlagSpec kSuppressForgetErrors{.name = "suppress-forget-errors",
                                         .help = "Exit 0 although objects were forgotten."};

constexpr auto kApplyFlags =
    JoinFlags(kAutoApproveForJson, kPlanModes, kSuppressForgetErrors, kOperation);

extern constexpr CommandSpec kApplyCommand{
    .name = "apply",
    .synopsis = "Create or update infrastructure",
    .usage = "tofu [global options] apply [options] [PLAN]",
    .description = R"(Creates or updates infrastructure. Without PLAN a plan is made first and
approval is asked for; with PLAN exactly that saved plan is carried out.)",
    .flags = kApplyFlags,
    .run = RunApply,
};

constexpr auto kDestroyFlags =
    JoinFlags(kAutoApproveForJson, Undocumented(kPlanModes), kSuppressForgetErrors, kOperation);

extern constexpr CommandSpec kDestroyCommand{
    .name = "destroy",
    .synopsis = "Destroy previously-created infrastructure",
    .usage = "tofu [global options] destroy [options]",
    .description = R"(Destroys everything that the configuration manages. Takes the options of
"tofu apply"; it is a shorthand for "tofu apply -destroy".)",
    .flags = kDestroyFlags,
    .run = RunDestroy,
};

}  // namespace kinu::cli
