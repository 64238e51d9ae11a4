#include "plan_json/diagnostic.h"

#include "diag/range_json.h"
#include "lang/compared_values.h"
#include "plan_json/documents.h"
#include "plan_json/value.h"

namespace kinu::view {
namespace {

void WriteSnippet(JsonWriter& out, const Snippet& snippet, const Diagnostic& diagnostic) {
  out.BeginObject();
  out.Key("context");
  if (snippet.context) {
    out.String(*snippet.context);
  } else {
    out.Null();
  }
  out.Member("code", snippet.code);
  out.Member("start_line", int64_t{snippet.start_line});
  out.Member("highlight_start_offset", static_cast<int64_t>(snippet.highlight_begin));
  out.Member("highlight_end_offset", static_cast<int64_t>(snippet.highlight_end));
  out.Key("values");
  out.BeginArray();
  for (const ExpressionValue& value : SortedValues(diagnostic)) {
    out.BeginObject();
    out.Member("traversal", value.traversal);
    out.Member("statement", value.statement);
    out.EndObject();
  }
  out.EndArray();
  if (diagnostic.function_call) {
    out.Key("function_call");
    out.BeginObject();
    out.Member("called_as", diagnostic.function_call->called_as);
    if (!diagnostic.function_call->signature.empty()) {
      out.Key("signature");
      out.Embed(diagnostic.function_call->signature);
    }
    out.EndObject();
  }
  out.EndObject();
}

}  // namespace

void WriteDiagnostic(JsonWriter& out, const Diagnostic& diagnostic, SourceIndex& sources) {
  out.BeginObject();
  out.Member("severity", diagnostic.is_error() ? "error" : "warning");
  out.Member("summary", diagnostic.summary);
  out.Member("detail", diagnostic.detail);
  WriteOptional(out, "address", std::string_view(diagnostic.address));
  if (const std::optional<Place> place = PlaceOf(diagnostic, sources)) {
    out.Key("range");
    out.BeginObject();
    WriteRangeMembers(out, place->file, place->start, place->end);
    out.EndObject();
    if (place->snippet) {
      out.Key("snippet");
      WriteSnippet(out, *place->snippet, diagnostic);
    }
  }
  if (const auto* sides = dynamic_cast<const lang::ComparedValues*>(diagnostic.extra.get())) {
    // Values have the escapes of value documents, whatever those of the surrounding text are.
    std::string text;
    JsonWriter change(text);
    change.BeginObject();
    WriteValueChange(change, sides->left, sides->right);
    change.Key("before_sensitive");
    WriteSensitiveMask(change, sides->left);
    change.Key("after_sensitive");
    WriteSensitiveMask(change, sides->right);
    change.EndObject();
    out.Key("difference");
    out.Embed(text);
  }
  out.EndObject();
}

}  // namespace kinu::view
