#include "session/load.h"

#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "compatibility/level.h"
#include "plan/planned_configuration.h"

extern char** environ;

namespace kinu::session {
namespace {

std::vector<std::string> EnvironmentTexts() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    out.emplace_back(*entry);
  }
  return out;
}

/// Whether the files of the root module are those that a plan of this version was made of.
bool ArePlanned(const Workspace& workspace, const plan::PlanFile& plan) {
  if (!plan.CheckVersion()) {
    return false;
  }
  const auto snapshot = plan.Configuration();
  const auto names = ListDirectory(workspace.directory);
  if (!snapshot || !names) {
    return false;
  }
  const config::ModuleFiles files = config::ChooseFiles(*names);
  const auto root = std::ranges::find_if(
      snapshot->modules, [](const config::SnapshotModule& module) { return module.key.empty(); });
  return root != snapshot->modules.end() &&
         root->files.size() == files.primary.size() + files.overrides.size() &&
         std::ranges::all_of(root->files, [&](const config::SnapshotFile& file) {
           return config::DiskFiles().Read(workspace.directory, file.name).value_or("") ==
                  file.content();
         });
}

}  // namespace

config::RawInputs GatherVariables(const Workspace& workspace,
                                  std::span<const config::VariableArgument> arguments,
                                  Diagnostics& diags, const config::SourceFiles& files) {
  config::RawInputs inputs =
      config::GatherInputs(arguments, workspace.directory, EnvironmentTexts(), files, diags);
  workspace.kept->Add(inputs.tree);
  return inputs;
}

config::RawInputs GatherInputs(const Workspace& workspace,
                               std::span<const config::VariableArgument> arguments,
                               Diagnostics& diags, const config::SourceFiles& files) {
  config::RawInputs inputs = GatherVariables(workspace, arguments, diags, files);
  if (!IsValidWorkspaceName(workspace.chosen)) {
    diags.Error("Invalid workspace name set using TF_WORKSPACE", "");
  }
  return inputs;
}

Loaded Load(const Workspace& workspace, const LoadRequest& request, Diagnostics& diags) {
  Loaded loaded;
  loaded.program = request.program != nullptr ? request.program : std::make_shared<Program>();
  const size_t errors = diags.error_count();
  loaded.inputs = request.inputs != nullptr ? *request.inputs
                                            : GatherInputs(workspace, request.variables, diags);
  const bool given = request.despite_inputs || diags.error_count() == errors;
  config::LoadOptions options;
  options.intent =
      given || request.intent == LoadIntent::kBackend || request.intent == LoadIntent::kEncryption
          ? request.intent
          : LoadIntent::kRootModule;
  options.workspace = workspace.Name();
  options.inputs = &loaded.inputs;
  if (request.ask && given) {
    options.ask = [&](const config::Variable& variable) {
      std::optional<config::RawInput> answer = request.ask(*loaded.program, variable);
      if (answer) {
        loaded.inputs.values[std::string(loaded.program->Text(variable.name))] = *answer;
      }
      return answer;
    };
  }
  options.manifest_path = workspace.manifest_path();
  options.test_directory = request.test_directory;
  options.files = request.files;
  options.fetcher = request.fetcher;
  options.encryption = Environment("TF_ENCRYPTION");
  options.encryption_off = request.encryption_off;
  options.surroundings = request.surroundings;
  Diagnostics ignored;
  loaded.config = config::LoadConfig(
      loaded.program, request.directory.empty() ? workspace.directory : request.directory, options,
      given ? diags : ignored);
  compatibility::Choose(loaded.config->level);
  workspace.kept->Add(loaded.config);
  return loaded;
}

Loaded LoadForBackend(const Workspace& workspace, LoadRequest request, Diagnostics& diags) {
  request.intent = LoadIntent::kBackend;
  Diagnostics found;
  Loaded loaded = Load(workspace, request, found);
  if (found.has_errors()) {
    request.intent = LoadIntent::kEncryption;
    Diagnostics of_encryption;
    (void)Load(workspace, request, of_encryption);
    if (of_encryption.has_errors()) {
      found = std::move(of_encryption);
    }
  }
  diags.Append(std::move(found));
  return loaded;
}

std::shared_ptr<config::Config> LoadPlanned(const Workspace& workspace,
                                            const config::SourceSnapshot& snapshot,
                                            const std::map<std::string, Value>& variables,
                                            const std::string& workspace_name,
                                            std::shared_ptr<Program> program, Diagnostics& diags) {
  std::shared_ptr<config::Config> config =
      plan::LoadPlanned(snapshot, variables, workspace_name, std::move(program), diags);
  compatibility::Choose(config->level);
  workspace.kept->Add(config);
  return config;
}

bool CheckFiles(const Workspace& workspace, std::span<const config::VariableArgument> arguments,
                const plan::PlanFile* plan, Diagnostics& diags) {
  Diagnostics found;
  if (plan != nullptr && ArePlanned(workspace, *plan)) {
    (void)GatherInputs(workspace, arguments, found);
  } else {
    (void)Load(workspace, {.intent = LoadIntent::kEncryption, .variables = arguments}, found);
  }
  if (!found.has_errors()) {
    return true;
  }
  diags.Append(std::move(found));
  return false;
}

}  // namespace kinu::session
