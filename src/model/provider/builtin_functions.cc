// The functions of the built-in provider. Ref: opentofu
// internal/builtin/providers/tf/provider_functions.go.
#include "diag/source.h"
#include "hcl/body.h"
#include "hcl/parse.h"
#include "hcl/writer/format.h"
#include "hcl/writer/tokens.h"
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

std::expected<Value, std::string> EncodeVariables(const Value& input) {
  if (input.IsNull()) {
    return std::unexpected("invalid input: must not be null");
  }
  if (!input.type().is_object()) {
    return std::unexpected("invalid input: must be an object");
  }
  std::string text;
  for (size_t i = 0; i < input.size(); ++i) {
    std::string name(input.key(i));
    if (!hcl::IsIdentifier(name)) {
      return std::unexpected("invalid input: object key: " + name +
                             " - must be a valid identifier");
    }
    Result<std::string> value = hcl::writer::ValueText(input.elements()[i]);
    if (!value) {
      return std::unexpected(value.error().message);
    }
    text += name + " = " + *value + "\n";
  }
  return Value::String(hcl::writer::Format(text));
}

std::expected<Value, std::string> EncodeExpression(const Value& value) {
  if (!value.IsWhollyKnown()) {
    return std::unexpected("input is not wholly known");
  }
  Result<std::string> text = hcl::writer::ValueText(value);
  if (!text) {
    return std::unexpected(text.error().message);
  }
  return Value::String(*text);
}

}  // namespace

std::expected<Value, std::string> CallBuiltInFunction(std::string_view name,
                                                      std::span<const Value> arguments,
                                                      int* argument) {
  *argument = -1;
  if (name == "decode_tfvars") {
    return DecodeVariables(arguments[0].AsString());
  }
  if (name == "encode_tfvars") {
    return EncodeVariables(arguments[0]);
  }
  if (name == "encode_expr") {
    return EncodeExpression(arguments[0]);
  }
  return std::unexpected("provider function \"" + std::string(name) + "\" not found");
}

}  // namespace kinu::provider
