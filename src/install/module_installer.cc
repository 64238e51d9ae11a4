#include "install/module_installer.h"

#include <algorithm>
#include <filesystem>

#include <glob.h>

#include "addrs/provider_source.h"
#include "addrs/version.h"
#include "base/files.h"
#include "install/module_getters.h"
#include "install/package_placer.h"

namespace kinu::install {
namespace {

namespace fs = std::filesystem;

std::string InQuotes(std::string_view text) {
  return '"' + std::string(text) + '"';
}

/// The place of a call in messages: `"a" (main.tf:1)`.
std::string PlaceOf(const config::ModuleFetch& call) {
  std::string text = InQuotes(call.name);
  if (call.range.file != nullptr) {
    text += " (" + call.range.file->root().name() + ":" +
            std::to_string(call.range.start_position().line) + ")";
  }
  return text;
}

/// "host/namespace/name/system" of a registry source.
RegistryModule RegistryModuleOf(const std::string& package) {
  const size_t slash = package.find('/');
  return {package.substr(0, slash), package.substr(slash + 1)};
}

/// The message of a failed download, which may quote the address that it was given.
std::string WithoutSecretsOf(std::string message, const std::string& address) {
  const std::string shown = config::WithoutSecrets(address);
  const auto url = net::Url::Parse(address);
  if (shown == address || !url) {
    return message;
  }
  const size_t colon = url->user.find(':');
  for (const std::string& secret :
       {url->user.substr(colon == std::string::npos ? 0 : colon + 1), url->query}) {
    for (size_t at = 0; !secret.empty() && (at = message.find(secret, at)) != std::string::npos;) {
      message.replace(at, secret.size(), "REDACTED");
    }
  }
  return message;
}

/// Only the constraint "1.0.0" or "= 1.0.0" itself selects a pre-release.
bool AllowsModule(const VersionConstraints& constraints, const Version& version) {
  if (version.prerelease().empty()) {
    return constraints.empty() || constraints.Allows(version);
  }
  const auto& terms = constraints.terms();
  return terms.size() == 1 && terms[0].op == VersionConstraints::Operator::kEqual &&
         terms[0].version.ToText() == version.ToText();
}

}  // namespace

Result<void> CopyModuleFiles(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_directories(to, error);
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with('.')) {
      continue;
    }
    const std::string target = JoinPath(to, name);
    if (it->is_directory(error) && !it->is_symlink(error)) {
      if (auto copied = CopyModuleFiles(it->path().string(), target); !copied) {
        return copied;
      }
      continue;
    }
    fs::copy(it->path(), target, fs::copy_options::copy_symlinks, error);
  }
  return error ? Fail(ErrorCode::kIo, "failed to copy " + from + ": " + error.message())
               : Result<void>();
}

