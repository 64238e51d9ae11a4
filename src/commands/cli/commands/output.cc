#include "view/human/output.h"

#include <algorithm>

#include "base/program_name.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cty/conversion.h"
#include "json/writer.h"
#include "lang/console_text.h"
#include "operation/documents.h"
#include "plan_json/documents.h"
#include "session/encryption.h"

namespace kinu::cli {
namespace {

/// The reason why -raw cannot show a value.
std::string RawProblem(const std::string& name, const Value& value) {
  if (!Convert(value.UnmarkDeep(), Type::String())) {
    return "The -raw option only supports strings, numbers, and boolean values, but output value "
           "\"" +
           name + "\" is " + value.type().FriendlyName() + ".\n\nUse -json instead.";
  }
  return "The value for output value \"" + name +
         (value.IsNull()
              ? "\" is null, so -raw mode cannot print it."
              : Hint("\" won't be known until after a successful tofu apply, so -raw mode "
                     "cannot print it."));
}

bool NamesOutput(const Flags& flags) {
  const auto& words = flags.positionals();
  return !words.empty() && !words[0].empty();
}

void CheckOutputWords(const Flags& flags, Diagnostics& diags) {
  if (flags.positionals().size() > 1) {
    WordsError(diags, "Unexpected argument",
               "The output command expects exactly one argument with the name of an output "
               "variable or no arguments to show all outputs.");
  }
}

void CheckOutputForm(const Flags& flags, Diagnostics& diags) {
  if (flags.Bool("json") && flags.Bool("raw")) {
    diags.Error("Invalid output format", "The -raw and -json options are mutually-exclusive.");
  } else if (flags.Bool("raw") && !NamesOutput(flags)) {
    diags.Error("Output name required",
                "You must give the name of a single output value when using the -raw option.");
  }
}

void ReportUnreadableOutputs(const Error& error, Diagnostics& diags) {
  if (error.code == ErrorCode::kUnreadable) {
    diags.Error("Failed to read state file", error.message);
    return;
  }
  for (state::StateProblem& problem : state::ReadProblemsOf(error)) {
    diags.Error(std::move(problem.summary), std::move(problem.detail));
  }
}

/// Reads the outputs in the state of the backend that the root module chooses. Returns nothing
/// after an error.
std::optional<state::State> ReadOutputs(const Invocation& invocation, const Loaded& root,
                                        const session::EncryptionRef& encryption,
                                        const backend::StateFlags& state_flags,
                                        const std::shared_ptr<Program>& program,
                                        Diagnostics& diags) {
  const auto chosen = session::ChooseBackend(invocation.workspace, root, encryption, state_flags,
                                             diags, session::BackendWarnings::kLeftOut);
  if (!chosen) {
    return std::nullopt;
  }
  diags = Diagnostics();  // warnings about the configuration are for those who work with it
  auto store = chosen->backend->Open(invocation.workspace.Name(), program);
  if (!store) {
    diags.Error("Failed to load state: " + store.error().message, "");
    return std::nullopt;
  }
  Result<state::State> state = (*store)->ViewOutputs(program);
  if (!state) {
    ReportUnreadableOutputs(state.error(), diags);
    return std::nullopt;
  }
  return *std::move(state);
}

void WarnOfNoOutputs(Diagnostics& diags) {
  diags.Warning(
      "No outputs found",
      "The state file either has no outputs defined, or all the defined outputs are empty. "
      "Declare outputs in the root module and apply, then they can be shown here.");
}

/// The output that the command line names. Nothing after an error.
const state::OutputValue* FindNamed(const std::vector<state::OutputValue>& outputs,
                                    const Flags& flags, Diagnostics& diags) {
  const std::string& name = flags.positionals()[0];
  const auto found = std::find_if(outputs.rbegin(), outputs.rend(),
                                  [&](const auto& output) { return output.name == name; });
  if (found == outputs.rend()) {
    diags.Error("Output \"" + name + "\" not found",
                "The output variable requested could not be found in the state file. An output "
                "appears there after the next apply.");
    return nullptr;
  }
  return &*found;
}

/// The outputs, or the named one, as JSON. Nothing after an error.
std::optional<std::string> JsonText(const std::vector<state::OutputValue>& outputs,
                                    const Flags& flags, Diagnostics& diags) {
  std::string text;
  if (!NamesOutput(flags)) {
    JsonWriter out(text, {.indent = "  "});
    view::WriteOutputs(out, outputs);
    return text += '\n';
  }
  const state::OutputValue* output = FindNamed(outputs, flags, diags);
  if (output == nullptr) {
    return std::nullopt;
  }
  JsonWriter out(text);
  view::WriteOutput(out, *output);
  return text += '\n';
}

void PrintRaw(const std::string& name, const Value& value, Diagnostics& diags) {
  auto plain = Convert(value.UnmarkDeep(), Type::String());
  if (!plain || plain->IsNull() || !plain->IsKnown()) {
    diags.Error("Unsupported value for raw output", RawProblem(name, value));
    return;
  }
  Print(plain->AsString());
}

/// Prints the outputs, or the named one, for people.
void PrintText(const std::vector<state::OutputValue>& outputs, const Flags& flags,
               Diagnostics& diags) {
  if (outputs.empty()) {
    WarnOfNoOutputs(diags);
  } else if (!NamesOutput(flags)) {
    Print(view::RenderOutputs(outputs, flags.Bool("show-sensitive")));
  } else if (const state::OutputValue* output = FindNamed(outputs, flags, diags)) {
    if (flags.Bool("raw")) {
      PrintRaw(output->name, output->value, diags);
    } else {
      Print(lang::ConsoleText(output->value.UnmarkDeep()) + "\n");
    }
  }
}

void ShowOutputs(const std::vector<state::OutputValue>& outputs, const Flags& flags,
                 const JsonCopy& copy, Diagnostics& diags) {
  if (!flags.Bool("json")) {
    PrintText(outputs, flags, diags);
  }
  if (flags.Bool("json") || copy.wanted()) {
    const auto text = JsonText(outputs, flags, diags);
    copy.Write(text.value_or(""));
    if (flags.Bool("json")) {
      Print(text.value_or(""));
    }
  }
}

}  // namespace

static int RunOutput(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  CheckOutputWords(flags, diags);
  const JsonCopy copy(flags, diags);
  CheckOutputForm(flags, diags);
  const auto arguments = VariableArguments(flags);
  if (diags.has_errors()) {
    // -raw wins over -json.
    return flags.Bool("raw") ? UsageError(invocation, diags) : UsageError(invocation, flags, diags);
  }
  const Loaded root =
      session::LoadForBackend(invocation.workspace, {.variables = arguments}, diags);
  const auto encryption = diags.has_errors()
                              ? std::nullopt
                              : session::SetUpEncryption(invocation.workspace, root, diags);
  if (!encryption) {
    invocation.Show(diags);  // once, whoever reads the copy
    return 1;
  }
  const auto program = std::make_shared<Program>();
  const auto state =
      ReadOutputs(invocation, root, *encryption, StateFlagsOf(flags), program, diags);
  if (state) {
    ShowOutputs(state->outputs, flags, copy, diags);
  }
  return copy.ShowProblems(invocation, diags) ? 1 : 0;
}

constexpr auto kOutputFlags =
    JoinFlags(kJson, kNoColor,
              FlagSpec{.name = "raw", .help = "One string, number or boolean as plain text."},
              kShowSensitive, kStateToRead, kJsonCopy, kVariables);

extern constexpr CommandSpec kOutputCommand{
    .name = "output",
    .synopsis = "Show output values from your root module",
    .group = CommandGroup::kStates,
    .usage = "tofu [global options] output [options] [NAME]",
    .description = R"(Shows the output values of the root module, or one of them.)",
    .flags = kOutputFlags,
    .run = RunOutput,
};

}  // namespace kinu::cli
