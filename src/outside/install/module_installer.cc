#include "install/module_installer.h"

#include <algorithm>
#include <filesystem>

#include <glob.h>

#include "addrs/provider_source.h"
#include "addrs/version.h"
#include "base/files.h"
#include "install/module_getters.h"

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

/// A directory inside a directory; either may be empty.
std::string JoinDirectories(const std::string& outer, const std::string& inner) {
  if (outer.empty()) {
    return inner;
  }
  return inner.empty() ? outer : JoinPath(outer, inner);
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

/// Where the package of a registry module is, and how it is fetched.
struct RegistryPackage {
  std::string name;  ///< equal for calls that share the package
  config::PackageAndDirectory place;
  FetchPackage fetch;
};

/// Only the constraint "1.0.0" or "= 1.0.0" itself selects a pre-release.
bool AllowsModule(const VersionConstraints& constraints, const Version& version) {
  if (version.prerelease().empty()) {
    return constraints.empty() || constraints.Allows(version);
  }
  const auto& terms = constraints.terms();
  return terms.size() == 1 && terms[0].op == VersionConstraints::Operator::kEqual &&
         terms[0].version.ToText() == version.ToText();
}

struct VersionChoice {
  std::optional<Version> best;    ///< that the constraint allows
  std::optional<Version> newest;  ///< that is no pre-release
  std::vector<std::string> invalid;
};

VersionChoice ChooseVersion(const ModuleVersions& offered, const std::string& constraint) {
  const auto constraints = VersionConstraints::Parse(constraint);
  const VersionConstraints wanted =
      constraint.empty() || !constraints ? VersionConstraints() : *constraints;
  VersionChoice choice;
  for (const std::string& text : offered.versions) {
    auto version = Version::Parse(text);
    if (!version) {
      choice.invalid.push_back(text);
      continue;
    }
    if (version->prerelease().empty() && (!choice.newest || *choice.newest < *version)) {
      choice.newest = *version;
    }
    if (AllowsModule(wanted, *version) && (!choice.best || *choice.best < *version)) {
      choice.best = *std::move(version);
    }
  }
  return choice;
}

/// Fetches a package that a registry has itself.
FetchPackage FetchFromHost(const std::string& address, const std::string& host,
                           bool with_credentials, Network& network, PackageCache& cache) {
  return [=, &network, &cache](const std::string& target) -> Result<void> {
    KINU_TRY(const net::Url url, net::Url::Parse(address));
    KINU_TRY(net::HttpRequest request,
             with_credentials ? network.MetadataRequest(url, host)
                              : Result<net::HttpRequest>(network.MetadataRequest(url)));
    request.headers.Set("Accept", "application/zip, application/x-tar; *;q=0.1");
    request.headers.Remove("X-Terraform-Version");
    return FetchArchive({.address = address, .target = target, .network = network, .cache = cache},
                        request, {});
  };
}

FetchPackage FetchFrom(const std::string& address, Network& network, PackageCache& cache) {
  return [address, &network, &cache](const std::string& target) {
    return GetPackage(address, target, network, cache);
  };
}

/// Nothing if the registry names a place where no package can be.
std::optional<RegistryPackage> PackageAt(const ModuleLocation& location, const std::string& host,
                                         const std::string& key, Network& network,
                                         PackageCache& cache) {
  if (location.direct) {
    const config::PackageAndDirectory place = config::SplitModuleSource(location.address);
    return RegistryPackage{
        .name = key + ' ' + place.package,  // never shared
        .place = place,
        .fetch = FetchFromHost(place.package, host, location.with_credentials, network, cache)};
  }
  const auto parsed = config::ParseModuleSource(location.address, false);
  if (!parsed || parsed->kind != config::ModuleSourceKind::kRemote) {
    return std::nullopt;
  }
  const config::PackageAndDirectory place = config::SplitModuleSource(parsed->text);
  return RegistryPackage{
      .name = place.package, .place = place, .fetch = FetchFrom(place.package, network, cache)};
}

}  // namespace

Result<std::string> FindPackageDirectory(const std::string& package_directory,
                                         const std::string& directory) {
  glob_t found = {};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): for patterns of user names alone
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
  manifest_[key] = module;
  if (!is_kept) {
    events_.installed(key, module.dir);
  }
}

void ModuleInstaller::Forget(const std::string& key) {
  std::erase_if(manifest_, [&](const auto& entry) {
    return entry.first == key || entry.first.starts_with(key + ".");
  });
  if (!ahead_.contains(key)) {
    std::error_code ignored;
    fs::remove_all(DirectoryOf(key), ignored);
  }
}

std::string ModuleInstaller::DirectoryOf(const std::string& key) const {
  return JoinPath(options_.modules_directory, key);
}

std::optional<std::string> ModuleInstaller::FindDirectory(const config::ModuleFetch& call,
                                                          const std::string& package_directory,
                                                          const std::string& directory,
                                                          Diagnostics& diags) {
  if (directory.empty()) {
    return package_directory;
  }
  if (call.source.kind == config::ModuleSourceKind::kRegistry) {
    return JoinPath(package_directory, directory);
  }
  auto found = FindPackageDirectory(package_directory, directory);
  if (found) {
    return *std::move(found);
  }
  diags.Error("Failed to expand subdir globs", found.error().message);
  return std::nullopt;
}

