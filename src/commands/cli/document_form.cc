#include "cli/document_form.h"

#include <functional>

#include "base/files.h"
#include "compare/canonical.h"
#include "tfjson/format.h"
#include "tfjson/masks.h"
#include "view/report/report.h"

namespace kinu::cli {
namespace {

/// Prints the summary of a document.
int SummarizeDocument(std::string text, const view::SummaryOptions& options, Diagnostics& diags) {
  const auto document = json::Document::Parse(std::move(text));
  const auto summary =
      document ? view::MakeSummary((*document)->root()) : std::unexpected(document.error());
  if (!summary) {
    diags.Error("Failed to read document", summary.error().message + ".");
    return 1;
  }
  Print(view::RenderSummary(*summary, options));
  return 0;
}

Result<void> WriteRedacted(std::string& out, const json::Node& document) {
  tfjson::AppendRedacted(out, document);
  return {};
}

}  // namespace

int WriteReport(std::string text, const DocumentForm& form, Diagnostics& diags,
                const view::ReportParts& parts) {
  const auto document = json::Document::Parse(std::move(text));
  const auto report = document ? view::RenderReport((*document)->root(), form.title, parts)
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

int PrintDocument(std::optional<std::string> text, const DocumentForm& form, Diagnostics& diags) {
  if (!text) {
    return 1;
  }
  if (form.html) {
    return WriteReport(*std::move(text), form, diags);
  }
  if (form.summary) {
    return SummarizeDocument(*std::move(text), *form.summary, diags);
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
