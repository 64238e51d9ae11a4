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

/// The line of one shell's start file.
struct StartFile {
  std::string path;
  std::string line;
  std::string before;  ///< has to stand in front of it
};

std::vector<StartFile> StartFiles(const std::string& home, const std::string& program,
                                  const std::string& name) {
  std::vector<StartFile> out;
  for (const char* file : {".bashrc", ".bash_profile", ".bash_login", ".profile"}) {
    if (FileExists(JoinPath(home, file))) {
      out.push_back({JoinPath(home, file), "complete -C " + program + " " + name, ""});
      break;
    }
  }
  if (FileExists(JoinPath(home, ".zshrc"))) {
    out.push_back({JoinPath(home, ".zshrc"), "complete -o nospace -C " + program + " " + name,
                   "autoload -U +X bashcompinit && bashcompinit"});
  }
  return out;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool Has(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
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

Result<void> InstallCompletion(const std::string& home, const std::string& program,
                               const std::string& name) {
  std::vector<StartFile> files = StartFiles(home, program, name);
  if (files.empty()) {
    return Fail(ErrorCode::kNotFound, "Did not find any shells to install");
  }
  for (const StartFile& file : files) {
    KINU_TRY(std::string text, ReadFile(file.path));
    std::vector<std::string> lines = Lines(text);
    if (Has(lines, file.line)) {
      return Fail(ErrorCode::kExists, "already installed in " + file.path);
    }
    if (!text.empty() && !text.ends_with('\n')) {
      text += '\n';
    }
    if (!file.before.empty() && !Has(lines, file.before)) {
      text += file.before + "\n";
    }
    if (auto written = ReplaceFile(file.path, text + file.line + "\n"); !written) {
      return written;
    }
  }
  return {};
}

Result<void> UninstallCompletion(const std::string& home, const std::string& program,
                                 const std::string& name) {
  for (const StartFile& file : StartFiles(home, program, name)) {
    KINU_TRY(std::string text, ReadFile(file.path));
    std::string rest;
    bool found = false;
    for (const std::string& line : Lines(text)) {
      if (line == file.line) {
        found = true;
      } else {
        rest += line + "\n";
      }
    }
    if (!found) {
      return Fail(ErrorCode::kNotFound, "not installed in " + file.path);
    }
    if (auto written = ReplaceFile(file.path, rest); !written) {
      return written;
    }
  }
  return {};
}

}  // namespace kinu::cli
