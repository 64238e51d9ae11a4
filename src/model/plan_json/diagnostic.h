// Writes a diagnostic as a JSON object. Ref: opentofu internal/command/jsonentities/diagnostic.go.
#pragma once

#include "diag/diagnostic.h"
#include "json/writer.h"
#include "plan_json/snippet.h"

namespace kinu::view {

void WriteDiagnostic(JsonWriter& out, const Diagnostic& diagnostic, SourceIndex& sources);

}  // namespace kinu::view
