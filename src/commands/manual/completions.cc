#include "manual/completions.h"

#include <span>

#include "cli/command_help.h"

namespace kinu::manual {
namespace {

using cli::Commands;
using cli::CommandsBelow;
using cli::CommandSpec;
using cli::FlagSpec;
using cli::LastWord;
using cli::OneLine;

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

}  // namespace kinu::manual
