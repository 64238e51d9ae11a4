#include "backend/state_file.h"
#include "base/files.h"
#include "cli/flag_groups.h"
#include "cli/interrupts.h"
#include "cli/prompt.h"
#include "cli/saved_plan.h"
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
  auto fail = [&] {
    operation.Close(diags);
    audience->Show(diags);
    return 1;
  };
  plan::Plan plan;
  view::Style style = invocation.style();
  view::PlanTextOptions text_options;
  text_options.width = invocation.stdout_width;
  text_options.show_sensitive = flags.Bool("show-sensitive");
  text_options.in_automation = invocation.in_automation;
  bool destroying = request.mode == plan::Mode::kDestroy;
  if (!plan_path.empty()) {
    {
      auto file = plan::PlanFile::Open(plan_path);
      if (!session::FilesAreRight(invocation.workspace, request.variables, file ? &*file : nullptr,
                                  diags)) {
        return fail();
      }
      if (mode == plan::Mode::kDestroy && (file || IsUnusablePlan(file.error()))) {
        diags.Error(
            "Destroy can't be called with a plan file",
            "A plan that was made with \"plan -destroy\" is carried out by\n  tofu apply \"" +
                plan_path + "\"");
        return fail();
      }
    }
    if (!OpenSavedPlan(invocation, flags, plan_path, operation, plan, *audience, diags)) {
      return fail();
    }
    destroying = plan.mode == plan::Mode::kDestroy;
    for (const plan::ResourceChange& change : plan.changes) {
      if (audience->json() != nullptr && change.action != plan::Action::kNoOp) {
        audience->json()->PlannedChange(*plan.program, change);
      }
    }
  } else {
    request.precondition = [&](Diagnostics& found) {
      return destroying || RequireConfiguration("apply", found);
    };
    if (!operation.Open(invocation, flags, request, "OperationTypeApply", *audience, diags)) {
      return fail();
    }
    plan = RunPlanning(operation, diags);
    SourceSchemas schemas(operation.providers->source());
    bool shown = !plan.errored || !plan.changes.empty() || !plan.outputs.empty();
    if (shown && audience->json() != nullptr) {
      audience->json()->Plan(plan);
    }
    if (shown) {
      auto text = view::RenderPlan(plan, schemas, style, text_options);
      if (!text) {
        diags.Error("Failed to render plan", text.error().message);
      } else {
        audience->Text(*text);
      }
    }
    if (diags.has_errors() || plan.errored) {
      return fail();
    }
    if (plan.CanApply() && !flags.Bool("auto-approve")) {
      audience->Show(diags);
      if (!Approve(invocation, request.mode, operation.input.options.workspace, diags)) {
        if (!diags.has_errors()) {
          const std::string told(view::CancelledText(request.mode));
          audience->Text(told + "\n");
          if (audience->json() != nullptr) {
            audience->json()->Log(told.substr(0, told.size() - 1));
          }
        }
        return fail();
      }
    } else {
      // What check blocks find is told once, by the apply.
      Diagnostics rest;
      for (const Diagnostic& diagnostic : diags) {
        if (!engine::FromCheckBlock(diagnostic)) {
          rest.Add(diagnostic);
        }
      }
      diags = std::move(rest);
    }
  }
  // Even where there is nothing to change, values and checks are worked out anew.
  Diagnostics apply_diags;
  operation.input.prior_state = &plan.prior_state;
  engine::ApplyResult result =
      engine::Apply(operation.input, plan, &operation.store(), apply_diags);
  if (destroying && result.counts.forgotten > 0 && !apply_diags.has_errors() &&
      !flags.Bool("suppress-forget-errors")) {
    apply_diags.Error("Destroy was successful but left behind forgotten instances",
                      "Objects with lifecycle.destroy = false were dropped from the state but "
                      "still exist.");
  }
  if (result.started && (!plan.targets.empty() || !plan.excludes.empty())) {
    apply_diags.Warning(
        "Applied changes may be incomplete",
        "The plan was limited by -target or -exclude, so the configuration may ask for more than "
        "was done. Plan again without these options to see what is left.");
  }
  auto written = result.started ? operation.store().Write(result.state) : Result<void>();
  if (!written) {
    diags.Error("Failed to save state", written.error().message);
    if (auto saved = backend::WriteErroredState(result.state); !saved) {
      diags.Error("Failed to create local state file", saved.error().message);
      // The last resort: whoever reads the output can keep it.
      std::string text = state::WriteState(result.state, state::Layout::kIndented);
      if (audience->json() != nullptr) {
        audience->json()->StateDump(text);
      }
      audience->Text(text);
      diags.Error("Failed to persist state to backend",
                  "The state could be written neither to its place nor to errored.tfstate, so it "
                  "is printed above, as JSON. Copy it from the first { to the last } into a file, "
                  "and once the cause is mended put it back with \"tofu state push\".");
    } else {
      diags.Error("Failed to persist state to backend",
                  "The state was written to errored.tfstate in this directory instead. Put it "
                  "back with \"tofu state push errored.tfstate\" once the cause is mended.");
    }
  }
  diags.Append(std::move(apply_diags));
  operation.Close(diags);
  bool failed = audience->Show(diags);
  if (failed) {
    return 1;
  }
  view::ChangeCounts counts{result.counts.imported, result.counts.added, result.counts.changed,
                            result.counts.removed, result.counts.forgotten};
  bool destroy_command = mode == plan::Mode::kDestroy;
  audience->Text(view::RenderTally(style, counts, destroy_command));
  if (audience->json() != nullptr) {
    audience->json()->ChangeSummary(destroy_command ? "destroy" : "apply", counts);
  }
  if (!destroy_command) {
    std::string state_out = flags.String("state-out");
    if (!state_out.empty() && counts.added + counts.changed > 0) {
      audience->Text(view::RenderStatePath(state_out, invocation.stdout_width));
    }
    if (!result.state.outputs.empty()) {
      audience->Text(view::RenderOutputsHeading(style) +
                     view::RenderOutputs(result.state.outputs, flags.Bool("show-sensitive")));
    }
    if (audience->json() != nullptr) {
      audience->json()->Outputs(result.state.outputs);
    }
  }
  return 0;
}

}  // namespace

