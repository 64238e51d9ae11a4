// Plans in human form: drift, legend, changes and outputs, or why there are no changes. Ref:
// opentofu internal/command/jsonformat/plan.go.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/plan.h"
#include "plan_json/schema_lookup.h"
#include "terminal/style.h"
#include "tfjson/action_filter.h"

namespace kinu::view {

/// Layout of RenderPlan().
struct PlanTextOptions {
  int width = terminal::kDefaultWidth;  ///< of stdout in columns
  bool show_sensitive = false;
  bool in_automation = false;
  /// Whether the plan changes anything; nothing: the plan itself says.
  std::optional<bool> can_apply = std::nullopt;
  /// Which changes are listed; null: all. What is left out is counted.
  const tfjson::ActionFilter* actions = nullptr;
  /// What is said of each change, below its heading, in a plan that is never applied; empty:
  /// nothing.
  std::function<std::string_view(const plan::ResourceChange& change)> remark = {};
};

/// Takes a text in pieces.
using TextSink = std::function<void(std::string_view)>;

/// Renders a plan as `plan`, `apply` and `show` print it, in pieces of bounded size. Nothing is
/// rendered after an error, as for an output that no document can have: an infinite number.
Result<void> RenderPlanTo(const TextSink& sink, const plan::Plan& plan, const SchemaLookup& schemas,
                          const terminal::Style& style, const PlanTextOptions& options);
/// Renders only these changes of a plan, as its text has them, and then those of its outputs that
/// `shows_output` holds for.
Result<void> RenderChangesTo(const TextSink& sink, const plan::Plan& plan,
                             std::span<const plan::ResourceChange* const> changes,
                             const std::function<bool(const plan::OutputChange&)>& shows_output,
                             const SchemaLookup& schemas, const terminal::Style& style,
                             const PlanTextOptions& options);
/// Renders a plan as one text. Nothing is rendered after an error.
Result<std::string> RenderPlan(const plan::Plan& plan, const SchemaLookup& schemas,
                               const terminal::Style& style, const PlanTextOptions& options);

}  // namespace kinu::view
