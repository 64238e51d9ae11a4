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
    JoinFlags(kInput, kTargets, kVariables, kParallelism, kOperationLock, kOperationView,
              Undocumented(JoinFlags(kPlanModes, kPlanning, kStateToRead, kStateToWrite, kBackup)));

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
