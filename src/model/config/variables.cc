#include "config/variables.h"

#include <algorithm>

#include "base/files.h"
#include "config/decode.h"
#include "cty/conversion.h"
#include "hcl/parse.h"
#include "lang/type_expr.h"
#include "text/quote.h"

namespace kinu::config {
namespace {

constexpr std::string_view kEnvironmentPrefix = "TF_VAR_";
constexpr std::string_view kNameLabel[] = {"name"};

bool IsAutoFile(std::string_view name) {
  return name.ends_with(".auto.tfvars") || name.ends_with(".auto.tfvars.json");
}

/// Whether a file is JSON: decided by its name, else by its first character.
bool IsJsonText(const std::string& path, std::string_view text) {
  if (path.ends_with(".json")) {
    return true;
  }
  if (path.ends_with(".tfvars")) {
    return false;
  }
  const size_t first = text.find_first_not_of(" \t\r\n\v\f");
  return first != std::string_view::npos && text[first] == '{';
}

void AddArgument(const std::string& text, RawInputs& inputs, Diagnostics& diags) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    diags.Error("Invalid -var option",
                "The given -var option " + text::GoQuote(text) +
                    " is not correctly specified. Must be a variable name and value separated by "
                    "an equals sign, like -var=\"key=value\".");
    return;
  }
  std::string name = text.substr(0, equals);
  if (name.ends_with(' ')) {
    diags.Error("Invalid -var option",
                "Variable name " + text::GoQuote(name) +
                    " is invalid due to trailing space. Write no spaces around the equals sign.");
    return;
  }
  inputs.values[std::move(name)] = {InputSource::kCommandLine, text.substr(equals + 1), nullptr};
}

/// Adds the values of a file with this text, or reports that it cannot be read.
void AddVariableText(const std::string& path, Result<std::string> text, InputSource source,
                     RawInputs& inputs, Diagnostics& diags) {
  if (!text) {
    diags.Error("Failed to read variables file",
                text.error().code == ErrorCode::kNotFound
                    ? "Given variables file " + path + " does not exist."
                    : "Error while reading " + path + ": " + text.error().message + ".");
    return;
  }
  const size_t errors = diags.error_count();
  const bool json = IsJsonText(path, *text);
  const SourceFile* file = inputs.tree->KeepSource(SourceFile::Make(path, *std::move(text)));
  const hcl::Body* body = nullptr;
  if (json) {
    body = hcl::ParseJson(file, *inputs.tree, diags);
  } else {
    body = hcl::ParseNative(file, *inputs.tree, diags);
  }
  if (body == nullptr) {
    return;
  }
  static constexpr hcl::BlockSchema kDeclarations[] = {{"variable", kNameLabel}};
  Diagnostics ignored;
  const hcl::BodyContent content =
      body->Content({.blocks = kDeclarations}, hcl::Strictness::kPartial, ignored);
  for (const hcl::Block& block : content.blocks) {
    diags.Error("Variable declaration in .tfvars file",
                "This file gives values to variables. The variable " + Quoted(block.labels[0]) +
                    " is declared in a .tf file; its value is set here by: " +
                    std::string(block.labels[0]) + " = <value>.",
                block.type_range);
  }
  if (diags.error_count() != errors) {
    return;
  }
  for (const hcl::Attribute& attribute : body->JustAttributes({}, diags)) {
    inputs.values[std::string(attribute.name)] = {source, {}, attribute.expr};
  }
}

}  // namespace

void AddVariableFiles(const std::string& dir, const SourceFiles& files, RawInputs& inputs,
                      Diagnostics& diags) {
  const Result<std::vector<std::string>> names = files.List(dir);
  if (!names) {
    return;
  }
  const auto add = [&](const std::string& name, bool required) {
    Result<std::string> text = files.Read(dir, name);
    if (text || required || text.error().code != ErrorCode::kNotFound) {
      AddVariableText(JoinPath(dir, name), std::move(text), InputSource::kAutoFile, inputs, diags);
    }
  };
  for (const char* name : {"terraform.tfvars", "terraform.tfvars.json"}) {
    // A link that leads nowhere counts as no file.
    if (std::ranges::find(*names, name) != names->end()) {
      add(name, false);
    }
  }
  for (const std::string& name : *names) {
    if (IsAutoFile(name)) {
      add(name, true);
    }
  }
}

