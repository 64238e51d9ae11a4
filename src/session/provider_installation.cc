#include "session/provider_installation.h"

#include <filesystem>

#include "addrs/compatible_version.h"
#include "addrs/provider_source.h"
#include "base/environment.h"
#include "base/files.h"
#include "codec/json_writer.h"
#include "config/requirements.h"
#include "plugin/handshake.h"
#include "session/provider_set.h"

namespace kinu::session {
namespace {

constexpr std::string_view kLockCreated =
    "\nOpenTofu has created a lock file [bold].terraform.lock.hcl[reset] to record the provider\n"
    "selections it made above. Include this file in your version control repository\n"
    "so that OpenTofu can guarantee to make the same selections by default when\n"
    "you run \"tofu init\" in the future.";
constexpr std::string_view kLockChanged =
    "\nOpenTofu has made some changes to the provider dependency selections recorded\n"
    "in the .terraform.lock.hcl file. Review those changes and commit them to your\n"
    "version control system if they represent changes you intended to make.";

/// One call of InstallProviders().
class ProviderInstall {
 public:
  ProviderInstall(const Workspace& workspace, const ProviderInstallRequest& request,
                  InitDialog& dialog, Diagnostics& diags)
      : workspace_(workspace), request_(request), dialog_(dialog), diags_(diags) {}

  bool Run(const Loaded& loaded, state::State& state);

 private:
  install::ProviderRequirements Requirements(const Loaded& loaded, state::State& state);
  void CheckAddresses(const install::ProviderRequirements& requirements);
  install::InstallEvents Events();
  void ReportFailure(const std::string& address, const std::string& error,
                     install::InstallFailure failure);
  bool SaveLocks(const install::LockFile& before, const install::InstallResult& installed);
  bool KeepLocks(const install::LockFile& before, const install::LockFile& after);

