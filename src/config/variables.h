// Values of the root module's input variables: where they are given, how they are read, and what a
// variable makes of them. Ref: opentofu internal/command/meta_vars.go,
// internal/backend/unparsed_value.go, internal/tofu/eval_variable.go.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"

namespace kinu::config {

/// Where the value of a variable comes from.
enum class InputSource : uint8_t {
  kConfig,       ///< nothing is given: the default, if there is one
  kEnvironment,  ///< TF_VAR_name
  kAutoFile,     ///< terraform.tfvars and its kin
  kNamedFile,    ///< -var-file
  kCommandLine,  ///< -var
  kPrompt,       ///< typed when asked
  kCaller,       ///< a module call, a test, a library user
  kPlan,         ///< a saved plan
};

/// A value as it was given; how its text is read depends on the variable.
struct RawInput {
  InputSource source = InputSource::kConfig;
  std::string text;                 ///< when `expr` is null
  const hcl::Expr* expr = nullptr;  ///< from a file
};

/// All values given, by name. Keep it as long as any range or diagnostic of it is in use.
struct RawInputs {
  std::map<std::string, RawInput> values;
  std::shared_ptr<hcl::SyntaxTree> tree = std::make_shared<hcl::SyntaxTree>();
};

/// `-var name=value` or `-var-file path`, in the order of the command line.
struct VariableArgument {
  bool is_file = false;
  std::string text;
};

/// A value for a variable.
struct InputValue {
  std::optional<Value> value;  ///< nothing: the variable's default
  InputSource source = InputSource::kConfig;
  SourceRange range;  ///< no file: the value stands in no source
};

/// Collects values from the environment ("NAME=value" texts), the variable files of `dir` and the
/// command line; later ones win.
RawInputs GatherInputs(std::span<const VariableArgument> arguments, const std::string& dir,
                       std::span<const std::string> environment, Diagnostics& diags);
/// Adds the values of one file.
void AddVariableFile(const std::string& path, InputSource source, RawInputs& inputs,
                     Diagnostics& diags);

/// Reads one given value as its variable demands.
std::optional<InputValue> ReadInput(std::string_view name, const RawInput& raw,
                                    const Variable& variable, hcl::SyntaxTree& tree,
                                    Diagnostics& diags);
/// A value for each variable of the root module. Reports values that do not parse, values for
/// undeclared variables and required variables without a value.
std::map<std::string, InputValue> CollectVariables(const Program& program, const Module& root,
                                                   const RawInputs& inputs, Diagnostics& diags);
/// Only the values that are given: what is missing is known from elsewhere, as with a saved plan.
/// Reports values that do not parse and values for undeclared variables.
std::map<std::string, InputValue> CollectGivenVariables(const Program& program, const Module& root,
                                                        const RawInputs& inputs,
                                                        Diagnostics& diags);
/// The value that a variable has: the given one or the default, converted, with the defaults of
/// optional attributes, checked against `nullable`. Neither marked nor validated. `address` is the
/// variable's ("module.m.var.a"). With an error: unknown.
Value PrepareVariable(const Program& program, const Variable& variable, const InputValue* given,
                      std::string_view address, Diagnostics& diags);

}  // namespace kinu::config