void AddVariableFile(const std::string& path, InputSource source, RawInputs& inputs,
                     Diagnostics& diags) {
  AddVariableText(path, ReadFile(path), source, inputs, diags);
}

RawInputs GatherInputs(std::span<const VariableArgument> arguments, const std::string& dir,
                       std::span<const std::string> environment, const SourceFiles& files,
                       Diagnostics& diags) {
  RawInputs inputs;
  for (std::string_view entry : environment) {
    if (!entry.starts_with(kEnvironmentPrefix)) {
      continue;
    }
    entry.remove_prefix(kEnvironmentPrefix.size());
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos) {
      inputs.values[std::string(entry.substr(0, equals))] = {
          InputSource::kEnvironment, std::string(entry.substr(equals + 1)), nullptr};
    }
  }
  AddVariableFiles(dir, files, inputs, diags);
  for (const VariableArgument& argument : arguments) {
    if (argument.is_file) {
      AddVariableFile(argument.text, InputSource::kNamedFile, inputs, diags);
    } else {
      AddArgument(argument.text, inputs, diags);
    }
  }
  return inputs;
}

std::optional<InputValue> ReadInput(std::string_view name, const RawInput& raw,
                                    const Variable& variable, hcl::SyntaxTree& tree,
                                    Diagnostics& diags) {
  InputValue out;
  out.source = raw.source;
  const size_t errors = diags.error_count();
  if (raw.value) {
    out.value = raw.value;
    out.range = raw.range;
  } else if (raw.expr != nullptr) {
    out.range = raw.expr->range();
    out.value = EvaluateConstant(*raw.expr, diags);
  } else if (!variable.parse_as_expression) {
    out.value = Value::String(raw.text);
  } else {
    const SourceFile* file =
        tree.KeepSource(SourceFile::Make("<value for var." + std::string(name) + ">", raw.text));
    const hcl::Expr* expr = hcl::ParseExpression(file, tree, diags);
    if (expr != nullptr && diags.error_count() == errors) {
      out.value = EvaluateConstant(*expr, diags);
    }
  }
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  return out;
}

namespace {

/// Whether there is a value: an expression in a file may fail. Other values are texts as long as
/// nothing declares them.
bool HasValue(const RawInput& raw) {
  Diagnostics ignored;
  if (raw.expr != nullptr) {
    static_cast<void>(EvaluateConstant(*raw.expr, ignored));
  }
  return !ignored.has_errors();
}

/// Reports values of variables that the root module does not declare.
class UndeclaredReporter {
 public:
  explicit UndeclaredReporter(Diagnostics& diags) : diags_(diags) {}

  void Report(const std::string& name, const RawInput& raw) {
    constexpr int kMostWarnings = 2;
    switch (raw.source) {
      case InputSource::kEnvironment:
        return;
      case InputSource::kConfig:
      case InputSource::kAutoFile:
      case InputSource::kNamedFile:
        if (in_files_++ < kMostWarnings) {
          diags_.Warning("Value for undeclared variable",
                         "The root module does not declare a variable named " + Quoted(name) +
                             " but a value was found in file " + Quoted(FileName(raw)) +
                             ". Values that many configurations share can be "
                             "given in environment variables TF_VAR_name, which cause no "
                             "warnings.");
        }
        return;
      default:
        diags_.Error(
            "Value for undeclared variable",
            "A variable named " + Quoted(name) + " was assigned " +
                (raw.source == InputSource::kCommandLine ? "on the command line" : "a value") +
                ", but the root module does not declare a variable of that name. To use "
                "this value, add a \"variable\" block to the configuration.");
    }
  }
  void Finish() {
    constexpr int kMostWarnings = 2;
    if (in_files_ > kMostWarnings) {
      diags_.Warning("Values for undeclared variables",
                     "In addition to the other similar warnings shown, " +
                         std::to_string(in_files_ - kMostWarnings) +
                         " other variable(s) defined without being declared.");
    }
  }

