// A directory of configuration files for tests, and what loading it results in.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "config/load.h"

namespace kinu::config {

using Files = std::map<std::string, std::string>;

/// A directory with these files. It is the working directory while the test runs.
class Workspace {
 public:
  explicit Workspace(const Files& files) : before_(std::filesystem::current_path()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "kinu-config-XXXXXX").string();
    dir_ = mkdtemp(pattern.data());
    std::filesystem::current_path(dir_);
    for (const auto& [name, content] : files) {
      const std::filesystem::path parent = std::filesystem::path(name).parent_path();
      if (!parent.empty()) {
        std::filesystem::create_directories(parent);
      }
      EXPECT_TRUE(ReplaceFile(name, content));
    }
  }
  ~Workspace() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(dir_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

 private:
  std::filesystem::path before_;
  std::filesystem::path dir_;
};

/// "error|summary|file:line" for each diagnostic, sorted as text.
inline std::vector<std::string> Lines(const Diagnostics& diags) {
  std::vector<std::string> out;
  for (const Diagnostic& diag : diags) {
    std::string line = diag.is_error() ? "error|" : "warning|";
    line += diag.summary + "|";
    if (diag.subject.valid()) {
      line += diag.subject.file->root().name() + ":" +
              std::to_string(diag.subject.start_position().line);
    }
    out.push_back(line);
  }
  std::sort(out.begin(), out.end());
  return out;
}

struct Loaded {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  std::unique_ptr<Config> config;
  Diagnostics diags;

  const Module& root() const { return *config->root().module; }
  std::string Text(Symbol symbol) const { return std::string(program->Text(symbol)); }
};

inline Loaded Load(const LoadOptions& options = {.intent = LoadIntent::kInstallation}) {
  Loaded out;
  out.config = LoadConfig(out.program, ".", options, out.diags);
  return out;
}

}  // namespace kinu::config
