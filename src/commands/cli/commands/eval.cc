// eval: expressions of the command line for people, requests on standard input for programs.
#include "lang/eval.h"

#include <algorithm>
#include <iostream>

#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "config/offline_values.h"
#include "cty/conversion.h"
#include "eval/run.h"
#include "hcl/parse.h"
#include "json/writer.h"
#include "lang/console_text.h"
#include "plan_json/value.h"
#include "text/unicode.h"

namespace kinu::cli {
namespace {

/// Has no variable files.
constexpr const char* kNoDirectory = "/dev/null";

/// One directory whose files are given.
class GivenFiles final : public config::SourceFiles {
 public:
  std::map<std::string, std::string> texts;  ///< by name

  Result<std::vector<std::string>> List(const std::string&) const override {
    std::vector<std::string> names;
    for (const auto& [name, text] : texts) {
      names.push_back(name);
    }
    return names;
  }
  Result<std::string> Read(const std::string&, const std::string& name) const override {
    const auto at = texts.find(name);
    return at == texts.end() ? Result<std::string>(Fail(ErrorCode::kNotFound, name))
                             : Result<std::string>(at->second);
  }
  bool HasDirectory(const std::string&) const override { return true; }
  Result<std::string> Resolve(const std::string& path) const override { return path; }
  bool IsDirectoryEntry(const std::string&, const std::string&) const override { return false; }
};

/// Declares the variables that the command line gives values. A text that begins with a bracket is
/// an expression, any other one a string.
std::string DeclareVariables(const config::RawInputs& inputs) {
  std::string text;
  for (const auto& [name, raw] : inputs.values) {
    if (raw.source == config::InputSource::kEnvironment) {
      continue;
    }
    const std::string_view start = text::TrimSpace(raw.text);
    const bool expression = start.starts_with('[') || start.starts_with('{');
    if (text::IsIdentifier(name)) {
      text += "variable \"" + name + "\" {\n" + (expression ? "  type = any\n" : "") + "}\n";
    }
  }
  return text;
}

/// What expressions can refer to.
struct EvalScope {
  Loaded loaded;
  std::unique_ptr<config::OfflineValues> values;
  Diagnostics of_modules;  ///< why called modules are not loaded
};

/// Loads a directory with the modules that it calls. Where one of them cannot be loaded, that is a
/// problem of the expressions that refer to modules, and not of the others.
void LoadDirectory(CommandRun& run, const session::Workspace& workspace,
                   session::LoadRequest request, EvalScope& scope) {
  OpenWorkspace open(workspace);
  request.intent = LoadIntent::kInstallation;
  (void)open.LoadModules(request, scope.of_modules);
  scope.loaded = open.loaded;
  if (!scope.of_modules.has_errors()) {
    return;
  }
  Diagnostics of_root;
  request.intent = LoadIntent::kRootModule;
  if (!open.LoadModules(request, of_root)) {
    run.diags.Append(std::move(of_root));
  }
}

/// Loads the module of -file, or a module that only has the variables of the command line. Problems
/// are in the run's diagnostics.
void OpenScope(CommandRun& run, EvalScope& scope) {
  const std::string& path = run.flags.String("file");
  session::Workspace workspace = run.invocation.workspace;
  workspace.directory = IsDirectory(path) ? path : kNoDirectory;
  const config::RawInputs inputs =
      session::GatherInputs(workspace, VariableArguments(run.flags), run.diags);
  if (run.diags.has_errors()) {
    return;
  }
  session::LoadRequest request{.intent = LoadIntent::kRootModule,
                               .inputs = &inputs,
                               .program = run.program,
                               .encryption_off = true};
  GivenFiles files;
  if (!IsDirectory(path)) {
    request.files = &files;
    request.directory = path.empty() ? "." : DirName(path);
    if (path.empty()) {
      files.texts["variables.tf"] = DeclareVariables(inputs);
    } else if (auto text = ReadFile(path)) {
      files.texts[BaseName(path)] = *std::move(text);
    } else {
      run.diags.Error("Failed to read file", text.error().message + ".");
      return;
    }
    if (config::ChooseFiles(*files.List("")).primary.empty()) {
      run.diags.Error("Invalid file",
                      "The -file option takes a directory or a file whose name ends "
                      "in .tf, .tofu, .tf.json or .tofu.json, not " +
                          path + ".");
      return;
    }
  }
  if (request.files == nullptr) {
    LoadDirectory(run, workspace, request, scope);
  } else {
    OpenWorkspace open(workspace);
    (void)open.LoadModules(request, run.diags);
    scope.loaded = std::move(open.loaded);
  }
  if (!run.diags.has_errors()) {
    Diagnostics found;
    config::CollectGivenVariables(*run.program, *scope.loaded.config->root().module,
                                  scope.loaded.inputs, found);
    if (found.has_errors()) {
      run.diags.Append(std::move(found));
    }
  }
  scope.values = std::make_unique<config::OfflineValues>(*scope.loaded.config, scope.loaded.inputs,
                                                         workspace.Name(), scope.of_modules);
}

/// The value as JSON can show it: a notice in place of what is sensitive or ephemeral.
Value Masked(const Value& value) {
  if (!value.ContainsMarked()) {
    return value;
  }
  if (const MarkSet marks = value.marks(); marks.sensitive() || marks.ephemeral()) {
    return Value::String(marks.sensitive() ? "(sensitive value)" : "(ephemeral value)");
  }
  std::vector<Value> elements;
  for (const Value& element : value.elements()) {
    elements.push_back(Masked(element));
  }
  if (!value.type().is_object() && !value.type().is_map()) {
    return Value::Tuple(std::move(elements));
  }
  std::vector<std::pair<std::string, Value>> members;
  for (size_t i = 0; i < elements.size(); ++i) {
    members.emplace_back(value.key(i), std::move(elements[i]));
  }
  return Value::Object(std::move(members));
}

std::string JsonLineOf(const Value& value, Diagnostics& diags, const hcl::Expr& expr) {
  if (!value.IsWhollyKnown()) {
    diags.Error("Value not available", "JSON has no form for a value that is not known.",
                expr.range());
    return "";
  }
  return view::ValueText(Masked(value)) + "\n";
}

std::string RawTextOf(const Value& value, Diagnostics& diags, const hcl::Expr& expr) {
  const MarkSet marks = value.MarksDeep();
  const auto text = Convert(value.UnmarkDeep(), Type::String());
  if (marks.sensitive() || marks.ephemeral()) {
    diags.Error("Sensitive value",
                "The value is sensitive or ephemeral. With -show-sensitive it is printed.",
                expr.range());
  } else if (!text || text->IsNull() || !text->IsKnown()) {
    diags.Error("Unsupported value for raw output",
                "The -raw option prints strings, numbers and bools. Use -json for other values.",
                expr.range());
  } else {
    return std::string(text->AsString());
  }
  return "";
}

/// The text of an expression's value, in the form that the flags ask for.
std::string ResultText(const hcl::Expr& expr, const Flags& flags, config::OfflineValues& values,
                       Diagnostics& diags) {
  std::string text;
  values.Evaluate(
      expr,
      [&](const lang::Scope& inner) {
        const lang::ConsoleScope scope(inner);
        Value value = lang::Evaluate(expr, scope, diags);
        if (diags.has_errors()) {
          return value;
        }
        if (flags.Bool("show-sensitive")) {
          value = value.UnmarkDeep();
        }
        const std::string shown = scope.Print(value, diags);
        if (value.kind() == TypeKind::kCapsule) {
          value = Value::String(shown);  // of type(): its text
        }
        if (diags.has_errors()) {
          return value;
        }
        if (flags.Bool("json")) {
          text = JsonLineOf(value, diags, expr);
        } else {
          text = flags.Bool("raw") ? RawTextOf(value, diags, expr) : shown + "\n";
        }
        return value;
      },
      diags);
  return text;
}

/// Prints the values of the expressions of the command line, or nothing if one of them has none.
int EvaluateWords(CommandRun& run) {
  if (run.flags.Bool("json") && run.flags.Bool("raw")) {
    run.diags.Error("Invalid output format", "The -raw and -json options are mutually-exclusive.");
    return UsageError(run.invocation, run.diags);
  }
  EvalScope scope;
  OpenScope(run, scope);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  run.diags = Diagnostics();  // warnings about the configuration are for those who work with it
  hcl::SyntaxTree tree;
  std::string out;
  for (const std::string& word : run.flags.positionals()) {
    Diagnostics found;
    run.sources.push_back(SourceFile::Make("<expression>", word));
    const hcl::Expr* expr = hcl::ParseExpression(run.sources.back().get(), tree, found);
    if (!found.has_errors() && expr != nullptr) {
      out += ResultText(*expr, run.flags, *scope.values, found);
    }
    run.diags.Append(std::move(found));
  }
  if (run.diags.has_errors()) {
    if (scope.values->lacks_module()) {
      run.diags.Append(std::move(scope.of_modules));
    }
    return run.Fail();
  }
  Print(out);
  return run.audience->Show(run.diags) ? 1 : 0;
}

}  // namespace

static int RunEval(Invocation& invocation) {
  CommandRun run(invocation);
  invocation.args = OptionsFirst(invocation.command->flags, invocation.args);
  run.Parse("Failed to parse command-line flags", false);
  if (run.diags.has_errors()) {
    return UsageError(invocation, run.diags);
  }
  if (!run.flags.positionals().empty()) {
    return EvaluateWords(run);
  }
  if (!run.flags.Bool("json") || run.flags.IsSet("file") || !VariableArguments(run.flags).empty()) {
    run.diags.Error("Invalid arguments",
                    "The eval command needs an expression, or -json alone for requests on standard "
                    "input.");
    return UsageError(invocation, run.diags);
  }
  std::ios::sync_with_stdio(false);
  return eval::RunEvalJson(std::cin, std::cout);
}

constexpr auto kEvalFlags = JoinFlags(
    FlagSpec{.name = "file",
             .kind = FlagKind::kString,
             .form = "=PATH",
             .help = "A directory or file of configuration: expressions can use\n"
                     "its variables and local values; of a directory also the\n"
                     "outputs of modules that are installed or local."},
    FlagSpec{.name = "json",
             .help = "Values as JSON, one a line. Without expressions: answer\n"
                     "requests on standard input."},
    FlagSpec{.name = "raw", .help = "A string, number or bool as it is, without a line end."},
    kShowSensitive, kVariables, kColor, kNoColor);

extern constexpr CommandSpec kEvalCommand{
    .name = "eval",
    .synopsis = "Evaluate expressions",
    .group = CommandGroup::kLanguage,
    .usage =
        "tofu [global options] eval [options] EXPRESSION...\n"
        "tofu [global options] eval -json",
    .description = R"(Prints the values of expressions in the syntax of the language. They can call
functions and, with -file, refer to variables and local values of a
configuration and to outputs of its modules. Neither a state nor a provider
is read: "console" does that. Without -file, each -var declares a variable.

"eval -json" without an expression is a batch evaluator for editors, test
suites and other programs. It reads one JSON request per line from standard
input and writes one JSON response per line: expressions, templates, type
constraints, conversions, bodies. docs/eval.md has the interface.)",
    .flags = kEvalFlags,
    .help_column = 21,
    .run = RunEval,
};

}  // namespace kinu::cli