 private:
  static std::string FileName(const RawInput& raw) {
    return raw.expr == nullptr ? "" : raw.expr->file()->root().name();
  }
  Diagnostics& diags_;
  int in_files_ = 0;
};

}  // namespace

namespace {

void ReportUndeclared(const Program& program, const Module& root, const RawInputs& inputs,
                      Diagnostics& diags) {
  UndeclaredReporter undeclared(diags);
  for (const auto& [name, raw] : inputs.values) {
    const Symbol symbol = program.Find(name);
    if ((symbol.empty() || root.FindVariable(symbol) < 0) && HasValue(raw)) {
      undeclared.Report(name, raw);
    }
  }
  undeclared.Finish();
}

/// The value given for one variable. Nothing if there is none or it does not parse.
std::optional<InputValue> GivenValue(std::string_view name, const Variable& variable,
                                     const RawInputs& inputs, Diagnostics& diags) {
  auto raw = inputs.values.find(std::string(name));
  if (raw == inputs.values.end()) {
    return std::nullopt;
  }
  return ReadInput(name, raw->second, variable, *inputs.tree, diags);
}

}  // namespace

std::map<std::string, InputValue> CollectGivenVariables(const Program& program, const Module& root,
                                                        const RawInputs& inputs,
                                                        Diagnostics& diags) {
  std::map<std::string, InputValue> out;
  ReportUndeclared(program, root, inputs, diags);
  for (const Variable& variable : root.variables) {
    const std::string name(program.Text(variable.name));
    if (std::optional<InputValue> value = GivenValue(name, variable, inputs, diags)) {
      out[name] = *std::move(value);
    }
  }
  return out;
}

std::map<std::string, InputValue> CollectVariables(const Program& program, const Module& root,
                                                   const RawInputs& inputs, Diagnostics& diags) {
  std::map<std::string, InputValue> out;
  for (const Variable& variable : root.variables) {
    const std::string name(program.Text(variable.name));
    if (std::optional<InputValue> value = GivenValue(name, variable, inputs, diags)) {
      out[name] = *std::move(value);
      continue;
    }
    InputValue absent;
    absent.range = variable.range;
    if (!variable.default_value) {
      diags
          .Error("No value for required variable",
                 "The root module input variable " + Quoted(name) +
                     " is not set, and has no default value. Use a -var or -var-file command line "
                     "argument to provide a value for this variable.",
                 variable.range)
          .kind = DiagnosticKind::kMissingVariable;
      absent.value = Value::DynamicUnknown();
    }
    out[name] = std::move(absent);
  }
  ReportUndeclared(program, root, inputs, diags);
  return out;
}

namespace {

/// Describes the source of a value without source text, for messages.
std::string Origin(InputSource source, std::string_view name) {
  switch (source) {
    case InputSource::kCommandLine:
      return "set using -var=\"" + std::string(name) + "=...\"";
    case InputSource::kEnvironment:
      return "set using the TF_VAR_" + std::string(name) + " environment variable";
    case InputSource::kPrompt:
      return "set using an interactive prompt";
    default:
      return "set from outside of the configuration";
  }
}

}  // namespace

