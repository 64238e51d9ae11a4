// The tasks of a run in a service: results of programs that the organization has connected, and of
// its policies. Ref: opentofu internal/cloud/backend_taskStages.go.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "backend/hosted_runs.h"

namespace kinu::operation {

/// How far the tasks of a stage are: "2 tasks still pending, 1 passed, 0 failed ... ".
std::string PendingTasksText(const backend::TaskStage& stage);
/// Reports the results of a stage that has ended, line by line in markup.
void ReportTasks(const backend::TaskStage& stage, const std::function<void(std::string_view)>& say);

}  // namespace kinu::operation