static int RunApply(Invocation& invocation) {
  return ApplyOrDestroy(invocation, plan::Mode::kNormal);
}
static int RunDestroy(Invocation& invocation) {
  return ApplyOrDestroy(invocation, plan::Mode::kDestroy);
}

constexpr auto kApplyFlags = JoinFlags(
    std::to_array<FlagSpec>({
        {.name = "auto-approve", .help = "Do not ask before applying."},
        {.name = "backup",
         .kind = FlagKind::kString,
         .form = "=path",
         .help = "Where to keep the state as it was (\"-\": nowhere)."},
        {.name = "compact-warnings",
         .kind = FlagKind::kView,
         .help = "Show warnings as a short list."},
        {.name = "destroy", .help = "Destroy everything (as \"tofu destroy\")."},
        {.name = "input",
         .default_value = "true",
         .form = "=true",
         .help = "Ask for missing variables."},
        {.name = "json",
         .help = "Print a stream of JSON messages (needs -auto-approve\n"
                 "or a saved plan)."},
        {.name = "json-into",
         .kind = FlagKind::kString,
         .form = "=out.json",
         .help = "Write that stream to a file as well."},
    }),
    kOperationLock,
    std::to_array<FlagSpec>({
        {.name = "no-color", .kind = FlagKind::kView, .help = "No escape sequences."},
        {.name = "concise", .kind = FlagKind::kView, .help = "No progress lines."},
        {.name = "parallelism",
         .kind = FlagKind::kInt,
         .default_value = "10",
         .form = "=10",
         .help = "How many operations may run at once."},
        {.name = "refresh",
         .default_value = "true",
         .form = "=true",
         .help = "Read real objects before planning."},
        {.name = "refresh-only", .help = "Only bring the state up to date."},
        {.name = "replace",
         .kind = FlagKind::kList,
         .form = "=resource",
         .help = "Replace that instance; may be repeated."},
        {.name = "show-sensitive", .help = "Show sensitive values."},
        {.name = "state",
         .kind = FlagKind::kString,
         .form = "=path",
         .help = "State file to read."},
        {.name = "state-out",
         .kind = FlagKind::kString,
         .form = "=path",
         .help = "State file to write."},
        {.name = "suppress-forget-errors", .help = "Exit 0 although objects were forgotten."},
        {.name = "target",
         .kind = FlagKind::kList,
         .form = "=resource",
         .help = "Only that object and what it needs."},
        {.name = "exclude",
         .kind = FlagKind::kList,
         .form = "=resource",
         .help = "Everything but that object and its users."},
    }),
    kVariables,
    std::to_array<FlagSpec>({
        {.name = "target-file",
         .kind = FlagKind::kList,
         .form = "=path",
         .help = "Such objects from a file, one a line."},
        {.name = "exclude-file",
         .kind = FlagKind::kList,
         .form = "=path",
         .help = "Such objects from a file, one a line."},
    }));

