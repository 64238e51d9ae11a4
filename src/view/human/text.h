// Fixed texts of commands, word for word as programs and people know them.
// Ref: opentofu internal/command/views; shared contract "human output".
#pragma once

#include <string>
#include <string_view>

#include "plan/plan.h"
#include "view/human/style.h"

namespace kinu::view {

/// What an apply did, or what a plan would do.
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
/// Counts of a plan's changes.
ChangeCounts CountChanges(const plan::Plan& plan);

/// The tally in the style of people's output, with its empty line before and newline after.
std::string RenderTally(const Style& style, const ChangeCounts& counts, bool destroy);
/// Where `-state-out` put the state, below the tally.
std::string RenderStatePath(std::string_view path, int width);
/// The heading above the outputs of an apply.
std::string RenderOutputsHeading(const Style& style);

/// What a plan ends with: the rule, generated configuration, where the plan is saved or why not.
struct NextStep {
  std::string plan_path;              ///< empty: not saved
  std::string generated_config_path;  ///< empty: none
};
std::string RenderNextStep(const Style& style, const NextStep& step, int width);

/// A question: the line that asks, and the lines below it.
struct Approval {
  std::string query;
  std::string description;
};
/// The question before an apply. `workspace` is named unless it is "default".
Approval ApprovalFor(plan::Mode mode, std::string_view workspace);
/// The question as a terminal shows it, up to where the answer is typed.
std::string RenderPrompt(const Style& style, std::string_view query, std::string_view description);

/// "Apply cancelled." or "Destroy cancelled."
std::string_view CancelledText(plan::Mode mode);

inline constexpr std::string_view kInterrupted =
    "\nInterrupt received.\nPlease wait for OpenTofu to exit or data loss may occur.\n"
    "Gracefully shutting down...\n";
inline constexpr std::string_view kSecondInterrupt =
    "\nTwo interrupts received. Exiting immediately. Note that data loss may have occurred.\n";
inline constexpr std::string_view kNoState = "No state.";
inline constexpr std::string_view kAcquiringLock =
    "Acquiring state lock. This may take a few moments...";
inline constexpr std::string_view kReleasingLock =
    "Releasing state lock. This may take a few moments...";

/// `validate`: the success line, with its newline.
std::string RenderValidSuccess(const Style& style, bool warnings, int width);

}  // namespace kinu::view
