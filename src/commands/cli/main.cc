// Starts the program: global options, TF_CLI_ARGS, and the command that the words name.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include <sys/prctl.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "base/keep.h"
#include "base/program_name.h"
#include "base/thread.h"
#include "cli/autocomplete.h"
#include "cli/build_info.h"
#include "cli/color_choice.h"
#include "cli/command_help.h"
#include "cli/commands/hcldec.h"
#include "cli/heap.h"
#include "cli/timings.h"
#include "compatibility/features.h"
#include "json/mapped_file.h"
#include "log/log.h"
#include "plugin/handshake.h"
#include "plugin/log_relay.h"
#include "telemetry/telemetry.h"
#include "terminal/shell_completion.h"
#include "terminal/status_line.h"
#include "terminal/streams.h"
#include "text/parse_bool.h"
#include "text/quote.h"
#include "text/suggest.h"

#ifdef KINU_PROFILE_RECORD
extern "C" void __gcov_dump();
#endif

namespace kinu::cli {
namespace {

/// Takes a word if it is such an option.
bool TakeViewOption(const std::string& arg, ViewOptions& view) {
  if (arg == "-no-color") {
    view.color = false;
  } else if (arg == "-compact-warnings") {
    view.compact_warnings = true;
  } else if (arg == "-concise") {
    view.concise = true;
  } else if (arg == "-consolidate-warnings" || arg == "-consolidate-warnings=true") {
    view.consolidate_warnings = true;
  } else if (arg == "-consolidate-warnings=false") {
    view.consolidate_warnings = false;
  } else if (arg == "-consolidate-errors" || arg == "-consolidate-errors=true") {
    view.consolidate_errors = true;
  } else if (arg == "-consolidate-errors=false") {
    view.consolidate_errors = false;
  } else if (constexpr std::string_view kLevel = "-deprecation=module:"; arg.starts_with(kLevel)) {
    view.deprecation = arg.substr(kLevel.size());
  } else {
    return false;
  }
  return true;
}

/// Takes a view option with a value. From 1.13 on they are flags like others.
bool TakeViewFlag(std::string_view flag, ViewOptions& view) {
  const size_t equals = flag.find('=');
  const std::optional<bool> value =
      equals == flag.npos ? std::nullopt : text::ParseBool(flag.substr(equals + 1));
  if (!value) {
    return false;
  }
  const std::string_view name = flag.substr(0, equals);
  if (name == "-no-color") {
    view.color = view.color && !*value;
  } else if (name == "-compact-warnings") {
    view.compact_warnings = *value;
  } else if (name == "-concise") {
    view.concise = *value;
  } else if (name == "-consolidate-warnings") {
    view.consolidate_warnings = *value;
  } else if (name == "-consolidate-errors") {
    view.consolidate_errors = *value;
  } else {
    return false;
  }
  return true;
}

/// Removes the view flags from words as 1.13 does, and stores them.
void TakeViewFlags(std::vector<std::string>& args, ViewOptions& view) {
  constexpr std::string_view kDeprecation = "-deprecation";
  for (size_t i = 0; i < args.size() && args[i] != "--";) {
    std::string flag = args[i].starts_with("--") ? args[i].substr(1) : args[i];
    size_t words = 1;
    if (flag == kDeprecation && i + 1 < args.size()) {
      flag += '=' + args[i + 1];
      words = 2;
    }
    if (TakeViewOption(flag, view) || TakeViewFlag(flag, view)) {
      args.erase(args.begin() + static_cast<ptrdiff_t>(i),
                 args.begin() + static_cast<ptrdiff_t>(i + words));
    } else {
      ++i;
    }
  }
}

/// Removes the view flags from a command's words, wherever they are, and stores them.
void TakeViewOptions(const CommandSpec& command, std::vector<std::string>& args,
                     ViewOptions& view) {
  if (!compatibility::Has(compatibility::Feature::kArgumentErrors)) {
    std::erase_if(args, [&](const std::string& arg) { return TakeViewOption(arg, view); });
    return;
  }
  const std::vector<std::string> all = args;
  const ViewOptions before = view;
  TakeViewFlags(args, view);
  const size_t mistake = Flags::FirstMistake(command.flags, args);
  if (mistake == args.size()) {
    return;
  }
  // Those behind a wrong flag do not count.
  size_t rest = 0;
  size_t end = 0;
  for (; end < all.size() && rest <= mistake; ++end) {
    rest += all[end] == args[rest] ? 1 : 0;
  }
  std::vector<std::string> counted(all.begin(), all.begin() + static_cast<ptrdiff_t>(end));
  view = before;
  TakeViewFlags(counted, view);
}

int UnknownCommand(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandSpec* command : Commands()) {
    if (command->name.find(' ') == std::string_view::npos) {
      names.push_back(command->name);
    }
  }
  const bool own = ProgramName() == kOwnProgramName;
  const std::string product(own ? kOwnProgramName : "OpenTofu");
  std::string text = product + " has no command named \"" + name + "\".";
  std::string_view near = text::SuggestName(name, names);
  if (!near.empty()) {
    text += " Did you mean \"" + std::string(near) + "\"?";
  }
  PrintError(text + "\n\nTo see all of " + product +
             Hint("'s top-level commands, run:\n  tofu -help\n\n"));
  return 1;
}

/// -install-autocomplete and -uninstall-autocomplete; nothing when neither is given.
std::optional<int> HandleCompletionFlags(const std::vector<std::string>& args) {
  auto given = [&](const char* flag) {
    return std::find(args.begin(), args.end(), flag) != args.end();
  };
  bool install = given("-install-autocomplete");
  if (!install && !given("-uninstall-autocomplete")) {
    return std::nullopt;
  }
  char program[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", program, sizeof program - 1) < 0) {
    PrintError("Error: cannot find this program\n");
    return 1;
  }
  const std::string home = install::HomeDirectory();
  auto done = install ? terminal::InstallCompletion(home, program, BaseName(program))
                      : terminal::UninstallCompletion(home, program, BaseName(program));
  if (!done) {
    PrintError(done.error().message + "\n");
    return 1;
  }
  return 0;
}

/// Reports the providers that crashed, with their last output.
void ReportCrashedProviders() {
  for (const plugin::PluginPanic& panic : plugin::PluginPanics()) {
    PrintError("\nStack trace from the " + panic.name + " plugin:\n\n" + panic.trace +
               "\n\nError: The " + panic.name +
               " plugin crashed!\n\nA crash is always a mistake in the plugin itself. Its "
               "maintainers will need the output above.\n");
  }
}

/// A word "NAME=VALUE" without its value.
std::string WithoutValue(const std::string& word) {
  const size_t equals = word.find('=');
  return equals == std::string::npos ? word : word.substr(0, equals) + "=...";
}

/// The words of a command line without values of variables and of backend settings, since they may
/// be secret.
std::vector<std::string> WithoutValues(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  bool is_setting = false;  // the word after -var or -backend-config
  for (const std::string& word : words) {
    const std::string_view flag = std::string_view(word).substr(word.starts_with("--") ? 1 : 0);
    std::string shown = is_setting ? WithoutValue(word) : word;
    for (std::string_view name : {"-var=", "-backend-config="}) {
      if (flag.starts_with(name)) {
        const size_t value = word.find('=') + 1;
        shown = word.substr(0, value) + WithoutValue(word.substr(value));
      }
    }
    is_setting = flag == "-var" || flag == "-backend-config";
    out.push_back(std::move(shown));
  }
  return out;
}

/// The words of a command line for the log.
std::string QuotedForLog(const std::vector<std::string>& words) {
  std::string out = "[";
  for (const std::string& word : WithoutValues(words)) {
    out += (out.size() > 1 ? " " : "") + text::GoQuote(word);
  }
  return out + "]";
}

void LogStart(const std::vector<std::string>& args) {
  log::Start();
  if (log::Enabled(log::Level::kInfo)) {
    log::Write(log::Level::kInfo, "OpenTofu version: " + std::string(compatibility::FullRelease()));
    log::Write(log::Level::kDebug, "kinu version: " + std::string(kOwnVersion));
    log::Write(log::Level::kInfo, "CLI args: " + QuotedForLog(args));
  }
}

void PrintCompletions(std::string_view line) {
  for (const std::string& completion : Completions(line)) {
    Print(completion + "\n");
  }
}

/// Reads the CLI configuration, before -chdir. Its problems are printed and stop nothing.
void ReadCliConfig(session::Workspace& workspace) {
  Diagnostics diags;
  workspace.cli_config = install::LoadCliConfig(diags);
  if (diags.empty()) {
    return;
  }
  PrintError("There are some problems with the CLI configuration:\n");
  // All of it goes to the error stream, so that a document on the other stays one.
  for (const view::RenderedDiagnostic& problem :
       view::RenderDiagnostics(diags, terminal::Style(false), {})) {
    PrintError(problem.text);
  }
  if (diags.has_errors()) {
    PrintError("As a result of the above problems, OpenTofu may not behave as intended.\n\n\n");
  }
}

/// Reads TF_REATTACH_PROVIDERS. False, with a message, if that is invalid.
bool ReadAttachments(session::Workspace& workspace) {
  auto attachments = plugin::ParseAttachments(Environment("TF_REATTACH_PROVIDERS"));
  if (!attachments) {
    PrintError(attachments.error().message + "\n");
    return false;
  }
  workspace.attachments = *std::move(attachments);
  return true;
}

/// Obeys -chdir, which counts only before the command, and removes it from the arguments. The last
/// one counts, and the others stay. Ref: opentofu internal/command/workdir/chdir.go.
bool ChangeDirectory(std::vector<std::string>& args) {
  constexpr std::string_view kOption = "-chdir";
  constexpr std::string_view kWithValue = "-chdir=";
  auto option = args.end();
  for (auto arg = args.begin(); arg != args.end() && arg->starts_with('-'); ++arg) {
    if (*arg == kOption || *arg == kWithValue) {
      PrintError(
          "Invalid -chdir option: must include an equals sign followed by a directory path, like "
          "-chdir=example\n");
      return false;
    }
    if (arg->starts_with(kWithValue)) {
      option = arg;
    }
  }
  if (option == args.end()) {
    return true;
  }
  const std::string dir = option->substr(kWithValue.size());
  if (::chdir(dir.c_str()) != 0) {
    PrintError("Error handling -chdir option: chdir " + dir + ": " + SystemMessage(errno) + "\n");
    return false;
  }
  args.erase(option);
  return true;
}

bool IsVersionFlag(const std::string& arg) {
  return arg == "-version" || arg == "--version" || arg == "-v";
}

bool IsHelpFlag(const std::string& arg) {
  return arg == "-help" || arg == "--help" || arg == "-h";
}

/// A command line in its parts.
struct CommandLine {
  bool help = false;
  std::vector<std::string> before;  ///< options in front of the command
  std::string name;                 ///< empty: there is no command
  bool old_name = false;            ///< the name is one that the command had before
  std::vector<std::string> rest;
};

CommandLine SplitCommandLine(std::vector<std::string> args) {
  CommandLine line;
  if (std::any_of(args.begin(), args.end(), IsVersionFlag)) {
    std::erase_if(args, IsVersionFlag);
    args.insert(args.begin(), "version");  // also before a command "version", which it then ignores
  }
  line.help = std::erase_if(args, IsHelpFlag) > 0;
  const auto word =
      std::find_if(args.begin(), args.end(), [](const auto& arg) { return !arg.starts_with('-'); });
  if (word == args.end()) {
    return line;
  }
  line.before.assign(args.begin(), word);
  line.old_name = *word == "env";
  line.name = line.old_name ? "workspace" : *word;
  line.rest.assign(word + 1, args.end());
  return line;
}

int RefusePush(Invocation& invocation, const std::vector<std::string>& args) {
  Diagnostics diags;
  diags.Error(Hint("Command \"tofu push\" is no longer supported"),
              "It sent configurations to a service that does not exist any more.");
  invocation.view.color = std::find(args.begin(), args.end(), "-no-color") == args.end();
  invocation.Show(diags);
  return 1;
}

/// The command that a command line names; its second word, if there is one, is removed from `rest`.
const CommandSpec* FindNamedCommand(CommandLine& line) {
  const CommandSpec* command = FindCommand(line.name);
  // "tofu env show" never existed.
  if (command == nullptr || line.rest.empty() || (line.old_name && line.rest[0] == "show")) {
    return command;
  }
  if (const CommandSpec* inner = FindCommand(line.name + " " + line.rest[0])) {
    command = inner;
    line.rest.erase(line.rest.begin());
  }
  return command;
}

/// Prints help for command lines that run nothing: -help, options before the command, a group.
std::optional<int> AnswerWithHelp(const CommandLine& line, const CommandSpec& command) {
  if (!line.help && line.before.empty() && command.run != nullptr) {
    return std::nullopt;
  }
  if (!line.help && !line.before.empty()) {
    Print(
        "Invalid flags before the subcommand. If these flags are for\n"
        "the subcommand, please put them after the subcommand.\n\n");
  }
  Print(HelpText(command));
  return line.help ? 0 : 1;
}

/// How 1.13 answers a group of commands without a command of it: flags are wrong in any case, and
/// words are not looked at.
int AnswerOfGroup(Invocation& invocation, const CommandLine& line, const CommandSpec& group) {
  invocation.command = &group;
  Diagnostics diags;
  const auto flag =
      std::ranges::find_if(line.rest, [](const auto& word) { return word.starts_with('-'); });
  if (flag != line.rest.end()) {
    WordsError(diags, FlagsSummary(""), "flag provided but not defined: " + *flag);
    return UsageError(invocation, diags);
  }
  Print(HelpText(group));
  return 127;
}

/// The command that the words name, of one word or two; empty: none.
std::string CommandNameOf(const std::vector<std::string>& args) {
  const auto word =
      std::ranges::find_if(args, [](const std::string& arg) { return !arg.starts_with('-'); });
  if (word == args.end()) {
    return {};
  }
  const bool has_next = word + 1 != args.end();
  std::string inner = (*word == "env" ? "workspace" : *word) + " " + (has_next ? word[1] : "");
  return has_next && FindCommand(inner) != nullptr ? *word + " " + word[1] : *word;
}

/// Puts the words of an environment variable behind the first word that is `last`, else in front.
bool AddArgumentsOf(const std::string& variable, const std::string& last,
                    std::vector<std::string>& args) {
  const std::string_view text = Environment(variable.c_str());
  if (text.empty()) {
    return true;
  }
  const auto words = SplitShellWords(text);
  if (!words) {
    PrintError("Error parsing extra CLI args from " + variable + ": invalid command line string\n");
    return false;
  }
  const auto at = std::ranges::find(args, last);
  args.insert(at == args.end() ? args.begin() : at + 1, words->begin(), words->end());
  return true;
}

/// Adds what TF_CLI_ARGS and the variable of the command say. These words count as if they were
/// written: they may name a command, or ask for help. False, with a message, if one has no words.
bool AddExtraArguments(std::vector<std::string>& args) {
  const std::string name = CommandNameOf(args);
  const std::string last = name.substr(name.rfind(' ') + 1);
  std::string suffix = name;
  std::ranges::replace_if(suffix, [](char c) { return c == ' ' || c == '-'; }, '_');
  return AddArgumentsOf("TF_CLI_ARGS", last, args) &&
         AddArgumentsOf("TF_CLI_ARGS_" + suffix, last, args);
}

void ReadSurroundings(Invocation& invocation) {
  invocation.workspace.data_directory = session::DataDirectory();
  invocation.workspace.chosen = Environment("TF_WORKSPACE");
  invocation.view.links = terminal::CanDrawLinks();
  invocation.stdout_width = terminal::WidthOf(STDOUT_FILENO);
  invocation.stderr_width = terminal::WidthOf(STDERR_FILENO);
  invocation.in_automation = !Environment("TF_IN_AUTOMATION").empty();
  const std::string_view input = Environment("TF_INPUT");
  invocation.input_disabled = !input.empty() && !text::ParseBool(input).value_or(true);
}

/// The span of a command inside of that of the whole run, where OpenTofu has one without
/// attributes.
std::string_view SpanNameOf(std::string_view command) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"force-unlock", "Unlock"}, {"get", "Get"},     {"import", "Import"},
      {"init", "Init"},           {"login", "Login"}, {"logout", "Logout"},
  };
  for (const auto& [name, span] : kNames) {
    if (name == command) {
      return span;
    }
  }
  return {};
}

