#include "session/modules.h"

#include <algorithm>
#include <iterator>

#include "base/files.h"
#include "config/module_source.h"
#include "config/test_file.h"

namespace kinu::session {
namespace {

/// A module that a configuration calls.
struct FoundModule {
  std::vector<std::string> names;  ///< of the calls that lead to it
  std::string dir;                 ///< empty: it was not found
  std::string source;

  /// The names with dots between them.
  std::string Key() const {
    std::string key;
    for (const std::string& name : names) {
      key += (key.empty() ? "" : ".") + name;
    }
    return key;
  }
};

/// Adds the modules below the root of a tree, in the order of their names; that of a run block is
/// called by `prefix`, and counts too.
void AddTree(const config::Config& config, const std::vector<std::string>& prefix,
             std::vector<FoundModule>& out) {
  const Program& program = *config.program;
  std::vector<FoundModule> found;
  for (const auto& node : config.nodes) {
    FoundModule module;
    for (ModuleId id = node->path; !id.is_root(); id = program.Parent(id)) {
      module.names.emplace_back(program.Text(program.CallName(id)));
    }
    module.names.insert(module.names.end(), prefix.rbegin(), prefix.rend());
    std::reverse(module.names.begin(), module.names.end());
    for (size_t i = 0; i < node->children.size(); ++i) {
      const config::ModuleCall& call = node->module->calls[i];
      if (node->children[i] == nullptr &&
          config::ParseModuleSource(call.source, call.version_expr != nullptr)) {
        FoundModule missing{module.names, "", ""};
        missing.names.emplace_back(program.Text(call.name));
        found.push_back(std::move(missing));
      }
    }
    if (!module.names.empty()) {
      module.dir = node->source_dir;
      module.source = node->source;
      found.push_back(std::move(module));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const FoundModule& a, const FoundModule& b) { return a.names < b.names; });
  std::move(found.begin(), found.end(), std::back_inserter(out));
}

std::vector<FoundModule> FoundModules(const Loaded& loaded) {
  std::vector<FoundModule> out;
  AddTree(*loaded.config, {}, out);
  if (loaded.config->tests == nullptr) {
    return out;
  }
  for (const config::TestFile& file : loaded.config->tests->files) {
    for (const config::TestRun& run : file.runs) {
      if (!run.module) {
        continue;
      }
      std::vector<std::string> path = config::RunModulePath(*loaded.program, file, run);
      if (run.config != nullptr) {
        AddTree(*run.config, path, out);
      } else {
        out.push_back({std::move(path), "", ""});
      }
    }
  }
  return out;
}

}  // namespace

Loaded InstallModules(const Workspace& workspace, const ModuleInstallRequest& request,
                      Narrator& narrator, Diagnostics& diags) {
  // A manifest that cannot be read is reported by the load.
  Diagnostics ignored;
  const auto before = config::ReadModuleManifest(workspace.manifest_path(), ignored);
  Loaded loaded =
      Load(workspace,
           {.intent = request.only_fetch ? LoadIntent::kFetch : LoadIntent::kInstallation,
            .variables = request.variables,
            .test_directory = request.test_directory},
           diags);
  for (const FoundModule& module : FoundModules(loaded)) {
    const std::string key = module.Key();
    const auto found = before.find(key);
    const bool known = found != before.end() && !module.dir.empty() &&
                       found->second.dir == module.dir && found->second.source == module.source;
    if (request.again || !known) {
      const std::string text = request.show_paths ? key + " in " + module.dir : key;
      narrator.Say("- " + text, "installing " + text);
    }
  }
  return loaded;
}

void WriteModuleManifest(const Workspace& workspace, const Loaded& loaded, Diagnostics& diags) {
  const std::string manifest = workspace.manifest_path();
  auto made = MakeDirectories(DirName(manifest));
  auto written = made ? ReplaceFile(manifest, config::ModuleManifest(*loaded.config), 0644) : made;
  if (!written) {
    diags.Error("Failed to update module manifest", written.error().message);
  }
}

}  // namespace kinu::session
