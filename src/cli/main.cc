// Starts the program: global options, TF_CLI_ARGS, and the command that the words name.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "base/keep.h"
#include "base/thread.h"
#include "cli/autocomplete.h"
#include "cli/build_info.h"
#include "cli/command_help.h"
#include "cli/commands/hcldec.h"
#include "cli/heap.h"
#include "log/log.h"
#include "plugin/handshake.h"
#include "plugin/log_relay.h"
#include "text/quote.h"
#include "text/suggest.h"
#include "tfjson/mapped_file.h"

namespace kinu::cli {
namespace {

int WidthOf(int fd) {
  winsize size{};
  if (::isatty(fd) != 0 && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return view::kDefaultWidth;
}

/// Takes the view flags out of a command's words, wherever they stand.
void TakeViewOptions(std::vector<std::string>& args, ViewOptions& view) {
  std::erase_if(args, [&](const std::string& arg) {
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
    } else if (constexpr std::string_view kLevel = "-deprecation=module:";
               arg.starts_with(kLevel)) {
      view.deprecation = arg.substr(kLevel.size());
    } else {
      return false;
    }
    return true;
  });
}

/// The words of an environment variable that holds extra arguments.
bool ExtraArguments(const std::string& variable, std::vector<std::string>& out) {
  std::string_view text = Environment(variable.c_str());
  if (text.empty()) {
    return true;
  }
  auto words = SplitShellWords(text);
  if (!words) {
    PrintError("Error parsing extra CLI args from " + variable + ": invalid command line string\n");
    return false;
  }
  out.insert(out.end(), words->begin(), words->end());
  return true;
}

int UnknownCommand(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CommandSpec* command : Commands()) {
    if (command->name.find(' ') == std::string_view::npos) {
      names.push_back(command->name);
    }
  }
  std::string text = "OpenTofu has no command named \"" + name + "\".";
  std::string_view near = text::SuggestName(name, names);
  if (!near.empty()) {
    text += " Did you mean \"" + std::string(near) + "\"?";
  }
  PrintError(text + "\n\nTo see all of OpenTofu's top-level commands, run:\n  tofu -help\n\n");
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
  auto done = install ? InstallCompletion(home, program, BaseName(program))
                      : UninstallCompletion(home, program, BaseName(program));
  if (!done) {
    PrintError(done.error().message + "\n");
    return 1;
  }
  return 0;
}

/// A failed command says which providers crashed, with what they wrote last.
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

/// The words of a command line for the log. Values of variables and of backend settings are left
/// out, since they may be secret.
std::string QuotedForLog(const std::vector<std::string>& words) {
  std::string out = "[";
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
    out += (out.size() > 1 ? " " : "") + text::GoQuote(shown);
  }
  return out + "]";
}

void LogStart(const std::vector<std::string>& args) {
  log::Start();
  if (log::Enabled(log::Level::kInfo)) {
    log::Write(log::Level::kInfo, "OpenTofu version: " + std::string(kCompatibleVersion));
    log::Write(log::Level::kDebug, "kinu version: " + std::string(kOwnVersion));
    log::Write(log::Level::kInfo, "CLI args: " + QuotedForLog(args));
  }
}

