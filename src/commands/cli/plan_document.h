// The document of a plan that a report is made of: its changes, with the places of their blocks.
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "diag/diagnostic.h"
#include "plan/plan.h"
#include "plan_json/schema_lookup.h"

namespace kinu::cli {

/// Without the prior state and most of the configuration. Nothing after an error, which is
/// reported. `config` may be null.
std::optional<std::string> DocumentOfChanges(const plan::Plan& plan, const config::Config* config,
                                             const view::SchemaLookup& schemas, Diagnostics& diags);

}  // namespace kinu::cli
