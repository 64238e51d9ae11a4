// Saved plans of the service behind a `cloud` block. The file names the run; the plan is in the
// service. Ref: opentofu internal/cloud/cloudplan/saved_plan.go.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "config/variables.h"
#include "plan/plan.h"
#include "session/workspace.h"

namespace kinu::operation {

struct CloudPlan {
  std::string run;
  std::string host;
};

/// The plan that a file names; nothing if it is another kind of file.
std::optional<CloudPlan> ReadCloudPlan(const std::string& path);
/// Writes such a file.
Result<void> SaveCloudPlan(const std::string& path, const CloudPlan& plan);

/// What the service has of a saved plan.
struct FetchedPlan {
  std::string document;
  plan::Mode mode = plan::Mode::kNormal;
  bool errored = false;
  bool has_changes = false;
  std::string header;  ///< markup: where to look at the run
  std::string footer;  ///< markup: what can be done with it
};

/// Gets a saved plan from the service of the `cloud` block in the working directory. `redacted`: as
/// view::ReadServicePlan() reads it, for whoever may see the run; else what `show -json` prints,
/// for administrators of its workspace. Ref: opentofu internal/cloud/backend_show.go.
Result<FetchedPlan> FetchCloudPlan(const session::Workspace& workspace,
                                   std::span<const config::VariableArgument> variables,
                                   const CloudPlan& plan, bool redacted);

}  // namespace kinu::operation
