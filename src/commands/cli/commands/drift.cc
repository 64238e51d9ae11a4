// drift: what has changed outside of the program. A plan that is shown as drift and never kept.
#include "cli/build_info.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/plan_document.h"
#include "cli/rule_files.h"
#include "drift/report.h"
#include "drift/rules.h"
#include "operation/documents.h"
#include "view/source_schemas.h"

namespace kinu::cli {
namespace {

constexpr int kDrifted = 2;

enum class DriftForm : uint8_t { kText, kJson, kMarkdown, kSarif };

DriftForm FormOf(const Flags& flags, Diagnostics& diags) {
  static constexpr std::pair<std::string_view, DriftForm> kDriftForms[] = {
      {"json", DriftForm::kJson}, {"markdown", DriftForm::kMarkdown}, {"sarif", DriftForm::kSarif}};
  DriftForm chosen = DriftForm::kText;
  for (const auto& [name, form] : kDriftForms) {
    if (flags.Bool(name)) {
      if (chosen != DriftForm::kText) {
        diags.Error("Invalid output format",
                    "Only one of -json, -markdown and -sarif can be given.");
      }
      chosen = form;
    }
  }
  return chosen;
}

class DriftRun : public OperationRun {
 public:
  using OperationRun::OperationRun;

  int Run() {
    Parse("Failed to parse command-line flags", false);
    BeSilent();
    form_ = FormOf(flags, diags);
    if (!flags.positionals().empty()) {
      diags.Error("Too many command line arguments",
                  "The drift command takes no words; -chdir chooses another directory.");
    }
    PlanRequest request = ReadOperationRequest(OperationKind::kPlan, invocation, flags);
    ReadTargetFlags(flags, request, diags);
    if (diags.has_errors()) {
      return form_ == DriftForm::kJson ? Finish({}) : UsageError(invocation, diags);
    }
    ReadRuleFiles(
        flags.List("ignore"), "kinudrift", "Failed to read drift rules",
        [&](const std::string& name, std::string text) {
          rules_.Add(name, std::move(text), diags);
        },
        diags);
    if (diags.has_errors()) {
      return Finish({});
    }
    CatchInterrupts();
    const std::string& file = flags.String("plan");
    std::optional<std::string> text =
        file.empty()
            ? Plan(request)
            : operation::ReadDocument(invocation.workspace, file, {.positions = true}, diags);
    return text ? Report(*std::move(text)) : Finish({});
  }

 private:
  /// Plans, and makes the document of the plan. Nothing after an error.
  std::optional<std::string> Plan(PlanRequest& request) {
    request.precondition = [](Diagnostics& found) {
      if (!config::IsConfigDir(".")) {
        found.Error("No configuration files",
                    "This directory has no configuration, whose providers could read the objects. "
                    "With -plan=FILE the drift is that of a plan.");
      }
      return !found.has_errors();
    };
    std::optional<std::string> document;
    ReportOnPlan(request, [&](const plan::Plan& plan) {
      const view::SourceSchemas schemas(operation.schemas());
      document = DocumentOfChanges(plan, operation.loaded.config.get(), schemas, diags);
    });
    return document;
  }

  int Report(std::string text) {
    const auto document = json::Document::Parse(std::move(text));
    if (!document) {
      diags.Error("Unusable document", document.error().message + ".");
      return Finish({});
    }
    auto report = drift::ReadDrift((*document)->root());
    const auto applied = report ? rules_.Apply((*document)->root(), *report)
                                : Result<void>(std::unexpected(report.error()));
    if (!applied) {
      diags.Error("Unusable document", applied.error().message + ".");
      return Finish({});
    }
    return Finish(*std::move(report));
  }

  /// Prints the report and what was reported on the way. Returns the exit code.
  int Finish(drift::Report report) {
    const bool failed = diags.has_errors();
    report.errored = report.errored || failed;
    std::string text;
    switch (form_) {
      case DriftForm::kText:
        if (!failed || report.any()) {
          drift::WriteText(text, report);
        }
        break;
      case DriftForm::kJson:
        drift::WriteJson(text, report, [&](JsonWriter& json) { WriteProblems(json); });
        break;
      case DriftForm::kMarkdown:
        drift::WriteMarkdown(text, report);
        break;
      case DriftForm::kSarif:
        drift::WriteSarif(text, report, kOwnVersion);
        break;
    }
    // Warnings would stand among the output of the other forms.
    if (form_ == DriftForm::kText || (failed && form_ != DriftForm::kJson)) {
      invocation.Show(diags);
    }
    Print(text);
    if (report.errored) {
      return 1;
    }
    return report.any() ? kDrifted : 0;
  }

  DriftForm form_ = DriftForm::kText;
  drift::Rules rules_;
};

}  // namespace

static int RunDrift(Invocation& invocation) {
  return DriftRun(invocation).Run();
}

constexpr auto kDriftFlags = JoinFlags(
    FlagSpec{.name = "ignore",
             .kind = FlagKind::kList,
             .form = "=FILE",
             .help = "Rules for drift that does not count. May be repeated. Without\n"
                     "it the files *.kinudrift.hcl and *.kinudrift.json are read."},
    FlagSpec{.name = "plan",
             .kind = FlagKind::kString,
             .form = "=FILE",
             .help = "Show the drift that a plan saw: a plan file, or the output of\n"
                     "\"show -json\". Nothing is read again."},
    FlagSpec{.name = "json", .help = "The report as one JSON object."},
    FlagSpec{.name = "markdown", .help = "The report as a Markdown table."},
    FlagSpec{.name = "sarif", .help = "What counts as SARIF 2.1.0, at the lines of the blocks."},
    kTargets, kVariables, kParallelism, kOperationLock, kStateToRead, kCompactWarnings, kColor,
    kNoColor);

extern constexpr CommandSpec kDriftCommand{
    .name = "drift",
    .synopsis = "Show what has changed outside",
    .group = CommandGroup::kMain,
    .usage = "tofu [global options] drift [options]",
    .description =
        R"(Reads all real objects, and shows what is not as the state says: per object the
values that differ, where its block is, and what an apply would do about it.
Nothing is written, neither the state nor a plan.

The exit code is 0 when nothing has drifted, 2 when something has, 1 after an
error.)",
    .flags = kDriftFlags,
    .notes = R"(Rules (drift.kinudrift.hcl):

  ignore "aws_autoscaling_group.*" {
    attributes = ["desired_capacity"]
    reason     = "the scaler changes it"
    expires    = "2027-03-31"
  }
)",
    .run = RunDrift,
};

}  // namespace kinu::cli