Result<std::string> FindPackageDirectory(const std::string& package_directory,
                                         const std::string& directory) {
  glob_t found = {};
  const int status = glob(JoinPath(package_directory, directory).c_str(), 0, nullptr, &found);
  std::vector<std::string> matches;
  for (size_t i = 0; status == 0 && i < found.gl_pathc; ++i) {
    matches.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  if (matches.size() == 1) {
    return matches[0];
  }
  return Fail(ErrorCode::kNotFound,
              "subdir " + InQuotes(directory) +
                  (matches.empty() ? " not found" : " matches multiple paths"));
}

void ModuleInstaller::Begin(
    const std::map<std::string, config::InstalledModule, std::less<>>& manifest) {
  manifest_ = manifest;
}

void ModuleInstaller::Found(const std::string& key, const config::InstalledModule& module,
                            bool is_kept) {
  const auto before = manifest_.find(key);
  const bool same = before != manifest_.end() && !module.dir.empty() &&
                    before->second.dir == module.dir && before->second.source == module.source;
  manifest_[key] = module;
  if (!is_kept || !same || options_.upgrade) {
    const bool local = module.source.starts_with('.');
    if (!local || !same || options_.upgrade) {
      events_.installed(key, module.dir);
    }
  }
}

std::string ModuleInstaller::DirectoryOf(const std::string& key) const {
  return JoinPath(options_.modules_directory, key);
}

/// Forgets a module with all that it calls.
void ModuleInstaller::Drop(const std::string& key) {
  std::erase_if(manifest_, [&](const auto& entry) {
    return entry.first == key || entry.first.starts_with(key + ".");
  });
}

Result<void> ModuleInstaller::GetOnce(const std::string& package, const std::string& target) {
  std::error_code error;
  RemoveLeftovers(target);
  fs::remove_all(target, error);
  if (error) {
    return Fail(ErrorCode::kIo, "failed to remove " + target + ": " + error.message());
  }
  if (auto made = MakeDirectories(DirName(target)); !made) {
    return made;
  }
  if (const auto before = fetched_.find(package); before != fetched_.end()) {
    if (fs::is_symlink(before->second, error)) {
      fs::copy_symlink(before->second, target, error);
      return error ? Fail(ErrorCode::kIo, "failed to copy a link: " + error.message())
                   : Result<void>();
    }
    return CopyModuleFiles(before->second, target);
  }
  auto done = GetPackage(package, target, network_);
  if (done) {
    fetched_[package] = target;
  } else {
    fs::remove_all(target, error);
  }
  return done;
}

std::optional<std::string> ModuleInstaller::FindDirectory(const config::ModuleFetch& call,
                                                          const std::string& package_directory,
                                                          const std::string& directory,
                                                          bool is_registry, Diagnostics& diags) {
  if (directory.empty()) {
    return package_directory;
  }
  const std::string path = JoinPath(package_directory, directory);
  if (!is_registry) {
    auto found = FindPackageDirectory(package_directory, directory);
    if (found) {
      return *std::move(found);
    }
    diags.Error("Failed to expand subdir globs", found.error().message);
    return std::nullopt;
  }
  if (!IsDirectory(path)) {
    diags.Error("Module subdirectory not found",
                "Cannot find directory " + InQuotes(directory) + " in module " +
                    InQuotes(package_directory) + ". The requested subdirectory was " +
                    InQuotes(directory) + ".",
                call.range);
    return std::nullopt;
  }
  return path;
}

void ModuleInstaller::ReportRegistryError(const config::ModuleFetch& call,
                                          const RegistryModule& module, const std::string& action,
                                          const ModuleRegistryError& error, Diagnostics& diags) {
  if (error.problem == ModuleRegistryProblem::kNotFound && action == "versions") {
    diags.Error("Module not found",
                "Module " + module.ForDisplay() + " (" + PlaceOf(call) +
                    ") cannot be found in the module registry at " + module.host + "." +
                    (module.host == kDefaultRegistryHost
                         ? "\n\nIf you believe this module is missing from the registry, please "
                           "submit a issue on the OpenTofu Registry "
                           "https://github.com/opentofu/registry/issues/new/choose"
                         : ""),
                call.range);
    return;
  }
  diags.Error(
      "Error accessing remote module registry",
      (action == "versions"
           ? "Failed to retrieve available versions for module " + PlaceOf(call) + " from "
           : "Failed to retrieve a download URL for " + module.ToText() + " " + action + " from ") +
          module.host + ": " + error.message + ".",
      action == "versions" ? call.range : SourceRange());
}

std::optional<std::string> ModuleInstaller::SelectVersion(const config::ModuleFetch& call,
                                                          const RegistryModule& module,
                                                          Diagnostics& diags) {
  const auto& answer = registry_.Versions(module);
  if (!answer) {
    ReportRegistryError(call, module, "versions", answer.error(), diags);
    return std::nullopt;
  }
  if (!answer->listed) {
    diags.Error("Invalid response from remote module registry",
                "The registry at " + module.host +
                    " returned an invalid response when OpenTofu "
                    "requested available versions for module " +
                    PlaceOf(call) + ".",
                call.range);
    return std::nullopt;
  }
  const auto constraints = VersionConstraints::Parse(call.version);
  std::optional<Version> best;
  std::optional<Version> newest;
  for (const std::string& text : answer->versions) {
    auto version = Version::Parse(text);
    if (!version) {
      diags.Warning("Invalid response from remote module registry",
                    "The registry at " + module.host + " returned an invalid version string " +
                        InQuotes(text) + " for module " + PlaceOf(call) +
                        ", which OpenTofu ignored.",
                    call.range);
      continue;
    }
    if (version->prerelease().empty() && (!newest || *newest < *version)) {
      newest = *version;
    }
    const bool allowed = AllowsModule(
        call.version.empty() || !constraints ? VersionConstraints() : *constraints, *version);
    if (allowed && (!best || *best < *version)) {
      best = *std::move(version);
    }
  }
  if (best) {
    return best->ToText();
  }
  if (!newest) {
    diags.Error("Module has no versions",
                "Module " + InQuotes(module.ToText()) + " (" + PlaceOf(call) +
                    ") has no versions available on " + module.host + ".",
                call.range);
    return std::nullopt;
  }
  diags.Error("Unresolvable module version constraint",
              "There is no available version of module " + InQuotes(module.ToText()) + " (" +
                  PlaceOf(call) +
                  ") which matches the given version constraint. The newest available version is " +
                  newest->ToText() + ".",
              call.version_range);
  return std::nullopt;
}

std::optional<config::InstalledModule> ModuleInstaller::FetchFromRegistry(
    const config::ModuleFetch& call, Diagnostics& diags) {
  const config::PackageAndDirectory split = config::SplitModuleSource(call.source.text);
  const RegistryModule module = RegistryModuleOf(split.package);
  const auto version = SelectVersion(call, module, diags);
  if (!version) {
    return std::nullopt;
  }
  events_.downloading(call.key, split.package, *version);
  const auto location = registry_.Location(module, *version);
  if (!location) {
    ReportRegistryError(call, module, *version, location.error(), diags);
    return std::nullopt;
  }
  const std::string target = DirectoryOf(call.key);
  config::PackageAndDirectory place;
  Result<void> done;
  if (location->direct) {
    place = config::SplitModuleSource(location->address);
    const auto url = net::Url::Parse(place.package);
    auto request = url && location->with_credentials ? network_.MetadataRequest(*url, module.host)
                   : url ? Result<net::HttpRequest>(network_.MetadataRequest(*url))
                         : Result<net::HttpRequest>(std::unexpected(url.error()));
    if (request) {
      request->headers.Set("Accept", "application/zip, application/x-tar; *;q=0.1");
      request->headers.Remove("X-Terraform-Version");
      std::error_code ignored;
      fs::remove_all(target, ignored);
      done = FetchArchive({.address = place.package, .target = target, .network = network_},
                          *request, {});
    } else {
      done = std::unexpected(request.error());
    }
  } else {
    const auto parsed = config::ParseModuleSource(location->address, false);
    if (!parsed || parsed->kind != config::ModuleSourceKind::kRemote) {
      ReportRegistryError(
          call, module, *version,
          {.message = "registry returned invalid package location " + InQuotes(location->address) +
                      ": must be a direct remote package address"},
          diags);
      return std::nullopt;
    }
    place = config::SplitModuleSource(parsed->text);
    done = GetOnce(place.package, target);
  }
  if (!done) {
    diags.Error("Failed to download module",
                "Could not download module " + PlaceOf(call) + " source code from " +
                    InQuotes(config::WithoutSecrets(place.package)) + ": " +
                    WithoutSecretsOf(done.error().message, place.package) + ".",
                call.range);
    return std::nullopt;
  }
  const std::string directory = place.directory.empty() ? split.directory
                                : split.directory.empty()
                                    ? place.directory
                                    : JoinPath(place.directory, split.directory);
  const auto found = FindDirectory(call, target, directory, true, diags);
  if (!found) {
    return std::nullopt;
  }
  return config::InstalledModule{*found, call.source.text, *version};
}

std::optional<config::InstalledModule> ModuleInstaller::FetchRemote(const config::ModuleFetch& call,
                                                                    Diagnostics& diags) {
  const config::PackageAndDirectory split = config::SplitModuleSource(call.source.text);
  events_.downloading(call.key, config::WithoutSecrets(split.package), "");
  const std::string target = DirectoryOf(call.key);
  if (auto done = GetOnce(split.package, target); !done) {
    diags.Error("Failed to download module",
                "Could not download module " + PlaceOf(call) + " source code from " +
                    InQuotes(config::WithoutSecrets(split.package)) + ": " +
                    WithoutSecretsOf(done.error().message, split.package),
                call.range);
    return std::nullopt;
  }
  const auto found = FindDirectory(call, target, split.directory, false, diags);
  if (!found) {
    return std::nullopt;
  }
  return config::InstalledModule{*found, call.source.text, ""};
}

std::optional<config::InstalledModule> ModuleInstaller::Fetch(const config::ModuleFetch& call,
                                                              Diagnostics& diags) {
  Drop(call.key);
  std::error_code ignored;
  fs::remove_all(DirectoryOf(call.key), ignored);
  return call.source.kind == config::ModuleSourceKind::kRegistry ? FetchFromRegistry(call, diags)
                                                                 : FetchRemote(call, diags);
}

}  // namespace kinu::install
