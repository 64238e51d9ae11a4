#include "view/recorded/service_plan.h"

#include <charconv>

#include "plan_json/documents.h"
#include "view/recorded/shape.h"

namespace kinu::view {
namespace {

/// Whether a version is newer than the one here. Ref: jsonformat incompatibleVersions, which
/// compares versions as decimal fractions.
bool IsNewer(const std::string& version, std::string_view here) {
  const auto number = [](std::string_view text, double& out) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
    return read.ec == std::errc() && read.ptr == text.data() + text.size();
  };
  double theirs = 0;
  double ours = 0;
  return number(version, theirs) && number(here, ours) && ours < theirs;
}

}  // namespace

Result<std::string> RenderServicePlan(const json::Node& document, const ServicePlanFacts& facts,
                                      const terminal::Style& style,
                                      const PlanTextOptions& options) {
  KINU_TRY(RecordedPlan recorded, ReadServicePlan(document));
  recorded.plan.mode = facts.mode;
  recorded.plan.errored = facts.errored;
  std::string out;
  if (IsNewer(TextOf(document, "plan_format_version"), kPlanFormatVersion) ||
      IsNewer(TextOf(document, "provider_format_version"), kProviderSchemasFormatVersion)) {
    out = terminal::WordWrap(
              style.Paint("\n[bold][red]Warning:[reset][bold] This plan was generated using a "
                          "different version of OpenTofu, the diff presented here may be "
                          "missing representations of recent features."),
              options.width) +
          '\n';
  }
  KINU_TRY(const std::string text, RenderPlan(recorded.plan, *recorded.schemas, style, options));
  return out + text;
}

}  // namespace kinu::view
