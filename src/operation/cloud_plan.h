// Saved plans of the service behind a `cloud` block. The file names the run; the plan is in the
// service. Ref: opentofu internal/cloud/cloudplan/saved_plan.go.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace kinu::operation {

struct CloudPlan {
  std::string run;
  std::string host;
};

/// The plan that a file names; nothing if it is another kind of file.
std::optional<CloudPlan> ReadCloudPlan(const std::string& path);
/// Writes such a file.
Result<void> SaveCloudPlan(const std::string& path, const CloudPlan& plan);

}  // namespace kinu::operation
