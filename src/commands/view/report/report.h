// The HTML report of a plan or state: one page with its data, style and script, which loads
// nothing. Made of a document, so that every plan of every program has one. Sensitive values, and
// texts that contain one, are replaced before they are written into the page.
#pragma once

#include <string>

#include "base/result.h"
#include "config/config.h"
#include "json/tree.h"

namespace kinu::view {

/// What a report has beside the document, as JSON texts; empty: it is not at hand.
struct ReportParts {
  std::string_view locals = {};  ///< LocalReferences() of the configuration
  std::string_view why = {};     ///< the causes of the changes: docs/schemas/why.json
  std::string_view risks = {};   ///< the array `risks` of docs/schemas/risks.json
};

/// Renders the report. `title`: the name of what is shown, such as a file name. kInvalid: the
/// document is neither a plan nor a state.
Result<std::string> RenderReport(const json::Node& document, std::string_view title,
                                 const ReportParts& parts = {});

/// What local values refer to, which documents do not have: an object with a member
/// "module.a.local.name": {"references": […]} for each.
std::string LocalReferences(const config::Config& config);

/// The data of the page alone: an object with `kind`, `title`, `version`, `timestamp`, `errored`,
/// `changes`, `drift`, `outputs`, `checks`, `graph` and perhaps `why` and `risks`. See report.cc
/// for the members of each.
Result<std::string> ReportData(const json::Node& document, std::string_view title,
                               const ReportParts& parts = {});

}  // namespace kinu::view
