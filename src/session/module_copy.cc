#include "session/module_copy.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "config/module_source.h"
#include "install/module_installer.h"
#include "session/network.h"

namespace kinu::session {
namespace {

/// The directory of fetched packages, in the data directory.
constexpr std::string_view kStaging = "init-from-module";

bool IsLocalPath(std::string_view source) {
  return source.starts_with('/') || source.starts_with("./") || source.starts_with("../") ||
         source == "." || source == "..";
}

/// Whether the working directory can receive a module.
bool CheckTarget(Diagnostics& diags) {
  const auto names = ListDirectory(".");
  if (!names) {
    diags.Error("Error validating destination directory", names.error().message);
    return false;
  }
  if (!names->empty() && config::IsConfigDir(".")) {
    diags.Error("The working directory already contains files",
                "The option -from-module puts a copy of a module into a directory without "
                "configuration, and this one has one. Leave the option out to initialize it.");
    return false;
  }
  return true;
}

/// The directory with the module: the source itself if that is a path, else where its package was
/// fetched to. Nothing after an error.
std::optional<std::string> FindSource(const Workspace& workspace, const std::string& source,
                                      Diagnostics& diags) {
  if (IsLocalPath(source)) {
    return source;
  }
  auto parsed = config::ParseModuleSource(source, false);
  if (!parsed) {
    diags.Error("Invalid module source address",
                "Failed to parse module source address: " + parsed.error().message);
    return std::nullopt;
  }
  const auto origin = SourceFile::Make("<main configuration>", "");
  workspace.kept->Add(std::make_shared<Ref<const SourceFile>>(origin));
  install::Network network = OpenNetwork(workspace);
  install::ModuleInstaller installer(
      network, {.modules_directory = workspace.data_directory, .upgrade = true},
      {.downloading = [](const std::string&, const std::string&, const std::string&) {},
       .installed = [](const std::string&, const std::string&) {}});
  const SourceRange range{origin.get(), 0, 0};
  installer.Forget(std::string(kStaging));
  const auto fetched = installer.Fetch({.key = std::string(kStaging),
                                        .name = "root",
                                        .source = *std::move(parsed),
                                        .version = "",
                                        .range = range},
                                       diags);
  return fetched ? std::optional(fetched->dir) : std::nullopt;
}

/// Copies everything whose name does not begin with a dot.
bool CopyFiles(const Workspace& workspace, const std::string& source, Diagnostics& diags) {
  namespace fs = std::filesystem;
  if (!IsDirectory(source)) {
    const auto origin = SourceFile::Make("<main configuration>", "");
    workspace.kept->Add(std::make_shared<Ref<const SourceFile>>(origin));
    diags.Error("Failed to download module",
                "There is no directory \"" + source + "\" to copy the module from.",
                {origin.get(), 0, 0});
    return false;
  }
  const auto entries = ListDirectory(source);
  if (!entries) {
    diags.Error("Failed to download module", entries.error().message);
    return false;
  }
  std::error_code error;
  for (const std::string& name : *entries) {
    if (name.starts_with('.')) {
      continue;
    }
    fs::copy(fs::path(source) / name, fs::path(".") / name,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
    if (error) {
      diags.Error("Failed to copy root module",
                  "Copying \"" + name + "\" failed: " + error.message() + ".");
      return false;
    }
  }
  return true;
}

/// Nothing may be overwritten: only the data directory may be there already.
bool CheckEmpty(Diagnostics& diags) {
  const auto names = ListDirectory(".");
  if (names &&
      std::ranges::any_of(*names, [](const std::string& name) { return name != ".terraform"; })) {
    diags.Error(
        "Can't populate non-empty directory",
        "There are files in the directory already: the module is copied into an empty one.");
    return false;
  }
  return true;
}

}  // namespace

bool CopyModule(const Workspace& workspace, const std::string& source,
                const ModuleInstallRequest& request, Narrator& narrator, Diagnostics& diags) {
  if (!CheckTarget(diags)) {
    return false;
  }
  const std::string shown = config::WithoutSecrets(source);
  narrator.Say("[reset][bold]Copying configuration[reset] from \"" + shown + "\"...",
               "Copying configuration from \"" + shown + "\"...");
  if (!CheckEmpty(diags)) {
    return false;
  }
  // The reference puts the copy together here, and leaves the directory when nothing can be copied.
  const std::string staging = workspace.data_directory + "/" + std::string(kStaging);
  (void)MakeDirectories(staging);
  const auto directory = FindSource(workspace, source, diags);
  if (!directory || !CopyFiles(workspace, *directory, diags)) {
    return false;
  }
  const Loaded copied = InstallModules(workspace, request, narrator, diags);
  if (diags.has_errors()) {
    return false;
  }
  WriteModuleManifest(workspace, copied, diags);
  std::error_code ignored;
  std::filesystem::remove_all(staging, ignored);
  return !diags.has_errors();
}

}  // namespace kinu::session
