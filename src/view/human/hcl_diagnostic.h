// Diagnostics as plain HCL tools print them: another layout than that of the infrastructure
// commands. Ref: hcl v2 diagnostic_text.go.
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "view/snippet.h"

namespace kinu::view {

struct HclTextOptions {
  int width = 80;  ///< of the terminal; 0: details are not wrapped
  bool color = false;
};

/// One diagnostic with the source lines that it is about, and an empty line at its end.
std::string RenderHclDiagnostic(const Diagnostic& diagnostic, SourceIndex& sources,
                                const HclTextOptions& options);

}  // namespace kinu::view
