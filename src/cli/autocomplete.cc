#include "cli/autocomplete.h"

#include <algorithm>

#include "base/files.h"
#include "cli/command.h"

namespace kinu::cli {
namespace {

/// The flags that a help text names: lines that begin with "  -".
std::vector<std::string> FlagsOf(std::string_view help) {
  std::vector<std::string> out;
  while (!help.empty()) {
    size_t end = std::min(help.find('\n'), help.size());
    std::string_view line = help.substr(0, end);
    help.remove_prefix(std::min(end + 1, help.size()));
    if (line.starts_with("  -")) {
      line.remove_prefix(2);
      out.emplace_back(line.substr(0, line.find_first_of(" =")));
    }
  }
  return out;
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
  std::vector<std::string> words;
  std::string word;
  for (char c : line) {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  // `words` are complete, the program's name first; `word` is being typed.
  const CommandSpec* command = nullptr;
  std::string prefix;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with('-')) {
      continue;
    }
    const CommandSpec* inner = FindCommand(prefix + words[i]);
    if (inner == nullptr) {
      break;
    }
    command = inner;
    prefix = std::string(inner->name) + " ";
  }
  std::vector<std::string> out;
  if (word.starts_with('-')) {
    if (command != nullptr) {
      out = FlagsOf(*command->help);
    }
  } else {
    for (const CommandSpec& candidate : Commands()) {
      bool below = candidate.name.starts_with(prefix) &&
                   candidate.name.find(' ', prefix.size()) == std::string_view::npos;
      if (below && !candidate.hidden) {
        out.emplace_back(candidate.name.substr(prefix.size()));
      }
    }
  }
  std::erase_if(out, [&](const std::string& name) { return !name.starts_with(word); });
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
