#include "cli/command.h"

#include <algorithm>
#include <ranges>

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
  const bool newline =
      command != nullptr &&
      (command->newline_after_diagnostics ||
       (command->newline_since_13 && compatibility::Has(compatibility::Feature::kArgumentErrors)));
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

template <typename Problem>
bool IsA(const Diagnostic& diag) {
  return dynamic_cast<const Problem*>(diag.extra.get()) != nullptr;
}

/// The answer to a command line that does not fit. From 1.13 on it depends on what does not fit:
/// flags and the number of words, or what they say. Ref: command/command.go RunCli.
MisuseAnswer AnswerTo(const Diagnostics& diags, const CommandSpec& command) {
  if (!compatibility::Has(compatibility::Feature::kArgumentErrors)) {
    return command.on_misuse;
  }
  return std::ranges::any_of(diags, &IsA<WordsProblem>) ? MisuseAnswer::kHelp : MisuseAnswer::kHint;
}

}  // namespace

std::string_view TooManyWordsSummary() {
  return compatibility::Has(compatibility::Feature::kArgumentErrors)
             ? kUnexpectedWord
             : "Too many command line arguments";
}

/// Whether one of the first `wanted` words is not there or empty.
static bool LacksWords(const std::vector<std::string>& words, size_t wanted) {
  return words.size() < wanted ||
         std::ranges::any_of(words | std::views::take(wanted), &std::string::empty);
}

bool WordsFit(const std::vector<std::string>& words, size_t wanted) {
  const bool may_be_empty = !compatibility::Has(compatibility::Feature::kArgumentErrors);
  return words.size() == wanted && (may_be_empty || !LacksWords(words, wanted));
}

std::string_view WrongWordsSummary(std::string_view older, const std::vector<std::string>& words,
                                   size_t wanted) {
  if (!compatibility::Has(compatibility::Feature::kArgumentErrors)) {
    return older;
  }
  return LacksWords(words, wanted) ? kWrongWords : kUnexpectedWord;
}

bool HasWrongFlags(const Diagnostics& diags) {
  return std::ranges::any_of(diags, &IsA<FlagsProblem>);
}

bool ArrangeProblems(Diagnostics& diags) {
  if (!compatibility::Has(compatibility::Feature::kArgumentErrors)) {
    return false;
  }
  const bool wrong_flags = HasWrongFlags(diags);
  if (wrong_flags) {
    Diagnostics kept;
    for (Diagnostic& diag : diags.list()) {
      if (IsA<FlagsProblem>(diag) || !IsA<WordsProblem>(diag)) {
        kept.Add(std::move(diag));
      }
    }
    diags = std::move(kept);
  }
  std::ranges::stable_partition(diags.list(), &IsA<WordsProblem>);
  return wrong_flags;
}

int UsageError(const Invocation& invocation, Diagnostics& diags) {
  ArrangeProblems(diags);
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
  const size_t errors = diags.error_count();
  Flags flags = Flags::Read(
      table, order == FlagOrder::kAnywhere ? OptionsFirst(table, invocation.args) : invocation.args,
      diags);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  return flags;
}

}  // namespace kinu::cli
