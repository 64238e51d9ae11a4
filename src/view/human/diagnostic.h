// Diagnostics as text for people: plain, or in a box with colours. Warnings go to stdout and errors
// to stderr; the caller prints. Ref: opentofu internal/command/format/diagnostic.go, views/view.go.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "view/human/style.h"
#include "view/snippet.h"

namespace kinu::view {

/// One diagnostic. With colour in a box.
std::string RenderDiagnostic(const Diagnostic& diagnostic, SourceIndex& sources, const Style& style,
                             int width);

struct DiagnosticOptions {
  int width = kDefaultWidth;  ///< of stderr
  bool compact_warnings = false;
  bool consolidate_warnings = true;
  bool consolidate_errors = false;
  /// Which warnings about deprecated values are told: "all", "local" (of modules that are part of
  /// this configuration) or "none".
  std::string deprecation = "all";
};

struct RenderedDiagnostic {
  Severity severity = Severity::kError;
  std::string text;
};

/// A batch: sorted, similar ones merged, in the order of printing.
std::vector<RenderedDiagnostic> RenderDiagnostics(const Diagnostics& diags, const Style& style,
                                                  const DiagnosticOptions& options);

}  // namespace kinu::view
