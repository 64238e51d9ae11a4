#include "cli/rule_files.h"

#include <utility>

#include "base/files.h"

namespace kinu::cli {

void ReadRuleFiles(std::vector<std::string> files, std::string_view kind,
                   const std::string& problem, const RuleFileReader& read, Diagnostics& diags) {
  if (files.empty()) {
    const std::string end = "." + std::string(kind);
    const auto names = ListDirectory(".");
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (!name.starts_with('.') &&
          (name.ends_with(end + ".hcl") || name.ends_with(end + ".json"))) {
        files.push_back(name);
      }
    }
  }
  for (const std::string& file : files) {
    if (auto text = ReadFile(file)) {
      read(file, *std::move(text));
    } else {
      diags.Error(problem, text.error().message + ".");
    }
  }
}

}  // namespace kinu::cli
