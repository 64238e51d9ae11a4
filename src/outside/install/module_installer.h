// Installs the modules that a configuration calls: decides for each call where its module is,
// fetches packages into `.terraform/modules` and keeps the manifest. The loader of configurations
// drives it (config::ModuleFetcher). Ref: opentofu internal/initwd/module_install.go.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "config/load.h"
#include "install/background_jobs.h"
#include "install/module_packages.h"
#include "install/module_registry.h"
#include "install/package_cache.h"

namespace kinu::install {

/// Callbacks for progress. All must be set.
struct ModuleEvents {
  /// A package is about to be fetched. `version`: of a registry module, or empty.
  std::function<void(const std::string& key, const std::string& package,
                     const std::string& version)>
      downloading;
  /// A call has its module in this directory; empty: it was not found.
  std::function<void(const std::string& key, const std::string& directory)> installed;
};

class ModuleInstaller final : public config::ModuleFetcher {
 public:
  struct Options {
    std::string modules_directory;  ///< `.terraform/modules`
    bool upgrade = false;           ///< fetch again what is installed
    std::string cache_directory = PackageCacheDirectory();
  };

  ModuleInstaller(Network& network, Options options, ModuleEvents events)
      : network_(network),
        options_(std::move(options)),
        events_(std::move(events)),
        registry_(network),
        cache_(options_.cache_directory) {}

  /// The manifest that was read, with what this run changed.
  const std::map<std::string, config::InstalledModule, std::less<>>& manifest() const {
    return manifest_;
  }

  void Begin(const std::map<std::string, config::InstalledModule, std::less<>>& manifest) override;
  bool MayKeep() const override { return !options_.upgrade; }
  void Forget(const std::string& key) override;
  void Expect(const std::vector<config::ModuleFetch>& calls) override;
  std::optional<config::InstalledModule> Fetch(const config::ModuleFetch& call,
                                               Diagnostics& diags) override;
  void Found(const std::string& key, const config::InstalledModule& module, bool is_kept) override;

 private:
  std::optional<config::InstalledModule> FetchFromRegistry(const config::ModuleFetch& call,
                                                           Diagnostics& diags);
  std::optional<config::InstalledModule> FetchRemote(const config::ModuleFetch& call,
                                                     Diagnostics& diags);
  std::optional<std::string> SelectVersion(const config::ModuleFetch& call,
                                           const RegistryModule& module, Diagnostics& diags);
  void ReportRegistryError(const config::ModuleFetch& call, const RegistryModule& module,
                           const std::string& action, const ModuleRegistryError& error,
                           Diagnostics& diags);
  /// The path in a package that a source names, which may be a pattern; empty after an error.
  static std::optional<std::string> FindDirectory(const config::ModuleFetch& call,
                                                  const std::string& package_directory,
                                                  const std::string& directory, Diagnostics& diags);
  /// The module in a directory of a package that is there; nothing after an error.
  std::optional<config::InstalledModule> ModuleIn(const config::ModuleFetch& call,
                                                  const std::string& package_directory,
                                                  const std::string& directory,
                                                  const std::string& version, Diagnostics& diags);
  void FetchAhead(const config::ModuleFetch& call);
  /// Waits for what FetchAhead() does for a call.
  void FinishAhead(const std::string& key);
  std::string DirectoryOf(const std::string& key) const;

  Network& network_;
  Options options_;
  ModuleEvents events_;
  ModuleRegistry registry_;
  std::map<std::string, config::InstalledModule, std::less<>> manifest_;
  PackageCache cache_;
  ModulePackages packages_;
  std::map<std::string, size_t> ahead_;  ///< number of the job of a call that was expected
  BackgroundJobs jobs_{8};               ///< last: they use the members above
};

/// The only directory of a package that a path or pattern matches.
Result<std::string> FindPackageDirectory(const std::string& package_directory,
                                         const std::string& directory);

}  // namespace kinu::install
