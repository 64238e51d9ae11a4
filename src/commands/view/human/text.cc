#include "view/human/text.h"

#include "base/program_name.h"
#include "text/quote.h"

namespace kinu::view {

using plan::Action;

namespace {

std::string Sum(int64_t count, std::string_view what) {
  return std::to_string(count) + std::string(what);
}

}  // namespace

std::string ApplySummary(const ChangeCounts& counts) {
  std::string text = "Apply complete! Resources: ";
  if (counts.imported > 0) {
    text += Sum(counts.imported, " imported, ");
  }
  text += Sum(counts.added, " added, ") + Sum(counts.changed, " changed, ") +
          Sum(counts.removed, " destroyed");
  if (counts.forgotten > 0) {
    text += ", " + Sum(counts.forgotten, " forgotten");
  }
  return text + ".";
}

std::string DestroySummary(const ChangeCounts& counts) {
  return "Destroy complete! Resources: " + Sum(counts.removed, " destroyed.");
}

std::string PlanSummary(const ChangeCounts& counts) {
  std::string text = "Plan: ";
  if (counts.imported > 0) {
    text += Sum(counts.imported, " to import, ");
  }
  text += Sum(counts.added, " to add, ") + Sum(counts.changed, " to change, ") +
          Sum(counts.removed, " to destroy");
  if (counts.forgotten > 0) {
    text += ", " + Sum(counts.forgotten, " to forget");
  }
  return text + ".";
}

ChangeCounts CountChanges(const plan::Plan& plan) {
  ChangeCounts counts;
  for (const plan::ResourceChange& change : plan.changes) {
    if (change.action == Action::kDelete &&
        change.address.resource.resource.mode == ResourceMode::kData) {
      continue;
    }
    counts.imported += change.importing ? 1 : 0;
    switch (change.action) {
      case Action::kCreate:
        ++counts.added;
        break;
      case Action::kDelete:
        ++counts.removed;
        break;
      case Action::kUpdate:
        ++counts.changed;
        break;
      case Action::kCreateThenDelete:
      case Action::kDeleteThenCreate:
        ++counts.added;
        ++counts.removed;
        break;
      case Action::kForgetThenCreate:
        ++counts.added;
        ++counts.forgotten;
        break;
      case Action::kForget:
        ++counts.forgotten;
        break;
      case Action::kNoOp:
      case Action::kRead:
        break;
    }
  }
  return counts;
}

std::string RenderTally(const terminal::Style& style, const ChangeCounts& counts, bool destroy) {
  return style.Paint("[reset][bold][green]\n%\n",
                     destroy ? DestroySummary(counts) : ApplySummary(counts));
}

std::string RenderStatePath(std::string_view path, int width) {
  return "\n" +
         terminal::WordWrap(
             Hint(
                 "The state of your infrastructure has been saved to the path below. This state is "
                 "required to modify and destroy your infrastructure, so keep it safe. To inspect "
                 "the complete state use the `tofu show` command."),
             width) +
         "\n\nState path: " + std::string(path) + "\n";
}

std::string RenderOutputsHeading(const terminal::Style& style) {
  return style.Paint("[reset][bold][green]\nOutputs:\n\n");
}

std::string RenderNextStep(const terminal::Style& style, const NextStep& step, int width) {
  std::string out = terminal::HorizontalRule(style, width) + "\n";
  if (!step.generated_config_path.empty()) {
    out += terminal::WordWrap(
               "\nOpenTofu has generated configuration and written it to " +
                   step.generated_config_path +
                   ". Please review the configuration and edit it as necessary before adding "
                   "it to version control.",
               width) +
           "\n";
  }
  if (step.plan_path.empty()) {
    out += terminal::WordWrap(
        Hint("\nNote: You didn't use the -out option to save this plan, so OpenTofu "
             "can't guarantee to "
             "take exactly these actions if you run \"tofu apply\" now."),
        width);
  } else {
    out += terminal::WordWrap(
        "\nSaved the plan to: " + step.plan_path +
            Hint("\n\nTo perform exactly these actions, run the following command to "
                 "apply:\n    tofu apply ") +
            text::GoQuote(step.plan_path),
        width);
  }
  return out + "\n";
}

Approval ApprovalFor(plan::Mode mode, std::string_view workspace) {
  const bool named = workspace != "default" && !workspace.empty();
  const std::string in_quotes = "\"" + std::string(workspace) + "\"";
  switch (mode) {
    case plan::Mode::kDestroy:
      return {"Do you really want to destroy all resources" +
                  (named ? " in workspace " + in_quotes : std::string()) + "?",
              "OpenTofu will destroy all your managed infrastructure, as shown above.\n"
              "There is no undo. Only 'yes' will be accepted to confirm."};
    case plan::Mode::kRefreshOnly:
      return {"Would you like to update the OpenTofu state" +
                  (named ? " for " + in_quotes : std::string()) +
                  " to reflect these detected changes?",
              "OpenTofu will write these changes to the state without modifying any real "
              "infrastructure.\nThere is no undo. Only 'yes' will be accepted to confirm."};
    case plan::Mode::kNormal:
      break;
  }
  return {"Do you want to perform these actions" +
              (named ? " in workspace " + in_quotes : std::string()) + "?",
          "OpenTofu will perform the actions described above.\n"
          "Only 'yes' will be accepted to approve."};
}

std::string_view CancelledText(plan::Mode mode) {
  return mode == plan::Mode::kDestroy ? "Destroy cancelled." : "Apply cancelled.";
}

std::string RenderValidSuccess(const terminal::Style& style, bool warnings, int width) {
  return terminal::WordWrap(
             style.Paint(warnings ? "[green][bold]Success![reset] The configuration is valid, but "
                                    "there were some validation warnings as shown above."
                                  : "[green][bold]Success![reset] The configuration is valid."),
             width) +
         "\n";
}

}  // namespace kinu::view
