// What a run's tasks, cost estimate and policies say between its plan and its apply.
#include <algorithm>

#include "operation/remote_run.h"
#include "operation/task_stage.h"
#include "terminal/prompt.h"

namespace kinu::operation {
namespace {

constexpr std::string_view kRuler =
    "\n------------------------------------------------------------------------\n";

/// What a policy check is called by its scope.
std::string PolicyCheckText(const std::string& scope) {
  if (scope == "organization") {
    return "Organization policy check";
  }
  return scope == "workspace" ? "Workspace policy check" : "Unknown policy check (" + scope + ")";
}

}  // namespace

bool RemoteRun::OverrideTasks(const std::string& id) {
  if (!options_.approved) {
    const auto answer =
        request_.input
            ? terminal::Ask(request_.style, {.query = "\nDo you want to override the failed policy "
                                                      "check?",
                                             .description = "Only 'override' will be accepted to "
                                                            "override."})
            : Result<std::string>(std::string());
    if (!answer || *answer != "override") {
      return Fail("Failed to override: Apply discarded.", runs_.PageOf(run_));
    }
  }
  const Result<void> overridden = runs_.OverrideStage(id);
  return overridden || FailedTo("override policy check", overridden.error());
}

bool RemoteRun::AddOutcomes(backend::TaskStage& stage) {
  for (backend::PolicyEvaluation& evaluation : stage.evaluations) {
    if (evaluation.status == "unreachable") {
      continue;
    }
    auto sets = runs_.ReadPolicyOutcomes(evaluation.id);
    if (!sets) {
      return FailedTo("retrieve outcomes of policies", sets.error());
    }
    evaluation.sets = *std::move(sets);
  }
  return true;
}

bool RemoteRun::AwaitTasks(std::string_view stage, std::string_view title) {
  const auto found = std::ranges::find(stages_, stage, &backend::TaskStage::stage);
  if (found == stages_.end()) {
    return true;
  }
  Say("\n[bold]" + std::string(title) + ":[reset]\n");
  std::string pending;
  for (int i = 0;; ++i) {
    if (!Wait(PauseBefore(i))) {
      return false;
    }
    Result<backend::TaskStage> now = runs_.ReadTaskStage(found->id);
    if (!now) {
      return FailedTo("retrieve task stage", now.error());
    }
    if (now->status == "unreachable") {
      return true;
    }
    if (now->status == "pending" || now->status == "running") {
      if (std::string text = PendingTasksText(*now); now->status == "running" && text != pending) {
        Say(text);
        pending = std::move(text);
      }
      continue;
    }
    if (!AddOutcomes(*now)) {
      return false;
    }
    ReportTasks(*now, [this](std::string_view line) { Say(line); });
    if (now->status == "awaiting_override") {
      if (!OverrideTasks(found->id)) {
        return false;
      }
      continue;
    }
    return now->status == "passed" || Fail("Task Stage " + now->status + ".");
  }
}

bool RemoteRun::ShowCostEstimate() {
  if (run_.cost_estimate.empty()) {
    return true;
  }
  for (int i = 0;; ++i) {
    if (!Wait(PauseBefore(i))) {
      return false;
    }
    const Result<backend::CostEstimate> now = runs_.ReadCostEstimate(run_.cost_estimate);
    if (!now) {
      return FailedTo("retrieve cost estimate", now.error());
    }
    if (now->status != "finished" && run_.has_failed()) {
      return true;
    }
    if (i == 0) {
      Say(kRuler);
    }
    if (now->status == "finished") {
      const bool less = now->delta.starts_with('-');
      Say("Cost estimation:\n\nResources: " + std::to_string(now->matched) + " of " +
          std::to_string(now->resources) + " estimated\n           $" + now->proposed + "/mo " +
          (less ? "-$" : "+$") + now->delta.substr(less ? 1 : 0));
      return true;
    }
    if (now->status == "canceled") {
      return Fail("Cost estimation canceled.");
    }
    if (now->status != "pending" && now->status != "queued") {
      Say("Cost estimation " + now->status + ".\n");
      return true;
    }
    if (i == 0) {
      Say("Cost estimation:\n\nWaiting for cost estimate to complete...\n");
    }
  }
}

bool RemoteRun::CheckPolicies() {
  for (const std::string& id : run_.policy_checks) {
    Say(kRuler);
    if (!CheckPolicy(id, id == run_.policy_checks.back())) {
      return false;
    }
  }
  return true;
}

bool RemoteRun::CheckPolicy(const std::string& id, bool last) {
  Result<backend::PolicyCheck> check = runs_.ReadPolicyCheck(id);
  for (int i = 0; check && (check->status == "pending" || check->status == "queued"); ++i) {
    if (run_.has_failed()) {
      return true;
    }
    if (!Wait(PauseBefore(i))) {
      return false;
    }
    check = runs_.ReadPolicyCheck(id);
  }
  if (!check) {
    return FailedTo("retrieve policy check", check.error());
  }
  if (check->status == "unreachable" && run_.has_failed()) {
    return true;
  }
  const std::string what = PolicyCheckText(check->scope);
  Say(what + ":\n");
  const Result<std::string> log = runs_.ReadPolicyLog(id);
  if (!log) {
    return FailedTo("retrieve policy check logs", log.error());
  }
  audience_.Text(*log + '\n');
  if (check->status == "passed") {
    if (last && run_.has_changes && options_.applies) {
      Say(kRuler);
    }
    return true;
  }
  if (check->status == "hard_failed") {
    return Fail(what + " hard failed.");
  }
  if (check->status != "soft_failed") {
    return Fail(what + " errored.");
  }
  if (!options_.applies || !check->overridable || (!options_.approved && !request_.input)) {
    return Fail(what + " soft failed.", runs_.PageOf(run_));
  }
  if (!options_.approved) {
    const auto answer = terminal::Ask(
        request_.style, {.query = "\nDo you want to override the soft failed policy check?",
                         .description = "Only 'override' will be accepted to override."});
    if (!answer || *answer != "override") {
      (void)runs_.Act(run_.id, "discard");
      return Fail("Failed to override: Apply discarded.", runs_.PageOf(run_));
    }
  }
  const Result<void> overridden = runs_.OverridePolicy(id);
  return overridden || FailedTo("override policy check", overridden.error());
}

}  // namespace kinu::operation