extern constexpr CommandSpec kApplyCommand{
    .name = "apply",
    .synopsis = "Create or update infrastructure",
    .usage = "tofu [global options] apply [options] [PLAN]",
    .description = R"(Creates or updates infrastructure. Without PLAN a plan is made first and
approval is asked for; with PLAN exactly that saved plan is carried out.)",
    .flags = kApplyFlags,
    .run = RunApply,
};

constexpr auto kDestroyFlags = JoinFlags(
    std::to_array<FlagSpec>({
        {.name = "auto-approve", .help = "Do not ask for approval."},
        {.name = "backup",
         .kind = FlagKind::kString,
         .form = "=path",
         .help = "Where to keep the state as it was; \"-\" for nowhere."},
        {.name = "exclude",
         .kind = FlagKind::kList,
         .form = "=resource",
         .help = "Everything but that object and its users."},
        {.name = "exclude-file",
         .kind = FlagKind::kList,
         .form = "=path",
         .help = "Such objects from a file, one a line."},
        {.name = "input", .default_value = "true", .form = "=false", .help = "Do not ask."},
    }),
    kJsonStream,
    std::to_array<FlagSpec>({
        {.name = "lock",
         .default_value = "true",
         .form = "=false",
         .help = "Do not lock the state. Dangerous while others work on it."},
        {.name = "lock-timeout",
         .kind = FlagKind::kDuration,
         .default_value = "0s",
         .form = "=0s",
         .help = "How long to wait for the lock."},
        {.name = "parallelism",
         .kind = FlagKind::kInt,
         .default_value = "10",
         .form = "=10",
         .help = "How many operations may run at once."},
        {.name = "refresh",
         .default_value = "true",
         .form = "=false",
         .help = "Believe the state instead of reading real objects."},
        {.name = "replace",
         .kind = FlagKind::kList,
         .form = "=resource",
         .help = "Replace that instance; may be repeated."},
        {.name = "show-sensitive", .help = "Show sensitive values."},
        {.name = "state",
         .kind = FlagKind::kString,
         .form = "=path",
         .help = "State file to read."},
        {.name = "state-out",
         .kind = FlagKind::kString,
         .form = "=path",
         .help = "State file to write."},
        {.name = "suppress-forget-errors",
         .help = "Objects that were only forgotten are no error."},
        {.name = "target",
         .kind = FlagKind::kList,
         .form = "=resource",
         .help = "Only that object and what it needs; may be repeated."},
        {.name = "target-file",
         .kind = FlagKind::kList,
         .form = "=path",
         .help = "Such objects from a file, one a line."},
    }),
    kVariables,
    std::to_array<FlagSpec>({
        {.name = "destroy"},
        {.name = "refresh-only"},
    }));

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
