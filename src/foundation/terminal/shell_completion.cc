#include "terminal/shell_completion.h"

#include <algorithm>
#include <vector>

#include "base/files.h"

namespace kinu::terminal {
namespace {

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

}  // namespace kinu::terminal
