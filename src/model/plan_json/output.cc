// `output -json`. Ref: opentofu internal/command/views/output.go.
#include "plan_json/documents.h"
#include "plan_json/value.h"

namespace kinu::view {

void WriteOutputs(JsonWriter& out, std::span<const state::OutputValue> outputs) {
  out.BeginObject();
  for (const state::OutputValue& output : outputs) {
    const Value value = output.value.UnmarkDeep();
    out.Key(output.name);
    out.BeginObject();
    out.Member("sensitive", output.sensitive);
    WriteOptional(out, "deprecated", std::string_view(output.deprecated));
    out.Key("type");
    WriteType(out, value.type());
    out.Key("value");
    out.Embed(ValueText(value));
    out.EndObject();
  }
  out.EndObject();
}

void WriteOutput(JsonWriter& out, const state::OutputValue& output) {
  WriteValue(out, output.value.UnmarkDeep());
}

}  // namespace kinu::view
