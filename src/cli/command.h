// What a command is: a row of the command table, and the surroundings that its function gets.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "diag/diagnostic.h"
#include "session/version.h"
#include "session/workspace.h"
#include "view/human/diagnostic.h"
#include "view/human/style.h"

namespace kinu::cli {

/// Flags that every command accepts, taken out before its own are parsed.
struct ViewOptions {
  bool color = true;
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
  int stdout_width = view::kDefaultWidth;
  int stderr_width = view::kDefaultWidth;
  bool in_automation = false;
  bool input_disabled = false;  ///< TF_INPUT is false
  bool old_name = false;        ///< called by the name that the command had before

  view::Style style() const { return view::Style(view.color); }
  /// Prints human diagnostics: warnings to stdout, errors to stderr. True when there was an error.
  bool Show(Diagnostics& diags) const;
};

/// How a command answers wrong arguments. Ref: command-line contract, section 7.
enum class UsageStyle : uint8_t {
  kHint,  ///< the diagnostic and a pointer to -help, on stderr
  kHelp,  ///< the diagnostic on stderr, the whole help on stdout
};

struct CommandSpec {
  std::string_view name;  ///< "state list"
  std::string_view synopsis;
  int (*run)(Invocation& invocation) = nullptr;
  const std::string_view* help = nullptr;
  UsageStyle usage = UsageStyle::kHint;
  bool hidden = false;
  bool newline_after_diagnostics = false;
};

/// All commands, groups included (a group has no `run`). Primary ones first.
std::span<const CommandSpec> Commands();
const CommandSpec* FindCommand(std::string_view name);

/// Reports wrong arguments and returns the exit code.
int UsageError(const Invocation& invocation, Diagnostics& diags);

/// Writes to the standard streams, in whole pieces. Print() says whether all of it was written.
bool Print(std::string_view text);
void PrintError(std::string_view text);

using session::kCompatibleVersion;
/// The program's own version.
inline constexpr std::string_view kOwnVersion = "0.1.0";
/// "linux_amd64".
std::string Platform();

}  // namespace kinu::cli
