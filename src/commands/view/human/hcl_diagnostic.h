// Diagnostics in the layout of HCL's own tools, which differs from that of OpenTofu's commands.
// Ref: hcl v2 diagnostic_text.go.
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "plan_json/snippet.h"

namespace kinu::view {

/// Layout of RenderHclDiagnostic().
struct HclTextOptions {
  int width = 80;  ///< of the terminal in columns; 0: no wrapping
  bool color = false;
};

/// Renders one diagnostic with its source lines and a final empty line.
std::string RenderHclDiagnostic(const Diagnostic& diagnostic, SourceIndex& sources,
                                const HclTextOptions& options);

}  // namespace kinu::view
