#include "config/call_target.h"

#include "addrs/version.h"
#include "config/decode.h"
#include "cty/conversion.h"
#include "text/unicode.h"

namespace kinu::config {
namespace {

/// False when the call has no version: its source may be of any kind, then.
bool ReadVersion(const Program& program, StaticEvaluator& values, const ConfigNode& node,
                 const ModuleCall& call, CallTarget& target, Diagnostics& diags) {
  if (call.version_expr == nullptr) {
    return false;
  }
  const std::string subject = "module." + std::string(program.Text(call.name)) + ".version";
  const size_t errors = diags.error_count();
  const Value value =
      values.Evaluate(node, *call.version_expr, {subject, call.version_range}, diags);
  if (diags.error_count() != errors) {
    return true;
  }
  const auto wrong = [&](std::string detail) {
    diags.Error("Invalid version constraint", std::move(detail), call.version_expr->range());
    return true;
  };
  const MarkSet marks = value.MarksDeep();
  if (marks.sensitive() || marks.ephemeral()) {
    return wrong((marks.sensitive() ? "Sensitive values, or values derived from sensitive values"
                                    : "Ephemeral values, or values derived from ephemeral values") +
                 std::string(", cannot be used as version arguments."));
  }
  if (value.IsNull()) {
    return false;
  }
  auto text = Convert(value, Type::String());
  if (!text) {
    return wrong("A string value is required for version.");
  }
  if (!text->IsKnown()) {
    return true;
  }
  target.version = text->AsString();
  if (!VersionConstraints::Parse(target.version)) {
    return wrong("This string does not use correct version constraint syntax.");
  }
  return true;
}

}  // namespace

CallTarget ReadCallTarget(const Program& program, StaticEvaluator& values, const ConfigNode& node,
                          const ModuleCall& call, Diagnostics& diags) {
  CallTarget target;
  const bool has_version = ReadVersion(program, values, node, call, target, diags);
  if (call.source_expr == nullptr) {
    return target;
  }
  const std::string subject = "module." + std::string(program.Text(call.name)) + ".source";
  std::string text;
  if (!values.EvaluateString(node, *call.source_expr, {subject, call.source_range}, text, diags)) {
    return target;
  }
  target.written = text;
  if (auto source = ReadModuleSource(text, has_version, call.source_range, diags)) {
    target.source = *std::move(source);
    target.valid = text::IsIdentifier(program.Text(call.name));  // which names a directory
  }
  return target;
}

}  // namespace kinu::config
