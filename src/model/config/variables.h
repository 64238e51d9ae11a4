// Input variables of the root module: the sources of their values, how text is parsed, and how a
// value becomes that of its variable. Ref: opentofu internal/command/meta_vars.go,
// internal/backend/unparsed_value.go, internal/tofu/eval_variable.go.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/source_files.h"

namespace kinu::config {

/// The source of a variable's value.
enum class InputSource : uint8_t {
  kConfig,       ///< no value: the default, if the variable has one
  kEnvironment,  ///< TF_VAR_name
  kAutoFile,     ///< terraform.tfvars, *.auto.tfvars and their JSON forms
  kNamedFile,    ///< -var-file
  kCommandLine,  ///< -var
  kPrompt,       ///< entered at a prompt
  kCaller,       ///< a module call, a test, a program that uses the library
  kPlan,         ///< a saved plan
};

/// A value before parsing: the variable decides how its text is parsed.
struct RawInput {
  InputSource source = InputSource::kConfig;
  std::string text;                 ///< used if `expr` is null
  const hcl::Expr* expr = nullptr;  ///< from a variable file
  std::optional<Value> value = {};  ///< evaluated already, with its range
  SourceRange range = {};
};

/// All values by name. Must outlive every range and diagnostic of its sources.
struct RawInputs {
  std::map<std::string, RawInput> values;
  std::shared_ptr<hcl::SyntaxTree> tree = std::make_shared<hcl::SyntaxTree>();
};

/// `-var name=value` or `-var-file path`, in the order of the command line.
struct VariableArgument {
  bool is_file = false;
  std::string text;
};

/// A parsed value of a variable.
struct InputValue {
  std::optional<Value> value;  ///< nothing: the variable's default applies
  InputSource source = InputSource::kConfig;
  SourceRange range;  ///< without a file if the value has no source text
};

/// Collects values from the environment ("NAME=value" texts), the variable files of `dir` and the
/// command line; later ones replace earlier ones. `files` has the files of `dir`.
RawInputs GatherInputs(std::span<const VariableArgument> arguments, const std::string& dir,
                       std::span<const std::string> environment, const SourceFiles& files,
                       Diagnostics& diags);
/// Adds the values of one variable file.
void AddVariableFile(const std::string& path, InputSource source, RawInputs& inputs,
                     Diagnostics& diags);

/// Adds the values of the variable files of a directory that need not be named.
void AddVariableFiles(const std::string& dir, const SourceFiles& files, RawInputs& inputs,
                      Diagnostics& diags);

/// Parses one value as its variable's type requires. Returns nothing after an error.
std::optional<InputValue> ReadInput(std::string_view name, const RawInput& raw,
                                    const Variable& variable, hcl::SyntaxTree& tree,
                                    Diagnostics& diags);
/// Returns a value for each variable of the root module. Reports values that do not parse, values
/// of undeclared variables, and required variables without a value.
std::map<std::string, InputValue> CollectVariables(const Program& program, const Module& root,
                                                   const RawInputs& inputs, Diagnostics& diags);
/// As CollectVariables(), but required variables without a value are unknown and no error.
std::map<std::string, InputValue> CollectKnownVariables(const Program& program, const Module& root,
                                                        const RawInputs& inputs,
                                                        Diagnostics& diags);
/// Returns only the values that are given: a saved plan supplies the others. Reports values that do
/// not parse and values of undeclared variables.
std::map<std::string, InputValue> CollectGivenVariables(const Program& program, const Module& root,
                                                        const RawInputs& inputs,
                                                        Diagnostics& diags);
/// The final value of a variable: the given value or the default, converted to the type, with the
/// defaults of optional attributes, checked against `nullable`. Without marks; validation rules are
/// not checked. `address` ("module.m.var.a") is for messages. Unknown after an error.
Value PrepareVariable(const Program& program, const Variable& variable, const InputValue* given,
                      std::string_view address, Diagnostics& diags);

}  // namespace kinu::config
