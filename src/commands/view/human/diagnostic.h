// Diagnostics in human form: plain, or in a box with colours. Ref: opentofu
// internal/command/format/diagnostic.go, views/view.go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "plan_json/snippet.h"
#include "terminal/style.h"

namespace kinu::view {

/// Renders one diagnostic. With colours it is in a box.
std::string RenderDiagnostic(const Diagnostic& diagnostic, SourceIndex& sources,
                             const terminal::Style& style, int width);
/// Renders a diagnostic whose place is known already. `boxed`: in a box, with or without colours.
std::string RenderDiagnosticAt(const Diagnostic& diagnostic, const std::optional<Place>& place,
                               const terminal::Style& style, int width, bool boxed);

/// Which diagnostics are shown and how.
struct DiagnosticOptions {
  int width = terminal::kDefaultWidth;  ///< of stderr in columns; 0: no wrapping
  bool compact_warnings = false;
  bool consolidate_warnings = true;
  bool consolidate_errors = false;
  /// Which deprecation warnings are shown: "all", "local" (only those of modules in this
  /// configuration) or "none".
  std::string deprecation = "all";
};

/// A diagnostic as text. The severity decides where it is printed.
struct RenderedDiagnostic {
  Severity severity = Severity::kError;
  std::string text;
};

/// Renders diagnostics: sorts them and merges similar ones. Returns them in the order of printing;
/// warnings are for stdout, errors for stderr.
std::vector<RenderedDiagnostic> RenderDiagnostics(const Diagnostics& diags,
                                                  const terminal::Style& style,
                                                  const DiagnosticOptions& options);

}  // namespace kinu::view
