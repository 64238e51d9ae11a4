#include "cli/flag_groups.h"
#include "cli/interrupts.h"
#include "cli/planning.h"
#include "view/human/output.h"
#include "view/human/text.h"

namespace kinu::cli {

static int RunRefresh(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  if (!flags.positionals().empty()) {
    diags.Error("Too many command line arguments", "Expected at most one positional argument.");
  }
  PlanRequest request = ReadPlanRequest(flags, diags);
  request.mode = plan::Mode::kNormal;
  request.options.refresh = true;
  auto audience = Audience::Make(invocation, &flags, diags);
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
  if (!operation.Open(invocation, flags, request, "OperationTypeRefresh", *audience, diags)) {
    return fail();
  }
  bool any = false;
  for (const auto& resource : operation.prior.resources) {
    any = any || resource->address.resource.mode == ResourceMode::kManaged;
  }
  // The state that a plan starts from is the refreshed one.
  Diagnostics found;
  plan::Plan plan = engine::MakePlan(operation.input, found);
  if (!any && !plan.rejected) {
    diags.Warning("Empty or non-existent state",
                  "There are currently no remote objects tracked in the state, so there is nothing "
                  "to refresh.");
  }
  diags.Append(std::move(found));
  if (diags.has_errors()) {
    return fail();
  }
  // Checks were not looked at, so nothing is known of them any more.
  plan.prior_state.checks.clear();
  plan.prior_state.has_checks = false;
  if (auto written = operation.store().Write(plan.prior_state); !written) {
    diags.Error("failed to write state: " + written.error().message, "");
  }
  operation.Close(diags);
  if (audience->Show(diags)) {
    return 1;
  }
  if (!plan.prior_state.outputs.empty()) {
    audience->Text(view::RenderOutputsHeading(invocation.style()) +
                   view::RenderOutputs(plan.prior_state.outputs, false));
  }
  if (audience->json() != nullptr) {
    audience->json()->Outputs(plan.prior_state.outputs);
  }
  return 0;
}

constexpr auto kRefreshFlags =
    JoinFlags(std::to_array<FlagSpec>({
                  {.name = "compact-warnings",
                   .kind = FlagKind::kView,
                   .help = "Show warnings as a short list."},
                  {.name = "concise", .kind = FlagKind::kView, .help = "No progress lines."},
                  {.name = "exclude",
                   .kind = FlagKind::kList,
                   .form = "=resource",
                   .help = "Everything but that object and its users."},
                  {.name = "input",
                   .default_value = "true",
                   .form = "=true",
                   .help = "Ask for missing variables."},
              }),
              kJsonStream, kOperationLock,
              std::to_array<FlagSpec>({
                  {.name = "no-color", .kind = FlagKind::kView, .help = "No escape sequences."},
                  {.name = "parallelism",
                   .kind = FlagKind::kInt,
                   .default_value = "10",
                   .form = "=10",
                   .help = "How many operations may run at once."},
                  {.name = "target",
                   .kind = FlagKind::kList,
                   .form = "=resource",
                   .help = "Only that object and what it needs."},
              }),
              kVariables,
              std::to_array<FlagSpec>({
                  {.name = "state", .kind = FlagKind::kString},
                  {.name = "state-out", .kind = FlagKind::kString},
                  {.name = "backup", .kind = FlagKind::kString},
                  {.name = "refresh", .default_value = "true"},
                  {.name = "destroy"},
                  {.name = "refresh-only"},
                  {.name = "target-file", .kind = FlagKind::kList},
                  {.name = "exclude-file", .kind = FlagKind::kList},
                  {.name = "replace", .kind = FlagKind::kList},
              }));

extern constexpr CommandSpec kRefreshCommand{
    .name = "refresh",
    .synopsis = "Update the state to match remote systems",
    .usage = "tofu [global options] refresh [options]",
    .description = R"(Reads real objects again and updates the state with what they are now.
Nothing that exists is changed. "tofu apply -refresh-only" does the same, but
shows what it found before it writes it.)",
    .flags = kRefreshFlags,
    .run = RunRefresh,
};

}  // namespace kinu::cli