int Run(std::vector<std::string> args) {
  if (std::string_view line = Environment("COMP_LINE"); !line.empty()) {
    for (const std::string& completion : Completions(line)) {
      Print(completion + "\n");
    }
    return 0;
  }
  if (auto code = HandleCompletionFlags(args)) {
    return *code;
  }
  LogStart(args);
  // What the workspace keeps is not destroyed: the end of the process frees it at once.
  const auto kept = std::make_shared<Invocation>();
  KeepUntilExit(kept);
  Invocation& invocation = *kept;
  invocation.workspace.original_directory = WorkingDirectory();
  {
    // The user's configuration is read before -chdir; what is wrong with it does not stop anything.
    Diagnostics diags;
    invocation.workspace.cli_config = install::LoadCliConfig(diags);
    if (!diags.empty()) {
      PrintError("There are some problems with the CLI configuration:\n");
      // All of it goes to the error stream, so that a document on the other stays one.
      for (const view::RenderedDiagnostic& problem :
           view::RenderDiagnostics(diags, view::Style(false), {})) {
        PrintError(problem.text);
      }
      if (diags.has_errors()) {
        PrintError("As a result of the above problems, OpenTofu may not behave as intended.\n\n\n");
      }
    }
  }
  if (std::string_view attach = Environment("TF_REATTACH_PROVIDERS"); !attach.empty()) {
    if (auto attachments = plugin::ParseAttachments(attach); !attachments) {
      PrintError(attachments.error().message + "\n");
      return 1;
    }
  }
  // -chdir counts only among the options in front of the command.
  for (size_t i = 0; i < args.size() && args[i].starts_with('-'); ++i) {
    if (!args[i].starts_with("-chdir")) {
      continue;
    }
    if (args[i].size() < 8 || args[i][6] != '=') {
      PrintError(
          "Invalid -chdir option: must include an equals sign followed by a directory path, like "
          "-chdir=example\n");
      return 1;
    }
    std::string dir = args[i].substr(7);
    if (::chdir(dir.c_str()) != 0) {
      PrintError("Error handling -chdir option: chdir " + dir + ": " + SystemMessage(errno) + "\n");
      return 1;
    }
    args.erase(args.begin() + static_cast<ptrdiff_t>(i));
    break;
  }
  auto is_version = [](const std::string& arg) {
    return arg == "-version" || arg == "--version" || arg == "-v";
  };
  auto is_help = [](const std::string& arg) {
    return arg == "-help" || arg == "--help" || arg == "-h";
  };
  if (std::any_of(args.begin(), args.end(), is_version)) {
    std::erase_if(args, is_version);
    args.insert(args.begin(), "version");
  }
  bool help = std::any_of(args.begin(), args.end(), is_help);
  std::erase_if(args, is_help);
  auto word = std::find_if(args.begin(), args.end(),
                           [](const std::string& arg) { return !arg.starts_with('-'); });
  if (word == args.end() || word->empty()) {
    Print(TopHelpText());
    return help ? 0 : 127;
  }
  std::vector<std::string> before(args.begin(), word);
  std::string name = *word;
  std::vector<std::string> rest(word + 1, args.end());
  // Names that commands had before.
  const bool old_name = name == "env";
  if (old_name) {
    name = "workspace";
  }
  if (name == "push") {
    Diagnostics diags;
    diags.Error("Command \"tofu push\" is no longer supported",
                "It sent configurations to a service that does not exist any more.");
    invocation.view.color = std::find(args.begin(), args.end(), "-no-color") == args.end();
    invocation.Show(diags);
    return 1;
  }
  const CommandSpec* command = FindCommand(name);
  if (command == nullptr) {
    return UnknownCommand(name);
  }
  // "tofu env show" never was.
  if (!rest.empty() && !(old_name && rest[0] == "show")) {
    if (const CommandSpec* inner = FindCommand(name + " " + rest[0])) {
      command = inner;
      rest.erase(rest.begin());
    }
  }
  if (help) {
    Print(HelpText(*command));
    return 0;
  }
  if (!before.empty()) {
    Print(
        "Invalid flags before the subcommand. If these flags are for\n"
        "the subcommand, please put them after the subcommand.\n\n");
    Print(HelpText(*command));
    return 1;
  }
  if (command->run == nullptr) {
    Print(HelpText(*command));
    return 1;
  }
  std::string suffix(command->name);
  std::replace_if(suffix.begin(), suffix.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  if (!ExtraArguments("TF_CLI_ARGS_" + suffix, invocation.args) ||
      !ExtraArguments("TF_CLI_ARGS", invocation.args)) {
    return 1;
  }
  if (std::any_of(invocation.args.begin(), invocation.args.end(), is_help)) {
    Print(HelpText(*command));
    return 0;
  }
  invocation.args.insert(invocation.args.end(), rest.begin(), rest.end());
  TakeViewOptions(invocation.args, invocation.view);
  invocation.command = command;
  invocation.workspace.data_directory = session::DataDirectory();
  invocation.workspace.chosen = Environment("TF_WORKSPACE");
  invocation.stdout_width = WidthOf(STDOUT_FILENO);
  invocation.stderr_width = WidthOf(STDERR_FILENO);
  invocation.in_automation = !Environment("TF_IN_AUTOMATION").empty();
  std::string_view input = Environment("TF_INPUT");
  invocation.input_disabled = !input.empty() && !ParseBool(input).value_or(true);
  invocation.old_name = old_name;
  if (log::Enabled(log::Level::kInfo)) {
    log::Write(log::Level::kInfo, "Command \"" + std::string(command->name) + "\" with arguments " +
                                      QuotedForLog(invocation.args));
  }
  int code = command->run(invocation);
  if (log::Enabled(log::Level::kDebug)) {
    log::Write(log::Level::kDebug, "Exit code " + std::to_string(code));
  }
  if (code != 0) {
    ReportCrashedProviders();
  }
  return code;
}

}  // namespace
}  // namespace kinu::cli

int main(int argc, char** argv) {
  kinu::OpenStandardStreams();
  kinu::cli::PrepareHeap();
  // A file that may not grow is an error of the write, not the end of the program. A handler of our
  // own, since commands that are run from here inherit what is ignored.
  (void)std::signal(SIGXFSZ, [](int) {});
  kinu::tfjson::MappedFile::EndProcessWhenShortened();
  std::vector<std::string> args(argv + 1, argv + argc);
  // hcldec has a command line of its own, whichever way it is called.
  bool hcldec = argc > 0 && kinu::BaseName(argv[0]) == "hcldec";
  if (!hcldec && !args.empty() && args[0] == "hcldec") {
    hcldec = true;
    args.erase(args.begin());
  }
  kinu::RunOnBigStack([&] {
    int code = hcldec ? kinu::cli::RunHcldecTool(args) : kinu::cli::Run(std::move(args));
    // Nothing is left to do: leaving here, without destructors and without the end of this thread,
    // saves freeing what the system frees.
    std::fflush(stdout);
    std::_Exit(code);
  });
}
