#include "config/left_package.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "config/decode.h"
#include "config/module_source.h"

namespace kinu::config {
namespace {

/// Stands for the package in paths. Names of directories may have a star; then nothing is found.
constexpr std::string_view kPackage = "*/";

bool IsLocalSource(std::string_view source) {
  return source.starts_with('.');
}

struct CallStep {
  ModuleId module;
  std::string_view source;
};

/// The calls with local sources from the one below the package to the last one.
std::vector<CallStep> StepsTo(const ConfigNode*& at) {
  std::vector<CallStep> steps;
  while (at->parent != nullptr && IsLocalSource(at->source)) {
    steps.push_back({at->path, at->source});
    at = at->parent;
  }
  std::ranges::reverse(steps);
  return steps;
}

/// The first module whose source leads out of the package.
std::optional<ModuleId> FindFirstOutside(std::string path, const std::vector<CallStep>& steps) {
  for (const CallStep& step : steps) {
    path = JoinPath(path, step.source);
    if (!path.starts_with(kPackage)) {
      return step.module;
    }
  }
  return std::nullopt;
}

}  // namespace

void ExplainLeftPackage(const Program& program, const ConfigNode& caller, ModuleId called,
                        std::string_view source, Diagnostics& problems) {
  if (!problems.has_errors()) {
    return;
  }
  const ConfigNode* package = &caller;
  std::vector<CallStep> steps = StepsTo(package);
  if (package->source.empty() || IsLocalSource(package->source)) {
    return;  // the root module is in no package
  }
  steps.push_back({called, source});
  const PackageAndDirectory place = SplitModuleSource(package->source);
  const auto outside = FindFirstOutside(JoinPath(kPackage, place.directory), steps);
  if (!outside) {
    return;
  }
  Diagnostics explained;
  for (Diagnostic& problem : problems.list()) {
    if (!problem.is_error()) {
      explained.Add(std::move(problem));
    }
  }
  const bool is_path = place.package.starts_with("file:");
  explained.Error(
      "Local module path escapes module package",
      "The source of " + program.ToText(*outside) + " leads out of the package " +
          Quoted(WithoutSecrets(place.package)) +
          " that its caller came in. A source that begins with \"../\" has to stay in the "
          "package." +
          (is_path ? "\n\nAn absolute path is a package of its own. A path that begins with \"./\" "
                     "or \"../\" makes the directory a part of the caller's package."
                   : ""));
  problems = std::move(explained);
}

}  // namespace kinu::config