namespace {

/// Describes a value that does not fit its variable. For a sensitive or ephemeral variable the
/// message names the place of the value, else that of the declaration.
std::string UnsuitableValue(const Variable& variable, const InputValue* given,
                            std::string_view address, std::string_view name,
                            const std::string& why) {
  const bool has_range = given != nullptr && given->range.valid();
  if (given != nullptr && !has_range) {
    return "Unsuitable value for " + std::string(address) + " " + Origin(given->source, name) +
           ": " + why + ".";
  }
  const std::string start = "The given value is not suitable for " + std::string(address);
  if (variable.ephemeral || variable.sensitive) {
    return start + ", which is " + (variable.ephemeral ? "ephemeral" : "sensitive") + ": " + why +
           ". Invalid value defined at " + ToText(has_range ? given->range : variable.range) + ".";
  }
  return start + " declared at " + ToText(variable.range) + ": " + why + ".";
}

}  // namespace

Value PrepareVariable(const Program& program, const Variable& variable, const InputValue* given,
                      std::string_view address, Diagnostics& diags) {
  const std::string_view name = program.Text(variable.name);
  const Type& constraint = variable.constraint.type;
  Value failed = Value::Unknown(constraint.WithoutOptionalAttributes());
  std::optional<Value> fallback;
  if (variable.default_value) {
    auto converted = Convert(*variable.default_value, constraint);
    if (!converted) {
      diags.Error("Invalid default value for module argument",
                  "The default value for variable " + Quoted(name) +
                      " is incompatible with its type constraint: " + converted.error().message +
                      ".",
                  variable.range);
      return failed;
    }
    fallback = *std::move(converted);
  }
  const bool has_value = given != nullptr && given->value.has_value();
  const bool has_range = given != nullptr && given->range.valid();
  if (has_value && !variable.ephemeral && given->value->HasMarkDeep(MarkSet::Ephemeral())) {
    diags.Error("Variable does not allow ephemeral value",
                "The value used for the variable " + Quoted(name) +
                    " is ephemeral, but it is not configured to allow one.",
                has_range ? given->range : variable.range);
    return failed;
  }
  if (!has_value && !fallback) {
    diags.Error("Required variable not set",
                "The variable " + Quoted(name) + " is required, but is not set.", variable.range);
    return failed;
  }
  Value value = has_value ? *given->value : *fallback;
  if (variable.constraint.defaults != nullptr && !value.IsNull()) {
    value = lang::ApplyDefaults(value, *variable.constraint.defaults);
  }
  const std::string origin =
      given != nullptr && !has_range ? " " + Origin(given->source, name) : "";
  auto converted = Convert(value, constraint);
  if (!converted) {
    diags
        .Error("Invalid value for input variable",
               UnsuitableValue(variable, given, address, name, converted.error().message),
               variable.range)
        .kind = DiagnosticKind::kUnsuitableInput;
    return failed;
  }
  if (!converted->IsNull() || variable.nullable) {
    return *std::move(converted);
  }
  if (fallback) {
    return *std::move(fallback);
  }
  const std::string not_set = "required variable may not be set to null.";
  diags.Error("Required variable not set",
              origin.empty()
                  ? "The given value is not suitable for " + std::string(address) + " defined at " +
                        ToText(variable.range) + ": " + not_set
                  : "Unsuitable value for " + std::string(address) + origin + ": " + not_set,
              has_range ? given->range : variable.range);
  return failed;
}

std::map<std::string, InputValue> CollectKnownVariables(const Program& program, const Module& root,
                                                        const RawInputs& inputs,
                                                        Diagnostics& diags) {
  Diagnostics found;
  std::map<std::string, InputValue> out = CollectVariables(program, root, inputs, found);
  for (Diagnostic& diagnostic : found.list()) {
    if (diagnostic.kind != DiagnosticKind::kMissingVariable) {
      diags.Add(std::move(diagnostic));
    }
  }
  for (const Variable& variable : root.variables) {
    const std::string name(program.Text(variable.name));
    if (!variable.default_value && !inputs.values.contains(name)) {
      InputValue unknown;
      unknown.value = Value::Unknown(variable.constraint.type.WithoutOptionalAttributes());
      out[name] = std::move(unknown);
    }
  }
  return out;
}

}  // namespace kinu::config
