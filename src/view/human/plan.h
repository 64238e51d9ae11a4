// Plans as text for people: drift, legend, changes, outputs, or why there is nothing to do.
// Ref: opentofu internal/command/jsonformat/plan.go.
#pragma once

#include <string>

#include "base/result.h"
#include "plan/plan.h"
#include "view/human/style.h"
#include "view/schema_lookup.h"

namespace kinu::view {

struct PlanTextOptions {
  int width = kDefaultWidth;  ///< of stdout
  bool show_sensitive = false;
  bool in_automation = false;
};

/// The text of a plan, as `plan`, `apply` and `show` print it to stdout.
Result<std::string> RenderPlan(const plan::Plan& plan, const SchemaLookup& schemas,
                               const Style& style, const PlanTextOptions& options);

}  // namespace kinu::view
