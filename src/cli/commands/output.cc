#include "view/human/output.h"

#include "cli/document.h"
#include "cli/flag_groups.h"
#include "cli/operation.h"
#include "codec/json_writer.h"
#include "cty/convert.h"
#include "lang/console.h"
#include "view/json/documents.h"

namespace kinu::cli {
namespace {

/// Why a value cannot be shown by -raw.
std::string RawProblem(const std::string& name, const Value& value) {
  if (!Convert(value.UnmarkDeep(), Type::String())) {
    return "The -raw option only supports strings, numbers, and boolean values, but output value "
           "\"" +
           name + "\" is " + value.type().FriendlyName() + ".\n\nUse -json instead.";
  }
  return "The value for output value \"" + name +
         (value.IsNull() ? "\" is null, so -raw mode cannot print it."
                         : "\" won't be known until after a successful tofu apply, so -raw mode "
                           "cannot print it.");
}

}  // namespace

static int RunOutput(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  const auto& words = flags.positionals();
  if (words.size() > 1) {
    diags.Error("Unexpected argument",
                "The output command expects exactly one argument with the name of an output "
                "variable or no arguments to show all outputs.");
  }
  const JsonCopy copy(flags, diags);
  if (flags.Bool("json") && flags.Bool("raw")) {
    diags.Error("Invalid output format", "The -raw and -json options are mutually-exclusive.");
  } else if (flags.Bool("raw") && (words.empty() || words[0].empty())) {
    diags.Error("Output name required",
                "You must give the name of a single output value when using the -raw option.");
  }
  auto arguments = VariableArguments(flags);
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  auto program = std::make_shared<Program>();
  const auto chosen =
      session::ChooseBackend(invocation.workspace, arguments, StateFlagsOf(flags), diags);
  if (!chosen) {
    invocation.Show(diags);
    return 1;
  }
  diags = Diagnostics();  // warnings about the configuration are for those who work with it
  auto store = chosen->backend->Open(invocation.workspace.Name(), program);
  Result<state::State> state =
      store ? (*store)->ViewOutputs(program) : std::unexpected(store.error());
  if (!state) {
    if (state.error().code == ErrorCode::kUnsupported) {
      for (state::StateProblem& problem : state::ProblemsOf(state.error())) {
        diags.Error(std::move(problem.summary), std::move(problem.detail));
      }
    } else if (state.error().message.starts_with("read ")) {
      diags.Error("Failed to read state file", state.error().message);
    } else {
      diags.Error(state.error().message, "");
    }
    invocation.Show(diags);
    return 1;
  }
  std::string text;
  if (words.empty() || words[0].empty()) {
    if (flags.Bool("json") || copy.wanted()) {
      JsonWriter out(text, {.indent = "  "});
      view::WriteOutputs(out, state->outputs);
      text += '\n';
      copy.Write(text);
    }
    if (flags.Bool("json")) {
      Print(text);
      return 0;
    }
    if (state->outputs.empty()) {
      diags.Warning(
          "No outputs found",
          "The state file either has no outputs defined, or all the defined outputs are empty. "
          "Declare outputs in the root module and apply, then they can be shown here.");
      invocation.Show(diags);
      return 0;
    }
    Print(view::RenderOutputs(state->outputs, flags.Bool("show-sensitive")));
    return 0;
  }
  if (state->outputs.empty() && !flags.Bool("json")) {
    diags.Warning(
        "No outputs found",
        "The state file either has no outputs defined, or all the defined outputs are empty. "
        "Declare outputs in the root module and apply, then they can be shown here.");
    invocation.Show(diags);
    return 0;
  }
  const state::OutputValue* found = nullptr;
  for (const state::OutputValue& output : state->outputs) {
    if (output.name == words[0]) {
      found = &output;
    }
  }
  if (found == nullptr) {
    diags.Error("Output \"" + words[0] + "\" not found",
                "The output variable requested could not be found in the state file. An output "
                "appears there after the next apply.");
    invocation.Show(diags);
    return 1;
  }
  if (flags.Bool("json") || copy.wanted()) {
    JsonWriter out(text);
    view::WriteOutput(out, *found);
    text += '\n';
    copy.Write(text);
  }
  if (flags.Bool("json")) {
    Print(text);
  } else if (flags.Bool("raw")) {
    auto plain = Convert(found->value.UnmarkDeep(), Type::String());
    if (!plain || plain->IsNull() || !plain->IsKnown()) {
      diags.Error("Unsupported value for raw output", RawProblem(words[0], found->value));
      invocation.Show(diags);
      return 1;
    }
    Print(plain->AsString());
  } else {
    Print(lang::ConsoleText(found->value.UnmarkDeep()) + "\n");
  }
  return 0;
}

constexpr auto kOutputFlags =
    JoinFlags(std::to_array<FlagSpec>({
                  {.name = "json", .help = "As JSON."},
                  {.name = "no-color", .kind = FlagKind::kView, .help = "No escape sequences."},
                  {.name = "raw", .help = "One string, number or boolean as plain text."},
                  {.name = "show-sensitive", .help = "Show sensitive values."},
                  {.name = "state",
                   .kind = FlagKind::kString,
                   .form = "=path",
                   .help = "State file to read."},
                  {.name = "json-into",
                   .kind = FlagKind::kString,
                   .form = "=out.json",
                   .help = "Write that stream to a file as well."},
              }),
              kVariables);

extern constexpr CommandSpec kOutputCommand{
    .name = "output",
    .synopsis = "Show output values from your root module",
    .usage = "tofu [global options] output [options] [NAME]",
    .description = R"(Shows the output values of the root module, or one of them.)",
    .flags = kOutputFlags,
    .run = RunOutput,
};

}  // namespace kinu::cli
