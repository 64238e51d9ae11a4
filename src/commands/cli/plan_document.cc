#include "cli/plan_document.h"

#include "compatibility/level.h"
#include "plan_json/documents.h"

namespace kinu::cli {

std::optional<std::string> DocumentOfChanges(const plan::Plan& plan, const config::Config* config,
                                             const view::SchemaLookup& schemas,
                                             Diagnostics& diags) {
  std::string document;
  JsonWriter out(document);
  const auto written = view::WritePlan(out, plan, config, schemas,
                                       {.version = compatibility::FullRelease(),
                                        .prior_state = false,
                                        .positions = true,
                                        .parts = view::PlanParts::kChanges});
  if (!written) {
    diags.Error("Failed to marshal plan to json", written.error().message);
    return std::nullopt;
  }
  return document;
}

}  // namespace kinu::cli
