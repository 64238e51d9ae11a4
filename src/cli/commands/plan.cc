#include "view/human/plan.h"

#include "cli/commands/commands.h"
#include "cli/saved_plan.h"
#include "plan/plan_file.h"
#include "view/human/text.h"

namespace kinu::cli {

int RunPlan(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"detailed-exitcode"},
                                        {"out", FlagKind::kString},
                                        {"generate-config-out", FlagKind::kString},
                                        {"show-sensitive"}};
  const std::span<const FlagSpec> tables[] = {kFlags,      kVariableFlags,  kJsonFlags, kLockFlags,
                                              kStateFlags, kOperationFlags, kInputFlags};
  Diagnostics diags;
  auto flags = Flags::Parse(tables, invocation.args);
  if (!flags) {
    diags.Error("Failed to parse command-line flags", flags.error().message);
    return UsageError(invocation, diags);
  }
  if (!flags->positionals().empty()) {
    diags.Error("Too many command line arguments",
                "To specify a working directory for the plan, use the global -chdir flag.");
  }
  if (!flags->String("generate-config-out").empty()) {
    diags.Error("Not built yet", "Generating configuration for imports comes later.");
  }
  PlanRequest request = ReadPlanRequest(*flags, plan::Mode::kNormal, diags);
  auto audience = Audience::Make(invocation, &*flags, diags);
  if (diags.has_errors()) {
    if (audience->json() != nullptr) {
      audience->json()->Diagnostics(diags);
    }
    return audience->json_only() ? 1 : UsageError(invocation, diags);
  }
  Operation operation;
  CatchInterrupts(&operation.pool);
  if (request.mode != plan::Mode::kDestroy && !RequireConfiguration("plan", diags)) {
    audience->Show(diags);
    return 1;
  }
  if (!operation.Open(invocation, *flags, request, "OperationTypePlan", *audience, diags)) {
    operation.Close(diags);
    audience->Show(diags);
    return 1;
  }
  plan::Plan plan = RunPlanning(operation, diags);
  LocatorSchemas schemas(*operation.locator);
  std::string out_path = flags->String("out");
  if (!out_path.empty()) {
    TakePlanExtras(operation, plan);
    auto written = plan::WritePlanFile(out_path, plan,
                                       PlanSchemas(*operation.locator, *operation.loaded.program));
    if (!written) {
      diags.Error("Failed to write plan file", written.error().message);
    }
  }
  view::Style style = invocation.style();
  bool failed = diags.has_errors();
  if (!plan.rejected && audience->json() != nullptr) {
    audience->json()->Plan(plan);
  }
  if (!plan.rejected) {
    view::PlanTextOptions options;
    options.width = invocation.stdout_width;
    options.show_sensitive = flags->Bool("show-sensitive");
    options.in_automation = invocation.in_automation;
    auto text = view::RenderPlan(plan, schemas, style, options);
    if (text) {
      audience->Text(*text);
    } else {
      diags.Error("Failed to render plan", text.error().message);
      failed = true;
    }
  }
  operation.Close(diags);
  failed = audience->Show(diags) || failed;
  if (failed) {
    return 1;
  }
  if (plan.CanApply() && !invocation.in_automation) {
    audience->Text(view::RenderNextStep(style, {.plan_path = out_path}, invocation.stdout_width));
  }
  return flags->Bool("detailed-exitcode") && plan.HasChanges() ? 2 : 0;
}

}  // namespace kinu::cli
