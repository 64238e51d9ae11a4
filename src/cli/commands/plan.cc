#include "view/human/plan.h"

#include "base/files.h"
#include "cli/flag_groups.h"
#include "cli/interrupts.h"
#include "cli/saved_plan.h"
#include "hcl/writer/tokens.h"
#include "plan/plan_file.h"
#include "view/human/text.h"

namespace kinu::cli {
namespace {

/// Writes generated blocks to a new file. Whether there are any.
bool SaveGenerated(const plan::Plan& plan, const std::string& path, Diagnostics& diags) {
  std::string text;
  for (const plan::ResourceChange& change : plan.changes) {
    if (change.generated_config.empty()) {
      continue;
    }
    if (text.empty()) {
      text =
          "# __generated__ by OpenTofu\n# Please review these resources and move them into your "
          "main configuration files.\n";
    }
    text += "\n# __generated__ by OpenTofu";
    if (change.importing && !change.importing->id.empty()) {
      text += " from " + hcl::writer::StringText(change.importing->id);
    }
    text += "\n" + change.generated_config + "\n";
  }
  if (text.empty()) {
    return false;
  }
  if (auto written = ReplaceFile(path, text); !written) {
    diags.Error(
        "Failed to create target generated file",
        "The file for generated configuration cannot be written: " + written.error().message + ".");
    return false;
  }
  diags.Warning("Config generation is experimental",
                "Generating configuration during import is currently experimental, and the "
                "generated configuration format may change in future versions.");
  return true;
}

/// Whether configuration may be generated into that file; said before anything is read.
bool CheckGenerated(const std::string& path, plan::Mode mode, Diagnostics& diags) {
  if (mode != plan::Mode::kNormal) {
    diags.Error("Invalid generate-config-out flag",
                "Config can only be generated during a normal plan operation, and not during a "
                "refresh-only or destroy plan.");
  } else if (FileExists(path)) {
    diags.Error("Target generated file already exists",
                "Generated configuration is only written to a new file. Name another one, or "
                "move what is in " +
                    path + " elsewhere.");
  }
  return !diags.has_errors();
}

}  // namespace

static int RunPlan(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  if (!flags.positionals().empty()) {
    diags.Error("Too many command line arguments",
                "To specify a working directory for the plan, use the global -chdir flag.");
  }
  PlanRequest request = ReadPlanRequest(flags, diags);
  auto audience = Audience::Make(invocation, &flags, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, *audience, diags);
  }
  Operation operation;
  CatchInterrupts(&operation.pool);
  session::WarnOfOverrides(invocation.workspace, false, diags);
  audience->Show(diags);
  const std::string generate_path = flags.String("generate-config-out");
  request.precondition = [&](Diagnostics& found) {
    return (request.mode == plan::Mode::kDestroy || RequireConfiguration("plan", found)) &&
           (generate_path.empty() || CheckGenerated(generate_path, request.mode, found));
  };
  if (!operation.Open(invocation, flags, request, "OperationTypePlan", *audience, diags)) {
    operation.Close(diags);
    audience->Show(diags);
    return 1;
  }
  meta::GeneratedBlocks generated;
  if (!generate_path.empty()) {
    operation.input.generated = &generated;
  }
  plan::Plan plan = RunPlanning(operation, diags);
  SourceSchemas schemas(operation.providers->source());
  std::string out_path = flags.String("out");
  if (!out_path.empty() && !plan.rejected) {
    TakePlanExtras(operation, plan);
    auto written = plan::WritePlanFile(out_path, plan,
                                       operation.providers->PlanSchemas(*operation.loaded.program));
    if (!written) {
      diags.Error("Failed to write plan file", written.error().message);
      operation.Close(diags);
      audience->Show(diags);
      return 1;
    }
  }
  Diagnostics of_generated;
  const bool generated_any =
      !generate_path.empty() && !plan.rejected && SaveGenerated(plan, generate_path, of_generated);
  const bool not_saved = of_generated.has_errors();
  diags.Append(std::move(of_generated));
  if (not_saved) {
    operation.Close(diags);
    audience->Show(diags);
    return 1;
  }
  view::Style style = invocation.style();
  bool failed = diags.has_errors();
  if (!plan.rejected && audience->json() != nullptr) {
    audience->json()->Plan(plan);
  }
  if (!plan.rejected) {
    view::PlanTextOptions options;
    options.width = invocation.stdout_width;
    options.show_sensitive = flags.Bool("show-sensitive");
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
    audience->Text(view::RenderNextStep(
        style, {.plan_path = out_path, .generated_config_path = generated_any ? generate_path : ""},
        invocation.stdout_width));
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
    kOperation);

extern constexpr CommandSpec kPlanCommand{
    .name = "plan",
    .synopsis = "Show changes required by the current configuration",
    .usage = "tofu [global options] plan [options]",
    .description = R"(Shows what "tofu apply" would do, and can save that as a plan file.)",
    .flags = kPlanFlags,
    .run = RunPlan,
};

}  // namespace kinu::cli
