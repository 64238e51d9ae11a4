// Constant texts of commands, equal to OpenTofu's to the letter: programs compare them. Ref:
// opentofu internal/command/views.
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"
#include "terminal/style.h"

namespace kinu::view {

/// The number of objects per action of an apply or a plan.
struct ChangeCounts {
  int64_t imported = 0;
  int64_t added = 0;
  int64_t changed = 0;
  int64_t removed = 0;
  int64_t forgotten = 0;
};

/// "Apply complete! Resources: 1 added, 0 changed, 0 destroyed."
std::string ApplySummary(const ChangeCounts& counts);
/// "Destroy complete! Resources: 1 destroyed."
std::string DestroySummary(const ChangeCounts& counts);
/// "Plan: 1 to add, 0 to change, 0 to destroy."
std::string PlanSummary(const ChangeCounts& counts);
/// Counts the changes of a plan.
ChangeCounts CountChanges(const plan::Plan& plan);

/// Renders the summary of an apply, with an empty line before and a newline after it.
std::string RenderTally(const terminal::Style& style, const ChangeCounts& counts, bool destroy);
/// Renders the note below the summary that names the file of `-state-out`.
std::string RenderStatePath(std::string_view path, int width);
/// The heading above the outputs after an apply.
std::string RenderOutputsHeading(const terminal::Style& style);

/// The end of a plan's output: a rule, the file of generated configuration, and the saved plan or
/// how to save it.
struct NextStep {
  std::string plan_path;              ///< empty: the plan is not saved
  std::string generated_config_path;  ///< empty: no configuration is generated
};
std::string RenderNextStep(const terminal::Style& style, const NextStep& step, int width);

/// A question to the user, and the lines below it.
struct Approval {
  std::string query;
  std::string description;
};
/// The question before an apply. It names `workspace` unless that is "default".
Approval ApprovalFor(plan::Mode mode, std::string_view workspace);
/// "Apply cancelled." or "Destroy cancelled."
std::string_view CancelledText(plan::Mode mode);

inline constexpr std::string_view kNoState = "No state.";
inline constexpr std::string_view kAcquiringLock =
    "Acquiring state lock. This may take a few moments...";
inline constexpr std::string_view kReleasingLock =
    "Releasing state lock. This may take a few moments...";

/// The success line of `validate`, with a newline.
std::string RenderValidSuccess(const terminal::Style& style, bool warnings, int width);

}  // namespace kinu::view
