#include "cli/command_help.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kinu::cli {
namespace {

std::string Indented(std::string_view text, std::string_view indent) {
  std::string out;
  ForEachLine(text, [&](std::string_view line) {
    if (!line.empty()) {
      out += indent;
      out += line;
    }
    out += '\n';
  });
  return out;
}

void AddSubcommands(const CommandSpec& command, std::string& out) {
  const auto below = CommandsBelow(command.name);
  size_t width = 0;
  for (const CommandSpec* inner : below) {
    width = std::max(width, LastWord(*inner).size() + 4);
  }
  out += "\nSubcommands:\n";
  for (const CommandSpec* inner : below) {
    std::string name(LastWord(*inner));
    name.resize(width, ' ');
    out += "    " + name + std::string(inner->synopsis) + "\n";
  }
}

void AddFlag(const CommandSpec& command, const FlagSpec& flag, std::string& out) {
  std::string head = "  -" + std::string(flag.name) + std::string(flag.form);
  if (head.size() < command.help_column) {
    head.resize(command.help_column, ' ');
  } else {
    head += "  ";
  }
  const std::string indent(command.help_column, ' ');
  bool first = true;
  ForEachLine(flag.help, [&](std::string_view line) {
    out += std::exchange(first, false) ? head : indent;
    out += line;
    out += '\n';
  });
}

}  // namespace

std::vector<const CommandSpec*> CommandsBelow(std::string_view name) {
  const std::string prefix = name.empty() ? std::string() : std::string(name) + " ";
  std::vector<const CommandSpec*> out;
  for (const CommandSpec* command : Commands()) {
    if (command->name.starts_with(prefix) &&
        command->name.find(' ', prefix.size()) == std::string_view::npos && !command->hidden) {
      out.push_back(command);
    }
  }
  return out;
}

std::string_view LastWord(const CommandSpec& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

std::string OneLine(std::string_view help) {
  std::string out(help);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

std::string HelpText(const CommandSpec& command) {
  std::string out = "Usage: ";
  bool first = true;
  ForEachLine(command.usage, [&](std::string_view line) {
    out += std::exchange(first, false) ? "" : "       ";
    out += line;
    out += '\n';
  });
  if (!command.description.empty()) {
    out += "\n" + Indented(command.description, "  ");
  }
  if (command.lists_subcommands) {
    AddSubcommands(command, out);
  }
  const bool documented =
      std::ranges::any_of(command.flags, [](const FlagSpec& flag) { return !flag.help.empty(); });
  if (documented) {
    out += command.spaced_help ? "\nOptions:\n" : "\nOptions:\n\n";
  }
  for (const FlagSpec& flag : command.flags) {
    if (!flag.help.empty()) {
      out += command.spaced_help ? "\n" : "";
      AddFlag(command, flag, out);
    }
  }
  if (!command.notes.empty()) {
    out += "\n" + std::string(command.notes) + "\n";
  }
  return out;
}

std::string TopHelpText() {
  std::string out =
      "Usage: tofu [global options] <subcommand> [args]\n\n"
      "The available commands for execution are listed below.\n"
      "The primary workflow commands are given first, followed by\n"
      "less common or more advanced commands.\n\nMain commands:\n";
  constexpr size_t kPrimary = 5;
  constexpr size_t kWidth = 14;
  size_t count = 0;
  for (const CommandSpec* command : CommandsBelow("")) {
    if (count++ == kPrimary) {
      out += "\nAll other commands:\n";
    }
    out += "  " + std::string(command->name);
    out.append(kWidth - std::min(kWidth - 1, command->name.size()), ' ');
    out += std::string(command->synopsis) + "\n";
  }
  return out +
         "\nGlobal options (use these before the subcommand, if any):\n"
         "  -chdir=DIR    Switch to a different working directory before executing the\n"
         "                given subcommand.\n"
         "  -help         Show this help output, or the help for a specified subcommand.\n"
         "  -version      An alias for the \"version\" subcommand.\n";
}

}  // namespace kinu::cli
