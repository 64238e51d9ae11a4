// The flag -risks of `plan` and `show`: what a reviewer of a plan has to look at.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "config/config.h"
#include "json/tree.h"
#include "plan/plan.h"
#include "plan/plan_file.h"
#include "plan_json/schema_lookup.h"
#include "risks/report.h"
#include "risks/rules.h"
#include "session/workspace.h"
#include "view/summary/summary.h"

namespace kinu::cli {

inline constexpr FlagSpec kRisksFlag{.name = "risks",
                                     .kind = FlagKind::kString,
                                     .form = "[=FILE]",
                                     .help =
                                         "What a reviewer has to look at: data and names that are\n"
                                         "destroyed, protection that is turned off, secrets that\n"
                                         "become visible. FILE has rules; without it the files\n"
                                         "*.kinurisks.hcl and *.kinurisks.json are read.",
                                     .alone = ""};

/// The rules of a run with -risks. Null if it is not given. Problems are in the diagnostics.
std::shared_ptr<const risks::Rules> ReadRiskRules(const Flags& flags, Diagnostics& diags);

/// What is known of a plan beside its document.
risks::Facts FactsOf(const plan::Plan& plan, const config::Config& config,
                     const view::SchemaLookup& schemas);

/// The risks of a plan, as a report shows them. Nothing after an error, which is reported.
std::optional<risks::Report> RisksOfPlan(const plan::Plan& plan, const config::Config& config,
                                         const view::SchemaLookup& schemas,
                                         const risks::Rules& rules, Diagnostics& diags);
/// The same of a plan file, and of the document of a plan.
std::optional<risks::Report> RisksOfPlanFile(const session::Workspace& workspace,
                                             const plan::PlanFile& file, const risks::Rules& rules,
                                             Diagnostics& diags);
std::optional<risks::Report> RisksOfDocument(const json::Node& document, const risks::Rules& rules,
                                             Diagnostics& diags);

/// The risks that count, for summaries.
view::SummaryRisks RisksForSummary(const risks::Report& report);

}  // namespace kinu::cli
