#include "session/modules.h"

#include "base/files.h"
#include "install/module_installer.h"
#include "session/network.h"

namespace kinu::session {
Loaded InstallModules(const Workspace& workspace, const ModuleInstallRequest& request,
                      Narrator& narrator, Diagnostics& diags) {
  install::Network network = OpenNetwork(workspace);
  install::ModuleInstaller installer(
      network,
      {.modules_directory = workspace.data_directory + "/modules", .upgrade = request.again},
      {.downloading =
           [&](const std::string& key, const std::string& package, const std::string& version) {
             narrator.Say("Downloading " + package + " " + (version.empty() ? "" : version + " ") +
                          "for " + key + "...");
           },
       .installed =
           [&](const std::string& key, const std::string& directory) {
             const std::string text = request.show_paths ? key + " in " + directory : key;
             narrator.Say("- " + text, "installing " + text);
           }});
  Loaded loaded =
      Load(workspace,
           {.intent = request.only_fetch ? LoadIntent::kFetch : LoadIntent::kInstallation,
            .variables = request.variables,
            .ask = request.ask,
            .test_directory = request.test_directory,
            .files = &request.files,
            .fetcher = &installer,
            .encryption_off = request.encryption_off},
           diags);
  loaded.modules = installer.manifest();
  if (workspace.stopped()) {
    diags.Error("Module installation canceled",
                "Module installation was canceled by an interrupt signal.");
  }
  return loaded;
}

void WriteModuleManifest(const Workspace& workspace, const Loaded& loaded, Diagnostics& diags) {
  const std::string manifest = workspace.manifest_path();
  const std::string text = config::ModuleManifest(loaded.modules);
  if (ReadFile(manifest) == text) {
    return;
  }
  auto made = MakeDirectories(DirName(manifest));
  auto written = made ? ReplaceFile(manifest, text, 0644) : made;
  if (!written) {
    diags.Error("Failed to update module manifest", written.error().message);
  }
}

}  // namespace kinu::session
