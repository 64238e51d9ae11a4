#include "operation/task_stage.h"

#include <algorithm>
#include <cctype>

namespace kinu::operation {
namespace {

constexpr std::string_view kStageRuler =
    "\n------------------------------------------------------------------------\n";

std::string Capitalized(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

struct TaskCounts {
  int64_t pending = 0;
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t mandatory = 0;  ///< failed ones that must not fail
};

TaskCounts CountTasks(const backend::TaskStage& stage) {
  TaskCounts out;
  for (const backend::TaskResult& task : stage.results) {
    if (task.status == "pending" || task.status == "running") {
      ++out.pending;
    } else if (task.status == "passed") {
      ++out.passed;
    } else {
      ++out.failed;
      out.mandatory += task.level == "mandatory" ? 1 : 0;
    }
  }
  return out;
}

void ReportTask(const backend::TaskResult& task, const std::function<void(std::string_view)>& say) {
  const std::string mark = "[reset]│ ";
  const std::string status = task.status == "passed" ? "[green]Passed"
                                                     : "[red]" + Capitalized(task.status) + " (" +
                                                           Capitalized(task.level) + ')';
  say(mark + task.name + " ⸺   " + status + "[reset]");
  if (!task.message.empty()) {
    say(mark + "[dim]" + task.message + "[reset]");
  }
  if (!task.url.empty()) {
    say(mark + "[dim]Details: " + task.url + "[reset]");
  }
  say(mark);
}

void ReportOutcome(const backend::PolicyOutcome& outcome,
                   const std::function<void(std::string_view)>& say) {
  say("  ↳ Policy name: [bold]" + outcome.policy + "[reset]");
  if (outcome.status == "passed") {
    say("     | [green][bold]✓ Passed[reset]");
  } else if (outcome.status == "failed") {
    say(outcome.level == "advisory" ? "     | [blue][bold]Ⓘ Advisory[reset]"
                                    : "     | [red][bold]× Failed[reset]");
  }
  say(outcome.description.empty() ? "     | [dim]No description available[reset]"
                                  : "     | [dim]" + outcome.description + "[reset]");
}

void ReportPolicySets(const backend::PolicyEvaluation& evaluation,
                      const std::function<void(std::string_view)>& say) {
  int number = 0;
  for (const backend::PolicySetOutcome& set : evaluation.sets) {
    say("→ Policy set " + std::to_string(++number) + ": [bold]" + set.name + " (" +
        std::to_string(set.outcomes.size()) + ")[reset]");
    for (const backend::PolicyOutcome& outcome : set.outcomes) {
      ReportOutcome(outcome, say);
    }
  }
}

void ReportPolicies(const backend::TaskStage& stage,
                    const std::function<void(std::string_view)>& say) {
  if (stage.evaluations.empty()) {
    return;
  }
  say("[bold]OPA Policy Evaluation[reset]\n");
  if (std::ranges::find(stage.evaluations, "unreachable", &backend::PolicyEvaluation::status) !=
      stage.evaluations.end()) {
    say("Skipping policy evaluation.");
    say(kStageRuler);
    return;
  }
  for (const backend::PolicyEvaluation& evaluation : stage.evaluations) {
    const bool passed = evaluation.status == "passed";
    say(std::string("[bold]→→ Overall Result: ") +
        (passed ? std::string("[green]PASSED") +
                      (evaluation.advisory_failed > 0 ? " (with advisory)" : "")
                : "[red]FAILED") +
        "[reset]");
    say(passed ? "[dim] This result means that all OPA policies passed and the protected behavior "
                 "is allowed[reset]"
               : "[dim] This result means that one or more OPA policies failed. More than likely, "
                 "this was due to the discovery of violations by the main rule and other sub "
                 "rules[reset]");
    say(std::to_string(evaluation.policies) + " policies evaluated\n");
    ReportPolicySets(evaluation, say);
  }
}

}  // namespace

std::string PendingTasksText(const backend::TaskStage& stage) {
  const TaskCounts counts = CountTasks(stage);
  return std::to_string(counts.pending) + " tasks still pending, " + std::to_string(counts.passed) +
         " passed, " + std::to_string(counts.failed) + " failed ... ";
}

void ReportTasks(const backend::TaskStage& stage,
                 const std::function<void(std::string_view)>& say) {
  if (std::ranges::any_of(stage.results, [](const backend::TaskResult& task) {
        return task.status == "unreachable";
      })) {
    say("Skipping task results.");
    say(kStageRuler);
  } else if (!stage.results.empty()) {
    const TaskCounts counts = CountTasks(stage);
    say("All tasks completed! " + std::to_string(counts.passed) + " passed, " +
        std::to_string(counts.failed) + " failed\n");
    for (const backend::TaskResult& task : stage.results) {
      ReportTask(task, say);
    }
    const auto mandatory = std::ranges::find_if(stage.results, [](const backend::TaskResult& task) {
      return task.status != "passed" && task.level == "mandatory";
    });
    if (counts.mandatory > 1) {
      say("[bold][red]Error: [reset][bold]the run failed because " +
          std::to_string(counts.mandatory) + " mandatory tasks are required to succeed[reset]");
    } else if (mandatory != stage.results.end()) {
      say("[bold][red]Error: [reset][bold]the run failed because the run task, " + mandatory->name +
          ", is required to succeed[reset]");
    }
    say("[reset]│ ");
    std::string result =
        counts.failed > 0 ? "[green]Passed with advisory failures" : "[green]Passed";
    if (mandatory != stage.results.end()) {
      result = "[red]Failed";
    }
    say("[reset]│ [bold]Overall Result: " + result + "[reset]");
    say(kStageRuler);
  }
  ReportPolicies(stage, say);
}

}  // namespace kinu::operation
