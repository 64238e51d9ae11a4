#include "session/module_copy.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/files.h"
#include "config/load.h"
#include "config/module_source.h"
#include "hcl/static.h"
#include "install/module_installer.h"
#include "install/module_packages.h"
#include "session/network.h"
#include "text/quote.h"

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

/// Copies the module into the working directory.
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
  if (auto copied = install::CopyModuleFiles(source, "."); !copied) {
    diags.Error("Failed to copy root module", copied.error().message + ".");
    return false;
  }
  return true;
}

/// Reports calls of the copied module that leave its directory: what is beside it in its package
/// was not copied.
void CheckCalls(const std::string& source, Diagnostics& diags) {
  const config::PackageAndDirectory place = config::SplitModuleSource(source);
  Program program;
  Diagnostics ignored;
  const std::unique_ptr<config::Module> module = config::LoadModule(program, ".", ignored);
  for (const config::ModuleCall& call : module->calls) {
    const auto text = call.source_expr != nullptr ? hcl::AsLiteralString(*call.source_expr)
                                                  : std::optional<std::string_view>();
    if (!text || !text->starts_with("../")) {
      continue;
    }
    const std::string wanted = JoinPath(place.directory, *text);
    if (!wanted.starts_with("../")) {
      diags.Error("Root module references parent directory",
                  "The module " + text::Quoted(source) + " calls " + text::Quoted(*text) +
                      ", which was not copied with it. In a root module the source must be an "
                      "address, such as " +
                      text::Quoted(place.package + "//" + wanted) + ".");
    }
  }
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
  Diagnostics problems;
  Loaded copied = InstallModules(workspace, request, narrator, problems);
  CheckCalls(source, diags);
  if (diags.has_errors()) {
    return false;
  }
  diags.Append(std::move(problems));
  if (diags.has_errors()) {
    return false;
  }
  for (auto& [key, module] : copied.modules) {
    // The reference has these where the package was fetched to, so that `init` finds them anew.
    if (!IsLocalPath(source) && module.source.starts_with('.')) {
      module.dir = JoinPath(staging, module.dir);
    }
  }
  WriteModuleManifest(workspace, copied, diags);
  std::error_code ignored;
  std::filesystem::remove_all(staging, ignored);
  return !diags.has_errors();
}

}  // namespace kinu::session
