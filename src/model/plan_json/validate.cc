// `validate -json`. Ref: opentofu internal/command/views/validate.go.
#include "plan_json/diagnostic.h"
#include "plan_json/documents.h"

namespace kinu::view {

void WriteValidate(JsonWriter& out, const Diagnostics& diags) {
  const auto errors = static_cast<int64_t>(diags.error_count());
  out.BeginObject();
  out.Member("format_version", kValidateFormatVersion);
  out.Member("valid", errors == 0);
  out.Member("error_count", errors);
  out.Member("warning_count", static_cast<int64_t>(diags.size()) - errors);
  out.Key("diagnostics");
  out.BeginArray();
  SourceIndex sources;
  for (const Diagnostic& diagnostic : diags) {
    WriteDiagnostic(out, diagnostic, sources);
  }
  out.EndArray();
  out.EndObject();
}

}  // namespace kinu::view