int RunLogged(Invocation& invocation) {
  if (log::Enabled(log::Level::kInfo)) {
    log::Write(log::Level::kInfo, "Command \"" + std::string(invocation.command->name) +
                                      "\" with arguments " + QuotedForLog(invocation.args));
  }
  std::optional<trace::Span> span;
  if (trace::On()) {
    if (const std::string_view name = SpanNameOf(invocation.command->name); !name.empty()) {
      span.emplace("kinu/cli", name);
    }
  }
  const int code = invocation.command->run(invocation);
  if (span && !invocation.span_failure.empty()) {
    span->Fail(invocation.span_failure);
  }
  if (log::Enabled(log::Level::kDebug)) {
    log::Write(log::Level::kDebug, "Exit code " + std::to_string(code));
  }
  if (code != 0) {
    ReportCrashedProviders();
  }
  return code;
}

int RunCommand(Invocation& invocation, const CommandLine& line, const CommandSpec& command) {
  invocation.args = line.rest;
  TakeViewOptions(command, invocation.args, invocation.view);
  invocation.command = &command;
  invocation.old_name = line.old_name;
  invocation.give_back_memory = GiveBackMemory;
  ReadSurroundings(invocation);
  Diagnostics diags;
  ChooseColor(command, invocation.args, invocation.view, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  return RunLogged(invocation);
}

int Dispatch(Invocation& invocation, const std::vector<std::string>& args) {
  CommandLine line = SplitCommandLine(args);
  if (line.name.empty()) {
    Print(TopHelpText());
    return line.help ? 0 : 127;
  }
  if (line.name == "push") {
    return RefusePush(invocation, args);
  }
  const CommandSpec* command = FindNamedCommand(line);
  if (command == nullptr) {
    return UnknownCommand(line.name);
  }
  if (command->run == nullptr && !line.help && line.before.empty() &&
      compatibility::Has(compatibility::Feature::kArgumentErrors)) {
    return AnswerOfGroup(invocation, line, *command);
  }
  if (const auto code = AnswerWithHelp(line, *command)) {
    return *code;
  }
  return RunCommand(invocation, line, *command);
}

/// Turns traces on if the environment asks for them. False, with a message, if what it asks for is
/// impossible. Ref: cmd/tofu/main.go.
bool StartTraces(Invocation& invocation, const std::vector<std::string>& args) {
  if (!telemetry::Wanted()) {
    return true;
  }
  telemetry::Identity identity{std::string(compatibility::FullRelease()), std::string(kOwnVersion),
                               WithoutValues(args)};
  identity.words.insert(identity.words.begin(), "tofu");
  if (const auto started = telemetry::Start(std::move(identity)); !started) {
    PrintError("Could not initialize telemetry: " + started.error().message +
               "\nUnset environment variable OTEL_TRACES_EXPORTER if you don't intend to collect "
               "telemetry from OpenTofu.\n");
    return false;
  }
  invocation.BeginSpan();
  return true;
}

/// Hands out what was recorded of the run, and returns its exit code.
int FinishTraces(Invocation& invocation, int code) {
  if (!invocation.whole_run) {
    return code;
  }
  invocation.whole_run.reset();
  std::vector<trace::Record> records = trace::Take();
  const bool reported = ReportTimings(invocation, records);
  telemetry::Send(std::move(records));
  return reported ? code : 1;
}

int Run(std::vector<std::string> args) {
  if (std::string_view line = Environment("COMP_LINE"); !line.empty()) {
    PrintCompletions(line);
    return 0;
  }
  if (auto code = HandleCompletionFlags(args)) {
    return *code;
  }
  if (const auto level = compatibility::ReadEnvironment(); !level) {
    PrintError("Error: Invalid compatibility level\n\n" + level.error().message + "\n");
    return 1;
  }
  LogStart(args);
  // The workspace's objects are not destroyed: the end of the process frees them at once.
  const auto invocation = std::make_shared<Invocation>();
  KeepUntilExit(invocation);
  if (!StartTraces(*invocation, args)) {
    return 1;
  }
  invocation->workspace.original_directory = WorkingDirectory();
  // Not stdout: a document may be there.
  invocation->workspace.report = [](std::string_view line) {
    terminal::PrintError(std::string(line) + '\n');
  };
  ReadCliConfig(invocation->workspace);
  if (!ReadAttachments(invocation->workspace) || !ChangeDirectory(args) ||
      !AddExtraArguments(args)) {
    return FinishTraces(*invocation, 1);
  }
  return FinishTraces(*invocation, Dispatch(*invocation, args));
}

}  // namespace