  const Workspace& workspace_;
  const ProviderInstallRequest& request_;
  InitDialog& dialog_;
  Diagnostics& diags_;
};

install::ProviderRequirements ProviderInstall::Requirements(const Loaded& loaded,
                                                            state::State& state) {
  install::ProviderRequirements out = RequiredProviders(loaded, diags_);
  if (state.program != nullptr) {
    AdoptProviders(*loaded.config, state);
  }
  for (const auto& resource : state.resources) {
    out.try_emplace(std::string(state.program->Text(resource->provider.provider)));
  }
  return out;
}

void ProviderInstall::CheckAddresses(const install::ProviderRequirements& requirements) {
  std::map<std::string, std::vector<std::string>> by_type;
  for (const auto& [address, constraints] : requirements) {
    size_t type = address.rfind('/');
    size_t space = type == std::string::npos ? type : address.rfind('/', type - 1);
    if (space == std::string::npos) {
      continue;
    }
    std::string name = address.substr(space + 1, type - space - 1);
    if (name == "hashicorp" || name == "opentofu") {
      by_type[address.substr(type + 1)].push_back(ProviderForDisplay(address));
    }
    if (name == "-") {
      diags_.Error(
          "Invalid legacy provider address",
          "This configuration or its associated state refers to the unqualified provider \"" +
              address.substr(type + 1) + "\".\n\nUpgrade it first, as for release 0.13.");
    }
  }
  for (const auto& [type, addresses] : by_type) {
    if (addresses.size() > 1) {
      std::string list;
      for (const std::string& address : addresses) {
        list += (list.empty() ? "" : ", ") + address;
      }
      diags_.Warning(
          "Potential provider misconfiguration",
          "OpenTofu has detected multiple providers of type " + type + " (" + list +
              ") which may be a misconfiguration.\n\nIf that is what you want, all is well.");
    }
  }
}

install::InstallEvents ProviderInstall::Events() {
  install::InstallEvents events;
  events.built_in = [this](const std::string& address) {
    dialog_.Say("- " + address + " is built in to OpenTofu");
  };
  events.query = [this](const std::string& address, const VersionConstraints& constraints,
                        bool locked) {
    if (locked) {
      dialog_.Say("- Reusing previous version of " + ProviderForDisplay(address) +
                  " from the dependency lock file");
    } else if (constraints.empty()) {
      dialog_.Say("- Finding latest version of " + ProviderForDisplay(address) + "...");
    } else {
      dialog_.Say("- Finding " + ProviderForDisplay(address) + " versions matching \"" +
                  constraints.ToCanonicalText() + "\"...");
    }
  };
  events.already_installed = [this](const std::string& address, const Version& version) {
    dialog_.Say("- Using previously-installed " + ProviderForDisplay(address) + " v" +
                version.ToText());
  };
  events.linking_from_cache = [this](const std::string& address, const Version& version) {
    dialog_.Say("- Using " + ProviderForDisplay(address) + " v" + version.ToText() +
                " from the shared cache directory");
  };
  events.installing = [this](const std::string& address, const Version& version, bool to_cache) {
    dialog_.Say("- Installing " + ProviderForDisplay(address) + " v" + version.ToText() +
                (to_cache ? " to the shared cache directory..." : "..."));
  };
  events.installed = [this](const std::string& address, const Version& version, bool) {
    dialog_.Say("- Installed " + ProviderForDisplay(address) + " v" + version.ToText() +
                " (unauthenticated)");
  };
  events.failed = [this](const std::string& address, const std::string& error,
                         install::InstallFailure failure) {
    ReportFailure(address, error, failure);
  };
  return events;
}

void ProviderInstall::ReportFailure(const std::string& address, const std::string& error,
                                    install::InstallFailure failure) {
  const std::string name = ProviderForDisplay(address);
  switch (failure) {
    case install::InstallFailure::kBuiltIn:
      diags_.Error("Invalid dependency on built-in provider",
                   "Cannot use " + name + ": " + error + ".");
      break;
    case install::InstallFailure::kNotFound:
      diags_.Error(
          "Failed to query available provider packages",
          "Could not retrieve the list of available versions for provider " + name + ": " + error);
      break;
    case install::InstallFailure::kNoVersion:
      diags_.Error("Failed to resolve provider packages",
                   "Could not resolve provider " + name + ": " + error);
      break;
    case install::InstallFailure::kInstallation:
      diags_.Error("Failed to install provider",
                   "Could not install the provider " + name + ": " + error);
      break;
  }
}

/// Refuses or ignores changes of a lock file that may not be written.
bool ProviderInstall::KeepLocks(const install::LockFile& before, const install::LockFile& after) {
  auto addresses = [](const install::LockFile& locks) {
    std::vector<std::string> out;
    for (const auto& [address, lock] : locks.providers) {
      out.push_back(address);
    }
    return out;
  };
  if (addresses(before) != addresses(after)) {
    diags_.Error(
        "Provider dependency changes detected",
        "Changes to the required provider dependencies were detected, but the lock file is "
        "read-only. Run \"tofu init\" without the \"-lockfile=readonly\" flag to record them.");
    return false;
  }
  diags_.Warning("Provider lock file not updated",
                 "Changes to the provider selections were detected, but not saved in the "
                 ".terraform.lock.hcl file. Run \"tofu init\" without the \"-lockfile=readonly\" "
                 "flag to record them.");
  return true;
}

bool ProviderInstall::SaveLocks(const install::LockFile& before,
                                const install::InstallResult& installed) {
  if (installed.locks == before) {
    return true;
  }
  if (request_.lock_file_readonly) {
    return KeepLocks(before, installed.locks);
  }
  if (!installed.incomplete_hashes.empty()) {
    std::string list;
    for (const std::string& address : installed.incomplete_hashes) {
      list += "\n  - " + ProviderForDisplay(address);
    }
    diags_.Warning("Incomplete lock file information for providers",
                   "Only the hashes of this platform's packages are known, so the lock file will "
                   "not do on another platform, for these providers:" +
                       list +
                       "\n\nRun \"tofu providers lock -platform=…\" for the other platforms "
                       "that you use.");
  }
  dialog_.Say(before.providers.empty() ? kLockCreated : kLockChanged);
  if (auto written = installed.locks.Write(std::string(install::kLockFileName)); !written) {
    diags_.Error("Failed to update dependency lock file", written.error().message);
  }
  return !diags_.has_errors();
}

bool ProviderInstall::Run(const Loaded& loaded, state::State& state) {
  WarnOfOverrides(workspace_, true, diags_);
  const install::ProviderRequirements requirements = Requirements(loaded, state);
  CheckAddresses(requirements);
  const install::LockFile locks = ReadLocksToInstall(workspace_, diags_);
  if (diags_.has_errors()) {
    return false;
  }
  if (request_.upgrade && request_.lock_file_readonly) {
    dialog_.Refuse("The -upgrade flag conflicts with -lockfile=readonly.\n");
    return false;
  }
  dialog_.Say("\n[reset][bold]Initializing provider plugins...");
  const install::CliConfig& cli_config = workspace_.cli_config;
  install::InstallOptions options;
  options.providers_directory = workspace_.data_directory + "/providers";
  options.upgrade = request_.upgrade;
  options.plugin_cache_directory = cli_config.plugin_cache_dir;
  if (std::string_view attach = Environment("TF_REATTACH_PROVIDERS"); !attach.empty()) {
    if (auto attachments = plugin::ParseAttachments(attach)) {
      for (const auto& [address, attachment] : *attachments) {
        options.unmanaged.push_back(address);
      }
    }
  }
  const install::PackageSource source(cli_config, request_.plugin_directories,
                                      workspace_.original_directory);
  const install::InstallResult installed =
      install::InstallProviders(requirements, locks, source, options, Events());
  return !diags_.has_errors() && SaveLocks(locks, installed);
}

}  // namespace

install::ProviderRequirements RequiredProviders(const Loaded& loaded, Diagnostics& diags) {
  install::ProviderRequirements out;
  for (config::ProviderRequirement& need : config::ProviderRequirements(*loaded.config, diags)) {
    out[std::string(loaded.program->Text(need.provider))] = std::move(need.constraints);
  }
  return out;
}

bool InstallProviders(const Workspace& workspace, const ProviderInstallRequest& request,
                      const Loaded& loaded, state::State& state, InitDialog& dialog,
                      Diagnostics& diags) {
  return ProviderInstall(workspace, request, dialog, diags).Run(loaded, state);
}

bool SavePluginDirectories(const Workspace& workspace, const std::vector<std::string>& directories,
                           Diagnostics& diags) {
  const std::string path = workspace.data_directory + "/plugin_path";
  if (directories.empty()) {
    std::error_code none;
    std::filesystem::remove(path, none);
    return true;
  }
  std::string text;
  JsonWriter out(text, {.indent = "  "});
  out.BeginArray();
  for (const std::string& directory : directories) {
    out.String(directory);
  }
  out.EndArray();
  auto written = MakeDirectories(workspace.data_directory);
  if (written) {
    written = ReplaceFile(path, text, 0644);
  }
  if (!written) {
    diags.Error("Error saving -plugin-path values", written.error().message);
  }
  return written.has_value();
}

}  // namespace kinu::session
