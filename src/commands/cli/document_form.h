// The forms in which `show` gives documents: as they are, redacted, old, canonical, a fingerprint,
// a summary or a report.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/audience.h"
#include "cli/command.h"
#include "risks/report.h"
#include "risks/rules.h"
#include "tfjson/action_filter.h"
#include "view/report/report.h"
#include "view/summary/summary.h"

namespace kinu::cli {

/// How something is shown.
struct DocumentForm {
  bool json = false;
  bool redact = false;  ///< JSON without sensitive values
  bool old = false;     ///< JSON in format 0.1
  bool canonical = false;
  bool fingerprint = false;
  bool positions = false;  ///< JSON with source positions
  std::optional<view::SummaryOptions> summary;
  bool why = false;  ///< the causes of the changes of a plan file, alone or in a report
  std::shared_ptr<const risks::Rules> risks;    ///< of a plan, alone, in a summary or a report
  std::optional<tfjson::ActionFilter> actions;  ///< of a plan: the changes to show
  bool show_sensitive = false;
  std::string title;                ///< of a report: what is shown
  std::optional<std::string> html;  ///< file of the report; empty: standard output
  std::string pager;
  const JsonCopy* copy = nullptr;
};

/// Writes the report of a document to its file or to standard output. Returns the exit code.
int WriteReport(std::string text, const DocumentForm& form, Diagnostics& diags,
                const view::ReportParts& parts = {});

/// Prints the risks of a plan, as text or JSON. Nothing: they could not be found. Returns the exit
/// code.
int PrintRisks(const std::optional<risks::Report>& report, const DocumentForm& form);

/// Prints a document in its form. Nothing: it could not be made, as `diags` says. Returns the exit
/// code.
int PrintDocument(std::optional<std::string> text, const DocumentForm& form, Diagnostics& diags);

}  // namespace kinu::cli
