#include <memory>

#include "base/keep.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/plan_risks.h"
#include "cli/plan_watch.h"
#include "cli/summary_flags.h"
#include "cli/timings.h"
#include "meta_arguments/generated_blocks.h"
#include "operation/generated_config.h"
#include "operation/saved_plan.h"
#include "session/provider_installation.h"
#include "view/human/text.h"

namespace kinu::cli {
namespace {

/// Lets the service plan. Of a cloud block, the plan can be saved there.
int PlanInService(OperationRun& run, const PlanRequest& request) {
  const Flags& flags = run.flags;
  const std::string& path = flags.String("out");
  if (flags.IsSet("risks")) {
    run.diags.Warning(
        "Risks not shown",
        "The service plans this workspace. The command show -risks finds the risks of "
        "a plan that -out has saved.");
  }
  const int code = run.RunInService(request, {.changes_are_2 = flags.Bool("detailed-exitcode"),
                                              .out = path,
                                              .generated = flags.String("generate-config-out")});
  if (code != 1 && run.operation.remote_runs->takes_variables() && !run.invocation.in_automation) {
    run.audience->Text(view::RenderNextStep(run.invocation.style(),
                                            {.plan_path = path, .generated_config_path = ""},
                                            run.invocation.stdout_width));
  }
  return code;
}

/// Writes the plan file of -out, if it is given. Returns false after an error.
bool SavePlan(OperationRun& run, plan::Plan& plan) {
  const std::string& path = run.flags.String("out");
  if (path.empty() || plan.rejected) {
    return true;
  }
  Operation& operation = run.operation;
  operation::AddPlanFileParts(operation, plan);
  auto written =
      plan::WritePlanFile(path, plan, operation.providers->PlanSchemas(*operation.loaded.program),
                          *operation.backend->encryption->plan());
  if (!written) {
    run.diags.Error("Failed to write plan file", written.error().message);
  }
  return written.has_value();
}

/// Reads -offline and -schemas. Problems are usage errors.
void ReadOffline(const Flags& flags, PlanRequest& request, Diagnostics& diags) {
  request.offline = flags.Bool("offline");
  request.schemas = flags.String("schemas");
  if (!request.offline) {
    if (!request.schemas.empty()) {
      diags.Error("Invalid schemas", "The -schemas option requires -offline to be specified.");
    }
    return;
  }
  for (const std::string_view flag : {"out", "generate-config-out", "refresh-only"}) {
    if (flags.IsSet(flag)) {
      diags.Error("Incompatible plan options",
                  "An offline plan is incomplete: it is never applied, and has read no real "
                  "object. It cannot be made with -" +
                      std::string(flag) + ".");
    }
  }
  if (request.options.refresh_changed) {
    diags.Error("Incompatible plan options",
                "An offline plan reads no objects: it cannot be made with -refresh=changed.");
  }
  request.options.refresh = false;
  request.lock = false;  // it only reads
}

/// Whether the summary is read by programs, so that nothing else may be on standard output.
bool ForPrograms(const std::optional<view::SummaryOptions>& summary) {
  return summary && (summary->form == view::SummaryForm::kMarkdown ||
                     summary->form == view::SummaryForm::kJson);
}

}  // namespace

static int RunPlan(Invocation& invocation) {
  OperationRun run(invocation);
  run.Parse();
  const Flags& flags = run.flags;
  StartTimings(invocation, flags);
  const auto summary = ReadSummaryFlags(flags, run.diags);
  const auto actions = ReadActions(flags, run.diags);
  if (flags.Bool("why") && !summary) {
    run.diags.Error("Summary required",
                    "The -why option says in a summary what the changes come from. The command why "
                    "explains them in full.");
  }
  if (!flags.positionals().empty()) {
    WordsError(run.diags, std::string(TooManyWordsSummary()),
               "To specify a working directory for the plan, use the global -chdir flag.");
  }
  PlanRequest request = ReadPlanRequest(OperationKind::kPlan, invocation, flags, run.diags);
  ReadOffline(flags, request, run.diags);
  if (flags.Bool("watch")) {
    CheckWatchFlags(flags, request, run.diags);
  }
  if (!run.ArgumentsFit()) {
    return run.Usage();
  }
  const auto risk_rules = ReadRiskRules(flags, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    return run.Fail(read.error().message, "");
  }
  if (!flags.Bool("watch")) {
    run.CatchInterrupts();
  }
  session::WarnOfOverrides(invocation.workspace, false, run.diags);
  run.audience->Show(run.diags);
  const std::string& generate_path = flags.String("generate-config-out");
  request.precondition = [&](Diagnostics& found) {
    return (request.mode == plan::Mode::kDestroy ||
            operation::RequireConfiguration("plan", found)) &&
           (generate_path.empty() ||
            operation::CheckGeneratedConfigPath(generate_path, request.mode, found));
  };
  if (flags.Bool("watch")) {
    return WatchPlan(run, request);
  }
  request.may_run_remotely = !request.offline;
  if (!run.Open(request)) {
    return run.operation.remote_runs == nullptr ? run.Fail() : PlanInService(run, request);
  }
  meta_arguments::GeneratedBlocks generated;
  if (!generate_path.empty()) {
    run.operation.input.generated = &generated;
  }
  const auto kept = std::make_shared<plan::Plan>(operation::RunPlanning(run.operation, run.diags));
  KeepUntilExit(kept);
  plan::Plan& plan = *kept;
  if (!SavePlan(run, plan) || !run.operation.RequireStoredProviders(plan, run.diags)) {
    return run.Fail();
  }
  Diagnostics of_generated;
  const bool any_generated = !generate_path.empty() && !plan.rejected &&
                             operation::SaveGeneratedConfig(plan, generate_path, of_generated);
  const bool not_saved = of_generated.has_errors();
  bool failed = run.diags.has_errors();
  run.diags.Append(std::move(of_generated));
  if (not_saved) {
    return run.Fail();
  }
  if (!plan.rejected) {
    std::optional<operation::OfflineReport> offline;
    if (run.operation.offline) {
      offline.emplace(plan, run.operation.offline->judge());
    }
    run.ShowPlan(plan, {.summary = summary ? &*summary : nullptr,
                        .actions = actions ? &*actions : nullptr,
                        .offline = offline ? &*offline : nullptr,
                        .why = flags.Bool("why"),
                        .risks = risk_rules.get()});
  }
  run.operation.Close(run.diags);
  failed = run.audience->Show(run.diags) || failed;
  // A plan whose changes have no order is complete.
  if (plan.CanApply() && !invocation.in_automation && !ForPrograms(summary) && !request.offline) {
    run.audience->Text(
        view::RenderNextStep(invocation.style(),
                             {.plan_path = flags.String("out"),
                              .generated_config_path = any_generated ? generate_path : ""},
                             invocation.stdout_width));
  }
  if (failed) {
    return 1;
  }
  return flags.Bool("detailed-exitcode") && plan.CanApply() ? 2 : 0;
}

constexpr auto kPlanFlags = JoinFlags(
    kPlanModes,
    FlagSpec{.name = "out", .kind = FlagKind::kString, .form = "=path", .help = "Save the plan."},
    FlagSpec{.name = "generate-config-out",
             .kind = FlagKind::kString,
             .form = "=path",
             .help = "Write configuration for imported objects."},
    FlagSpec{.name = "detailed-exitcode",
             .help = "Exit 2 when there is something to do, 0 when not."},
    FlagSpec{.name = "offline",
             .help = "Start no provider and use no network. The plan is incomplete\n"
                     "and says of each change how sure it is."},
    FlagSpec{.name = "schemas",
             .kind = FlagKind::kString,
             .form = "=path",
             .help = "With -offline: schemas from a file that\n"
                     "\"providers schema -json\" has written."},
    FlagSpec{.name = "why", .help = "With -summary: what the changes come from."}, kRisksFlag,
    kWatchFlag, kSummaryFlags, kPager, kTimings, kOperation);

extern constexpr CommandSpec kPlanCommand{
    .name = "plan",
    .synopsis = "Show changes required by the current configuration",
    .group = CommandGroup::kMain,
    .usage = "tofu [global options] plan [options]",
    .description = R"(Shows what "tofu apply" would do, and can save that as a plan file.)",
    .flags = kPlanFlags,
    .run = RunPlan,
};

}  // namespace kinu::cli
