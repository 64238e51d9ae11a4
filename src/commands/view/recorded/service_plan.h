// The text of a plan that a service has made.
#pragma once

#include <string>

#include "view/human/plan.h"
#include "view/recorded/recorded.h"

namespace kinu::view {

/// What the document of such a plan does not say.
struct ServicePlanFacts {
  plan::Mode mode = plan::Mode::kNormal;
  bool errored = false;
};

/// Renders a plan of ReadServicePlan(). One of a newer format has a warning in front.
Result<std::string> RenderServicePlan(const json::Node& document, const ServicePlanFacts& facts,
                                      const terminal::Style& style, const PlanTextOptions& options);

}  // namespace kinu::view