/// Whether a word is the flag -watch, or its value sets it.
static bool IsWatchFlag(std::string_view word) {
  if (!word.starts_with('-')) {
    return false;
  }
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word == "watch" || word.starts_with("watch=");
}

/// What the words of the command line are about to run.
static HeapUse HeapUseOf(std::span<char*> words) {
  const auto rest = words.subspan(std::min<size_t>(words.size(), 1));
  for (size_t i = 0; i < rest.size(); ++i) {
    const std::string_view word = rest[i];
    if (!word.starts_with('-')) {
      if (word == "plan" && std::ranges::any_of(rest.subspan(i), IsWatchFlag)) {
        return HeapUse::kRounds;
      }
      return word == "lsp" ? HeapUse::kServer : HeapUse::kCommand;
    }
  }
  return HeapUse::kCommand;
}

/// The memory of a run holds keys, passwords and tokens: no core file may have them. Whoever needs
/// one asks for it. Programs that are started from here are not concerned.
static void ForbidCoreFiles() {
  if (Environment("KINU_CORE_FILES").empty()) {
    ::prctl(PR_SET_DUMPABLE, 0);
  }
}

}  // namespace kinu::cli

int main(int argc, char** argv) {
  kinu::OpenStandardStreams();
  kinu::SetProgramName(argc > 0 ? argv[0] : "");
  kinu::cli::PrepareHeap(kinu::cli::HeapUseOf({argv, static_cast<size_t>(argc)}));
  kinu::cli::ForbidCoreFiles();
  // A file that may not grow is an error of the write, not the end of the program. A handler of our
  // own, since commands that are run from here inherit what is ignored.
  (void)std::signal(SIGXFSZ, [](int) {});
  kinu::json::MappedFile::EndProcessWhenShortened();
  std::vector<std::string> args(argv + 1, argv + argc);
  // hcldec has a command line of its own, whichever way it is called.
  bool hcldec = argc > 0 && kinu::BaseName(argv[0]) == "hcldec";
  if (!hcldec && !args.empty() && args[0] == "hcldec") {
    hcldec = true;
    args.erase(args.begin());
  }
  kinu::RunOnBigStack([&] {
    int code = hcldec ? kinu::cli::RunHcldecTool(args) : kinu::cli::Run(std::move(args));
    // Ends the process here, without destructors and without the end of this thread: the system
    // frees the memory faster.
    std::fflush(stdout);
#ifdef KINU_PROFILE_RECORD
    __gcov_dump();
#endif
    std::_Exit(code);
  });
}
