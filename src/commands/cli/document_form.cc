#include "cli/document_form.h"

#include <functional>

#include "base/files.h"
#include "cli/plan_risks.h"
#include "compare/canonical.h"
#include "tfjson/format.h"
#include "tfjson/masks.h"
#include "view/report/report.h"

namespace kinu::cli {
namespace {

/// Prints the summary of a document.
int SummarizeDocument(std::string text, const DocumentForm& form, Diagnostics& diags) {
  const auto document = json::Document::Parse(std::move(text));
  auto summary =
      document ? view::MakeSummary((*document)->root()) : std::unexpected(document.error());
  if (!summary) {
    diags.Error("Failed to read document", summary.error().message + ".");
    return 1;
  }
  if (form.risks != nullptr) {
    const auto report = RisksOfDocument((*document)->root(), *form.risks, diags);
    if (!report) {
      return 1;
    }
    summary->risks = RisksForSummary(*report);
  }
  Print(view::RenderSummary(*summary, *form.summary));
  return 0;
}

/// Prints the risks of the document of a plan.
int PrintRisksOf(std::string text, const DocumentForm& form, Diagnostics& diags) {
  const auto document = json::Document::Parse(std::move(text));
  if (!document) {
    diags.Error("Failed to read document", document.error().message + ".");
    return 1;
  }
  return PrintRisks(RisksOfDocument((*document)->root(), *form.risks, diags), form);
}

Result<void> WriteRedacted(std::string& out, const json::Node& document) {
  tfjson::AppendRedacted(out, document);
  return {};
}

}  // namespace

int WriteReport(std::string text, const DocumentForm& form, Diagnostics& diags,
                const view::ReportParts& parts) {
  const auto document = json::Document::Parse(std::move(text));
  view::ReportParts all = parts;
  std::string risks;
  if (document && form.risks && parts.risks.empty()) {
    const auto found = RisksOfDocument((*document)->root(), *form.risks, diags);
    if (!found) {
      return 1;
    }
    JsonWriter json(risks);
    risks::WriteRisks(json, *found);
    all.risks = risks;
  }
  const auto report = document ? view::RenderReport((*document)->root(), form.title, all)
                               : std::unexpected(document.error());
  if (!report) {
    diags.Error("Failed to read document", report.error().message + ".");
    return 1;
  }
  if (form.html->empty()) {
    Print(*report);
    return 0;
  }
  if (auto written = ReplaceFile(*form.html, *report); !written) {
    diags.Error("Failed to write report", written.error().message + ".");
    return 1;
  }
  return 0;
}

int PrintRisks(const std::optional<risks::Report>& report, const DocumentForm& form) {
  if (!report) {
    return 1;
  }
  std::string text;
  if (form.json) {
    risks::WriteJson(text, *report, [](JsonWriter&) {});
  } else {
    risks::WriteText(text, *report);
  }
  Print(text);
  return 0;
}

int PrintDocument(std::optional<std::string> text, const DocumentForm& form, Diagnostics& diags) {
  if (!text) {
    return 1;
  }
  if (form.html) {
    return WriteReport(*std::move(text), form, diags);
  }
  if (form.summary) {
    return SummarizeDocument(*std::move(text), form, diags);
  }
  if (form.risks != nullptr) {
    return PrintRisksOf(*std::move(text), form, diags);
  }
  using Writer = std::function<Result<void>(std::string&, const json::Node&)>;
  const auto filter = [&](std::string& out, const json::Node& root) {
    return tfjson::AppendFiltered(out, root, *form.actions);
  };
  const Writer writers[] = {form.actions ? filter : Writer(),
                            form.redact ? &WriteRedacted : Writer(),
                            form.old ? &tfjson::AppendFormat01 : Writer(),
                            form.canonical ? &compare::AppendCanonical : Writer(),
                            form.fingerprint ? &compare::AppendFingerprint : Writer()};
  for (const Writer& write : writers) {
    if (!write) {
      continue;
    }
    const auto document = json::Document::Parse(*std::move(text));
    text = std::string();
    const Result<void> written =
        document ? write(*text, (*document)->root()) : std::unexpected(document.error());
    if (!written) {
      diags.Error("Failed to convert document", written.error().message + ".");
      return 1;
    }
    *text += '\n';
  }
  Print(*text);
  return 0;
}

}  // namespace kinu::cli
