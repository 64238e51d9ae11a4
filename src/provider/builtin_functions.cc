// The functions of the built-in provider. Ref: opentofu
// internal/builtin/providers/tf/provider_functions.go.
#include "diag/source.h"
#include "hcl/body.h"
#include "hcl/parse.h"
#include "lang/eval.h"
#include "lang/scope.h"
#include "provider/builtin.h"

namespace kinu::provider {
namespace {

std::unexpected<std::string> FirstProblem(std::string_view what, const Diagnostics& diags) {
  std::string text(what);
  for (const Diagnostic& diagnostic : diags) {
    if (diagnostic.is_error()) {
      text += "\n" + diagnostic.summary + "; " + diagnostic.detail;
    }
  }
  return std::unexpected(std::move(text));
}

std::expected<Value, std::string> DecodeVariables(std::string_view content) {
  constexpr std::string_view kFailed = "failed to decode tfvars content";
  Ref<const SourceFile> source = SourceFile::Make("", std::string(content));
  hcl::SyntaxTree tree;
  Diagnostics diags;
  const hcl::Body* body = hcl::ParseNative(source.get(), tree, diags);
  if (diags.has_errors()) {
    return FirstProblem(kFailed, diags);
  }
  std::vector<hcl::Attribute> attributes = body->JustAttributes({}, diags);
  functions::CallContext context;
  lang::VariableScope nothing(nullptr, nullptr, context);
  std::vector<std::pair<std::string, Value>> values;
  for (const hcl::Attribute& attribute : attributes) {
    values.emplace_back(attribute.name, lang::Evaluate(*attribute.expr, nothing, diags));
  }
  if (diags.has_errors()) {
    return FirstProblem(kFailed, diags);
  }
  return Value::Object(std::move(values));
}

}  // namespace

std::expected<Value, std::string> CallBuiltInFunction(std::string_view name,
                                                      std::span<const Value> arguments,
                                                      int* argument) {
  *argument = -1;
  if (name == "decode_tfvars") {
    return DecodeVariables(arguments[0].AsString());
  }
  if (BuiltInSchema().FindFunction(name) == nullptr) {
    return std::unexpected("provider function \"" + std::string(name) + "\" not found");
  }
  return std::unexpected("the function " + std::string(name) +
                         " of the built-in provider is not built yet");
}

}  // namespace kinu::provider