std::optional<config::InstalledModule> ModuleInstaller::ModuleIn(
    const config::ModuleFetch& call, const std::string& package_directory,
    const std::string& directory, const std::string& version, Diagnostics& diags) {
  const auto found = FindDirectory(call, package_directory, directory, diags);
  if (!found) {
    return std::nullopt;
  }
  config::InstalledModule module{*found, call.source.text, version};
  if (IsDirectory(*found)) {
    return module;
  }
  // The manifest has the module nevertheless.
  Found(call.key, module, false);
  if (FileExists(*found)) {
    diags.Error("Unreadable module directory",
                "The directory " + *found + " could not be read: it is a file.");
  } else {
    diags.Error("Module subdirectory not found",
                "Cannot find directory " + InQuotes(directory) + " in module " +
                    InQuotes(package_directory) + ". The requested subdirectory was " +
                    InQuotes(directory) + ".",
                call.range);
  }
  return std::nullopt;
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
  const VersionChoice choice = ChooseVersion(*answer, call.version);
  for (const std::string& text : choice.invalid) {
    diags.Warning("Invalid response from remote module registry",
                  "The registry at " + module.host + " returned an invalid version string " +
                      InQuotes(text) + " for module " + PlaceOf(call) + ", which OpenTofu ignored.",
                  call.range);
  }
  if (choice.best) {
    return choice.best->ToText();
  }
  if (!choice.newest) {
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
                  choice.newest->ToText() + ".",
              call.range);
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
  FinishAhead(call.key);
  const auto& location = registry_.Location(module, *version);
  if (!location) {
    ReportRegistryError(call, module, *version, location.error(), diags);
    return std::nullopt;
  }
  const auto package = PackageAt(*location, module.host, call.key, network_, cache_);
  if (!package) {
    ReportRegistryError(
        call, module, *version,
        {.message = "registry returned invalid package location " + InQuotes(location->address) +
                    ": must be a direct remote package address"},
        diags);
    return std::nullopt;
  }
  const std::string target = DirectoryOf(call.key);
  const config::PackageAndDirectory& place = package->place;
  if (auto done = packages_.Place(package->name, target, package->fetch); !done) {
    diags.Error("Failed to download module",
                "Could not download module " + PlaceOf(call) + " source code from " +
                    InQuotes(config::WithoutSecrets(place.package)) + ": " +
                    WithoutSecretsOf(done.error().message, place.package) + ".",
                call.range);
    return std::nullopt;
  }
  return ModuleIn(call, target, JoinDirectories(place.directory, split.directory), *version, diags);
}

std::optional<config::InstalledModule> ModuleInstaller::FetchRemote(const config::ModuleFetch& call,
                                                                    Diagnostics& diags) {
  const config::PackageAndDirectory split = config::SplitModuleSource(call.source.text);
  events_.downloading(call.key, config::WithoutSecrets(split.package), "");
  const std::string target = DirectoryOf(call.key);
  FinishAhead(call.key);
  if (auto done =
          packages_.Place(split.package, target, FetchFrom(split.package, network_, cache_));
      !done) {
    diags.Error("Failed to download module",
                "Could not download module " + PlaceOf(call) + " source code from " +
                    InQuotes(config::WithoutSecrets(split.package)) + ": " +
                    WithoutSecretsOf(done.error().message, split.package),
                call.range);
    return std::nullopt;
  }
  return ModuleIn(call, target, split.directory, "", diags);
}

void ModuleInstaller::Expect(const std::vector<config::ModuleFetch>& calls) {
  if (calls.size() < 2) {
    return;
  }
  for (const config::ModuleFetch& call : calls) {
    std::error_code ignored;
    fs::remove_all(DirectoryOf(call.key), ignored);
    ahead_[call.key] = jobs_.Add([this, call] { FetchAhead(call); });
  }
}

/// Does what needs no order: asks registries and fetches packages. Problems are found again, and
/// reported, by Fetch().
void ModuleInstaller::FetchAhead(const config::ModuleFetch& call) {
  const config::PackageAndDirectory split = config::SplitModuleSource(call.source.text);
  const std::string target = DirectoryOf(call.key);
  if (call.source.kind != config::ModuleSourceKind::kRegistry) {
    packages_.FetchAhead(split.package, target, FetchFrom(split.package, network_, cache_));
    return;
  }
  const RegistryModule module = RegistryModuleOf(split.package);
  const auto& offered = registry_.Versions(module);
  const auto version = offered ? ChooseVersion(*offered, call.version).best : std::nullopt;
  if (!version) {
    return;
  }
  const auto& location = registry_.Location(module, version->ToText());
  const auto package =
      location ? PackageAt(*location, module.host, call.key, network_, cache_) : std::nullopt;
  if (package) {
    packages_.FetchAhead(package->name, target, package->fetch);
  }
}

void ModuleInstaller::FinishAhead(const std::string& key) {
  if (const auto job = ahead_.find(key); job != ahead_.end()) {
    jobs_.Finish(job->second);
  }
}

std::optional<config::InstalledModule> ModuleInstaller::Fetch(const config::ModuleFetch& call,
                                                              Diagnostics& diags) {
  return call.source.kind == config::ModuleSourceKind::kRegistry ? FetchFromRegistry(call, diags)
                                                                 : FetchRemote(call, diags);
}

}  // namespace kinu::install
