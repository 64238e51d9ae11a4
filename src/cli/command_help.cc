#include "cli/command_help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/build_info.h"

namespace kinu::cli {
namespace {

/// The commands right below another; all top-level ones for "".
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

/// Calls `use` for each line of a text.
template <typename Use>
void ForEachLine(std::string_view text, const Use& use) {
  for (;;) {
    const size_t end = text.find('\n');
    use(text.substr(0, end));
    if (end == std::string_view::npos) {
      return;
    }
    text.remove_prefix(end + 1);
  }
}

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

/// A text of a manual page: no line is a request, and no character an escape.
std::string Roff(std::string_view text) {
  std::string out;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_starts = c == '\n';
  }
  return out;
}

/// A flag's help in one line.
std::string OneLine(std::string_view help) {
  std::string out(help);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

std::string ManHeader(const std::string& page, std::string_view synopsis) {
  std::string upper = page;
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return ".TH " + upper + " 1 \"\" \"kinu " + std::string(kOwnVersion) + "\" \"kinu manual\"\n" +
         ".SH NAME\n" + Roff(page) + " \\- " + Roff(synopsis) + "\n";
}

/// A text as one word of a shell, in single quotes.
std::string ShellQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

/// The words that may stand behind a command: its subcommands, then its flags.
std::string WordsBehind(std::string_view name, const CommandSpec* command) {
  std::string out;
  for (const CommandSpec* inner : CommandsBelow(name)) {
    out += (out.empty() ? "" : " ") + std::string(LastWord(*inner));
  }
  if (command != nullptr) {
    for (const FlagSpec& flag : command->flags) {
      if (!flag.help.empty()) {
        out += (out.empty() ? "-" : " -") + std::string(flag.name) +
               (flag.form.starts_with('=') ? "=" : "");
      }
    }
  }
  return out;
}

/// A description between the colons and brackets of a zsh specification.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') {
      out += '\\';
    }
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

constexpr std::string_view kGlobalFlags = "-chdir= -help -version";

}  // namespace

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

