// CommandSpec: a row of the command table. Invocation: the input of a command's function.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "compatibility/level.h"
#include "diag/diagnostic.h"
#include "session/workspace.h"
#include "terminal/streams.h"
#include "terminal/style.h"
#include "trace/trace.h"
#include "view/human/diagnostic.h"

namespace kinu::cli {

/// Flags that every command accepts, removed before its own flags are parsed.
struct ViewOptions {
  bool color = true;
  bool links = false;  ///< diagnostics link to their files
  bool compact_warnings = false;
  bool consolidate_warnings = true;
  bool consolidate_errors = false;
  bool concise = false;
  std::string deprecation;  ///< -deprecation=module:LEVEL
};

struct CommandSpec;

/// One run of a command.
struct Invocation {
  const CommandSpec* command = nullptr;
  std::vector<std::string> args;  ///< without view options
  ViewOptions view;
  session::Workspace workspace;
  int stdout_width = terminal::kDefaultWidth;
  int stderr_width = terminal::kDefaultWidth;
  bool in_automation = false;
  bool input_disabled = false;  ///< TF_INPUT is false
  bool old_name = false;        ///< called by the name that the command had before
  std::string timings_file;     ///< of -timings; empty: no times are recorded
  /// Gives memory that this thread has freed back to the system, as far as the program can.
  void (*give_back_memory)() = [] {};
  /// The span around the whole run; none: nothing is recorded.
  std::optional<trace::Span> whole_run;

  /// Why the span of the command ends with an error; empty: it ends without.
  std::string span_failure;

  /// Begins the span around the whole run.
  void BeginSpan() { whole_run.emplace("kinu", "tofu"); }

  terminal::Style style() const { return terminal::Style(view.color); }
  /// Prints human diagnostics: warnings to stdout, errors to stderr. Returns true after an error.
  bool Show(Diagnostics& diags) const;
};

/// What a command is about: the heading above it where all commands are listed.
enum class CommandGroup : uint8_t { kMain, kDocuments, kLanguage, kStates, kSetup, kProgram };

/// How a command answers wrong arguments.
enum class MisuseAnswer : uint8_t {
  kHint,  ///< the diagnostic and a pointer to -help, on stderr
  kHelp,  ///< the diagnostic on stderr, the whole help on stdout
};

/// A row of the command table, defined in the file of its command. Help (cli/command_help.h),
/// manual pages and completions (manual/) are made of it. docs/adding/command.md says how to add
/// one.
struct CommandSpec {
  std::string_view name;                     ///< "state list"
  std::string_view synopsis;                 ///< one line for lists of commands
  CommandGroup group = CommandGroup::kMain;  ///< of a command that is one word
  std::string_view usage;                    ///< lines behind "Usage: ", of the program `tofu`
  std::string_view description = {};         ///< paragraphs, wrapped
  std::span<const FlagSpec> flags = {};
  bool lists_subcommands = false;                ///< in its help
  std::string_view notes = {};                   ///< text below the flags, printed as it is
  size_t help_column = 25;                       ///< where the texts of flags begin
  bool spaced_help = false;                      ///< with empty lines between flags
  int (*run)(Invocation& invocation) = nullptr;  ///< null: a group, which only leads to others
  MisuseAnswer on_misuse = MisuseAnswer::kHint;
  bool newline_after_diagnostics = false;
  bool newline_since_13 = false;  ///< the same, from level 1.13 on
  bool hidden = false;            ///< not listed
  std::string_view alias = {};    ///< another whole name
};

/// All commands, groups included. Primary ones first.
std::span<const CommandSpec* const> Commands();
const CommandSpec* FindCommand(std::string_view name);

/// Brings the problems of a command line into the order of 1.13: those with flags, which hide those
/// with words, or else those with words, and then what the flags ask for. Returns whether flags are
/// wrong; false at level 1.12, which keeps the order.
bool ArrangeProblems(Diagnostics& diags);
/// Reports wrong arguments as text and returns the exit code.
int UsageError(const Invocation& invocation, Diagnostics& diags);
/// Summaries of errors about words that are not flags.
inline constexpr std::string_view kUnexpectedWord = "Unexpected argument";
inline constexpr std::string_view kWrongWords = "Invalid arguments list";
/// The summary of errors about too many words of commands that have one of their own at level 1.12.
std::string_view TooManyWordsSummary();
/// Whether there are so many words. From level 1.13 on empty ones are none.
bool WordsFit(const std::vector<std::string>& words, size_t wanted);
/// The summary of the error that they do not fit; `older` is that of level 1.12.
std::string_view WrongWordsSummary(std::string_view older, const std::vector<std::string>& words,
                                   size_t wanted);
/// Whether flags are wrong, so that the words behind them say nothing.
bool HasWrongFlags(const Diagnostics& diags);

/// Where the flags of a command may stand.
enum class FlagOrder : uint8_t {
  kFirst,    ///< before all other arguments
  kAnywhere  ///< also behind them
};
/// Reads the arguments by the command's own table of flags. Nothing after an error, which is
/// reported.
std::optional<Flags> ParseFlags(const Invocation& invocation, FlagOrder order, Diagnostics& diags);

using terminal::Print;
using terminal::PrintError;

}  // namespace kinu::cli
