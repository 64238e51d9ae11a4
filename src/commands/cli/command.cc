#include "cli/command.h"

#include <algorithm>

#include "base/program_name.h"
#include "cli/command_help.h"
#include "compatibility/features.h"

namespace kinu::cli {
bool Invocation::Show(Diagnostics& diags) const {
  bool errors = diags.has_errors();
  diags.Sort();
  view::DiagnosticOptions options;
  options.width = stderr_width;
  options.compact_warnings = view.compact_warnings;
  options.deprecation = view.deprecation;
  options.consolidate_warnings = view.consolidate_warnings;
  options.consolidate_errors = view.consolidate_errors;
  bool newline = command != nullptr && command->newline_after_diagnostics;
  const bool compact = view.compact_warnings && !errors;  // a list of all, which ends by itself
  for (const view::RenderedDiagnostic& rendered :
       view::RenderDiagnostics(diags, terminal::Style(view.color, view.links), options)) {
    std::string text = rendered.text;
    if (newline && !compact) {
      text += '\n';
    }
    if (rendered.severity == Severity::kError) {
      PrintError(text);
    } else {
      Print(text);
    }
  }
  return errors;
}

namespace {

/// The answer to a command line that does not fit. From 1.13 on it depends on what does not fit:
/// flags and the number of words, or what they say. Ref: command/command.go RunCli.
MisuseAnswer AnswerTo(const Diagnostics& diags, const CommandSpec& command) {
  if (!compatibility::Has(compatibility::Feature::kArgumentErrors)) {
    return command.on_misuse;
  }
  const bool unreadable = std::ranges::any_of(diags, [](const Diagnostic& diag) {
    return dynamic_cast<const WordsProblem*>(diag.extra.get()) != nullptr;
  });
  return unreadable ? MisuseAnswer::kHelp : MisuseAnswer::kHint;
}

}  // namespace

std::string_view TooManyWordsSummary() {
  return compatibility::Has(compatibility::Feature::kArgumentErrors)
             ? kUnexpectedWord
             : "Too many command line arguments";
}

std::string_view WrongWordsSummary(std::string_view older, size_t given, size_t wanted) {
  if (!compatibility::Has(compatibility::Feature::kArgumentErrors)) {
    return older;
  }
  return given > wanted ? kUnexpectedWord : kWrongWords;
}

int UsageError(const Invocation& invocation, Diagnostics& diags) {
  const MisuseAnswer answer = AnswerTo(diags, *invocation.command);
  invocation.Show(diags);
  if (answer == MisuseAnswer::kHelp) {
    Print(HelpText(*invocation.command));
  } else {
    PrintError("\nFor more help on using this command, run:\n  " + std::string(ProgramName()) +
               " " + std::string(invocation.command->name) + " -help\n");
  }
  return 1;
}

std::optional<Flags> ParseFlags(const Invocation& invocation, FlagOrder order, Diagnostics& diags) {
  const std::span<const FlagSpec> table = invocation.command->flags;
  Result<Flags> flags =
      Flags::Parse(table, order == FlagOrder::kAnywhere ? OptionsFirst(table, invocation.args)
                                                        : invocation.args);
  if (!flags) {
    WordsError(diags, FlagsSummary("Failed to parse command-line flags"), flags.error().message);
    return std::nullopt;
  }
  return *std::move(flags);
}

}  // namespace kinu::cli
