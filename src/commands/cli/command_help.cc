#include "cli/command_help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/program_name.h"

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

void AddToList(const CommandSpec& command, std::string& out) {
  constexpr size_t kWidth = 14;
  out += "  " + std::string(command.name);
  out.append(kWidth - std::min(kWidth - 1, command.name.size()), ' ');
  out += std::string(command.synopsis) + "\n";
}

/// The commands as the reference lists them: the main ones, and all others by name.
std::string CommandsInTwoLists() {
  std::string main = "Main commands:\n";
  std::string others = "\nAll other commands:\n";
  for (const CommandSpec* command : CommandsBelow("")) {
    AddToList(*command, command->group == CommandGroup::kMain ? main : others);
  }
  return "The available commands for execution are listed below.\n"
         "The primary workflow commands are given first, followed by\n"
         "less common or more advanced commands.\n\n" +
         main + others;
}

struct GroupHeading {
  CommandGroup group;
  std::string_view heading;
};

constexpr GroupHeading kHeadings[] = {
    {CommandGroup::kMain, "Main commands"},
    {CommandGroup::kDocuments, "Plans, states and configurations as documents"},
    {CommandGroup::kStates, "Work with states"},
    {CommandGroup::kLanguage, "The language"},
    {CommandGroup::kSetup, "Providers, modules and services"},
    {CommandGroup::kProgram, "About the program"},
};

/// The commands by what they are about.
std::string CommandsInGroups() {
  std::string out;
  for (const GroupHeading& heading : kHeadings) {
    out += (out.empty() ? "" : "\n") + std::string(heading.heading) + ":\n";
    for (const CommandSpec* command : CommandsBelow("")) {
      if (command->group == heading.group) {
        AddToList(*command, out);
      }
    }
  }
  return out;
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
    out += Hint(line);
    out += '\n';
  });
  if (!command.description.empty()) {
    out += "\n" + Indented(Hint(command.description), "  ");
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
  return Hint("Usage: tofu [global options] <subcommand> [args]\n\n") +
         (ProgramName() == kOwnProgramName ? CommandsInGroups() : CommandsInTwoLists()) +
         "\nGlobal options (use these before the subcommand, if any):\n"
         "  -chdir=DIR    Switch to a different working directory before executing the\n"
         "                given subcommand.\n"
         "  -help         Show this help output, or the help for a specified subcommand.\n"
         "  -version      An alias for the \"version\" subcommand.\n";
}

}  // namespace kinu::cli
