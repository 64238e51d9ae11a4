#include "cli/autocomplete.h"

#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "cli/command.h"
#include "session/backend_choice.h"

namespace kinu::cli {
namespace {

/// The flags that a command's help names.
std::vector<std::string> FlagsOf(const CommandSpec& command) {
  std::vector<std::string> out;
  for (const FlagSpec& flag : command.flags) {
    if (!flag.help.empty()) {
      out.push_back("-" + std::string(flag.name));
    }
  }
  return out;
}

/// The command line so far.
struct TypedLine {
  std::string word;  ///< being typed, maybe empty
  const CommandSpec* command = nullptr;
  std::string prefix;         ///< what the names of the command's subcommands begin with
  bool old_name = false;      ///< "env" stands for "workspace"
  bool has_argument = false;  ///< a word that is neither a flag nor a command
};

TypedLine Read(std::string_view line) {
  TypedLine out;
  std::vector<std::string> words;
  for (char c : line) {
    if (c != ' ') {
      out.word += c;
    } else if (!out.word.empty()) {
      words.push_back(std::move(out.word));
      out.word.clear();
    }
  }
  // The first word is the name of the program.
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with('-')) {
      continue;
    }
    if (out.command == nullptr && words[i] == "env") {
      out.old_name = true;
      words[i] = "workspace";
    }
    const CommandSpec* inner = FindCommand(out.prefix + words[i]);
    if (inner == nullptr) {
      out.has_argument = true;
      break;
    }
    out.command = inner;
    out.prefix = std::string(inner->name) + " ";
  }
  return out;
}

std::vector<std::string> TopLevelFlags() {
  return {"-chdir", "-help", "-install-autocomplete", "-uninstall-autocomplete", "-version"};
}

/// The names of the commands below `prefix`, without it.
std::vector<std::string> SubcommandsOf(const std::string& prefix, bool old_name) {
  std::vector<std::string> out;
  for (const CommandSpec* candidate : Commands()) {
    const std::string_view name = candidate->name;
    const bool below =
        name.starts_with(prefix) && name.find(' ', prefix.size()) == std::string_view::npos;
    if (below && !candidate->hidden && !(old_name && name == "workspace show")) {
      out.emplace_back(name.substr(prefix.size()));
    }
  }
  if (prefix.empty()) {
    out.insert(out.end(), {"env", "push"});
  }
  return out;
}

/// The workspaces of the configuration in the working directory; none when anything is wrong.
std::vector<std::string> WorkspaceNames() {
  session::Workspace workspace;
  workspace.original_directory = WorkingDirectory();
  workspace.data_directory = session::DataDirectory();
  workspace.chosen = Environment("TF_WORKSPACE");
  return session::WorkspaceNames(workspace);
}

/// The directories whose path begins with `word`, each with a slash at its end.
std::vector<std::string> DirectoryNames(const std::string& word) {
  const std::string parent = word.substr(0, word.rfind('/') + 1);
  std::vector<std::string> out;
  auto names = ListDirectory(parent.empty() ? "." : parent);
  for (const std::string& name : names.value_or(std::vector<std::string>())) {
    if (IsDirectory(parent + name)) {
      out.push_back(parent + name + "/");
    }
  }
  return out;
}

/// What the first argument of a command may be.
std::vector<std::string> ArgumentsOf(const CommandSpec& command, const std::string& word) {
  if (command.name == "workspace select" || command.name == "workspace delete") {
    return WorkspaceNames();
  }
  if (command.name == "init" || command.name == "workspace list") {
    return DirectoryNames(word);
  }
  return {};
}

}  // namespace

std::vector<std::string> Completions(std::string_view line) {
  const TypedLine typed = Read(line);
  std::vector<std::string> out;
  if (typed.word.starts_with('-')) {
    out = typed.command == nullptr ? TopLevelFlags() : FlagsOf(*typed.command);
  } else {
    out = SubcommandsOf(typed.prefix, typed.old_name);
    if (typed.command != nullptr && !typed.has_argument) {
      std::vector<std::string> arguments = ArgumentsOf(*typed.command, typed.word);
      out.insert(out.end(), arguments.begin(), arguments.end());
    }
  }
  std::erase_if(out, [&](const std::string& name) { return !name.starts_with(typed.word); });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace kinu::cli