std::string ManPageName(const CommandSpec& command) {
  std::string name = "kinu-" + std::string(command.name);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string ManPage(const CommandSpec& command) {
  std::string out = ManHeader(ManPageName(command), command.synopsis) + ".SH SYNOPSIS\n.nf\n" +
                    Roff(command.usage) + "\n.fi\n";
  if (!command.description.empty()) {
    out += ".SH DESCRIPTION\n";
    ForEachLine(command.description,
                [&](std::string_view line) { out += line.empty() ? ".PP\n" : Roff(line) + "\n"; });
  }
  if (command.lists_subcommands) {
    out += ".SH SUBCOMMANDS\n";
    for (const CommandSpec* inner : CommandsBelow(command.name)) {
      out += ".TP\n.BR " + Roff(ManPageName(*inner)) + " (1)\n" + Roff(inner->synopsis) + "\n";
    }
  }
  bool first = true;
  for (const FlagSpec& flag : command.flags) {
    if (!flag.help.empty()) {
      out += std::exchange(first, false) ? ".SH OPTIONS\n" : "";
      out += ".TP\n.B " + Roff("-" + std::string(flag.name) + std::string(flag.form)) + "\n" +
             Roff(OneLine(flag.help)) + "\n";
    }
  }
  if (!command.notes.empty()) {
    out += ".SH NOTES\n.nf\n" + Roff(command.notes) + "\n.fi\n";
  }
  return out + ".SH SEE ALSO\n.BR kinu (1)\n";
}

std::string TopManPage() {
  std::string out = ManHeader("kinu", "infrastructure as code, compatible with OpenTofu") +
                    ".SH SYNOPSIS\n.nf\n" + Roff("kinu [global options] <subcommand> [args]") +
                    "\n.fi\n.SH COMMANDS\n";
  for (const CommandSpec* command : CommandsBelow("")) {
    out += ".TP\n.BR " + Roff(ManPageName(*command)) + " (1)\n" + Roff(command->synopsis) + "\n";
  }
  return out +
         ".SH GLOBAL OPTIONS\nThese stand in front of the subcommand.\n"
         ".TP\n.B \\-chdir=DIR\nWork in that directory.\n"
         ".TP\n.B \\-help\nShow help, of the program or of a subcommand.\n"
         ".TP\n.B \\-version\nThe same as the subcommand version.\n";
}

std::string BashCompletion() {
  std::string out =
      "# Completion of kinu for bash.\n"
      "_kinu() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" path='' words='' i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    [[ ${COMP_WORDS[i]} == -* ]] && continue\n"
      "    case \"$path${path:+ }${COMP_WORDS[i]}\" in\n";
  std::string names;
  for (const CommandSpec* command : Commands()) {
    names += (names.empty() ? "" : "|") + ShellQuoted(command->name);
  }
  out += "      " + names +
         ") path=\"$path${path:+ }${COMP_WORDS[i]}\" ;;\n"
         "      *) break ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$path\" in\n"
         "    '') words=" +
         ShellQuoted(WordsBehind("", nullptr) + " " + std::string(kGlobalFlags)) + " ;;\n";
  for (const CommandSpec* command : Commands()) {
    out += "    " + ShellQuoted(command->name) +
           ") words=" + ShellQuoted(WordsBehind(command->name, command)) + " ;;\n";
  }
  return out +
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
         "  return 0\n"
         "}\n"
         "complete -o bashdefault -o default -F _kinu kinu\n";
}

std::string ZshCompletion() {
  std::string out =
      "#compdef kinu\n"
      "# Completion of kinu for zsh.\n"
      "_kinu() {\n"
      "  local -a commands flags\n"
      "  local name='' i\n"
      "  for ((i = 2; i < CURRENT; i++)); do\n"
      "    [[ ${words[i]} == -* ]] && continue\n"
      "    case \"$name${name:+ }${words[i]}\" in\n";
  std::string names;
  for (const CommandSpec* command : Commands()) {
    names += (names.empty() ? "" : "|") + ShellQuoted(command->name);
  }
  out += "      " + names +
         ") name=\"$name${name:+ }${words[i]}\" ;;\n"
         "      *) break ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$name\" in\n";
  const auto add = [&](std::string_view name, const CommandSpec* command) {
    out += "    " + ShellQuoted(name) + ")\n      commands=(";
    for (const CommandSpec* inner : CommandsBelow(name)) {
      out += "\n        " + ShellQuoted(ZshText(LastWord(*inner)) + ":" + ZshText(inner->synopsis));
    }
    out += ")\n      flags=(";
    if (command == nullptr) {
      out += "'-chdir=:the working directory' '-help:show help' '-version:show the version'";
    } else {
      for (const FlagSpec& flag : command->flags) {
        if (!flag.help.empty()) {
          out += "\n        " +
                 ShellQuoted("-" + std::string(flag.name) +
                             (flag.form.starts_with('=') ? "=" : "") + ":" + ZshText(flag.help));
        }
      }
    }
    out += ")\n      ;;\n";
  };
  add("", nullptr);
  for (const CommandSpec* command : Commands()) {
    add(command->name, command);
  }
  return out +
         "  esac\n"
         "  if [[ ${words[CURRENT]} == -* ]]; then\n"
         "    _describe -o option flags\n"
         "  elif (( ${#commands} )); then\n"
         "    _describe command commands\n"
         "  else\n"
         "    _files\n"
         "  fi\n"
         "}\n"
         "_kinu \"$@\"\n";
}

std::string FishCompletion() {
  std::string out =
      "# Completion of kinu for fish.\n"
      "function __kinu_path\n"
      "  set -l words (commandline -opc)\n"
      "  set -l path\n"
      "  for word in $words[2..-1]\n"
      "    string match -q -- '-*' $word; and continue\n"
      "    contains -- (string join ' ' $path $word) $__kinu_commands; or break\n"
      "    set -a path $word\n"
      "  end\n"
      "  set -l name (string join ' ' $path)\n"
      "  test \"$name\" = \"$argv\"\n"
      "end\n"
      "set -g __kinu_commands";
  for (const CommandSpec* command : Commands()) {
    out += " " + ShellQuoted(command->name);
  }
  out += "\n";
  const auto add = [&](std::string_view name, const CommandSpec* command) {
    const std::string condition =
        "complete -c kinu -n " + ShellQuoted("__kinu_path " + std::string(name));
    for (const CommandSpec* inner : CommandsBelow(name)) {
      out += condition + " -f -a " + std::string(LastWord(*inner)) + " -d " +
             ShellQuoted(inner->synopsis) + "\n";
    }
    for (const FlagSpec& flag : command == nullptr ? std::span<const FlagSpec>() : command->flags) {
      if (!flag.help.empty()) {
        out += condition + " -o " + std::string(flag.name) +
               (flag.form.starts_with('=') ? " -r" : "") + " -d " +
               ShellQuoted(OneLine(flag.help)) + "\n";
      }
    }
  };
  add("", nullptr);
  for (const CommandSpec* command : Commands()) {
    add(command->name, command);
  }
  return out;
}

}  // namespace kinu::cli
