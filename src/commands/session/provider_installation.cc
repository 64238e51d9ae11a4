#include "session/provider_installation.h"

#include <algorithm>
#include <filesystem>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "base/program_name.h"
#include "compatibility/level.h"
#include "config/requirements.h"
#include "json/expected.h"
#include "json/reader.h"
#include "json/writer.h"
#include "session/network.h"
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
  void ReportFailure(const install::InstallProblem& problem);
  void ReportQuery(const install::InstallProblem& problem);
  void ReportUnknownProvider(const install::InstallProblem& problem);
  void WarnOfImpliedProvider(const std::string& address);
  void ReportPackage(const install::InstallProblem& problem);
  void ReportProtocol(const install::InstallProblem& problem);
  void ReportInstalled(const std::string& address, const Version& version,
                       const install::PackageTrust& trust);
  bool SaveLocks(const install::LockFile& before, const install::InstallResult& installed);
  bool KeepLocks(const install::LockFile& before, const install::LockFile& after);

  const Workspace& workspace_;
  const ProviderInstallRequest& request_;
  InitDialog& dialog_;
  Diagnostics& diags_;
  install::ProviderRequirements requirements_;
  const Loaded* loaded_ = nullptr;        ///< while Run() installs
  install::SourceSet* source_ = nullptr;  ///< while Run() installs
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
  for (const auto& [text, constraints] : requirements) {
    const auto address = ParseProviderSource(text);
    if (!address) {
      continue;
    }
    if (address->space == "hashicorp" || address->space == "opentofu") {
      by_type[address->type].push_back(address->ForDisplay());
    }
    if (address->space == "-") {
      diags_.Error(
          "Invalid legacy provider address",
          "This configuration or its associated state refers to the unqualified provider \"" +
              address->type + "\".\n\nUpgrade it first, as for release 0.13.");
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
  events.warned = [this](const std::string& address, const std::vector<std::string>& warnings) {
    std::string list;
    for (const std::string& warning : warnings) {
      list += "\n- " + warning;
    }
    diags_.Warning("Additional provider information from registry",
                   "The remote registry returned warnings for " + address + ":" + list);
  };
  events.already_installed = [this](const std::string& address, const Version& version,
                                    bool in_cache) {
    const std::string text = ProviderForDisplay(address) + " v" + version.ToText();
    dialog_.Say(in_cache
                    ? "- Detected previously-installed " + text + " in the shared cache directory"
                    : "- Using previously-installed " + text);
  };
  events.linking_from_cache = [this](const std::string& address, const Version& version) {
    dialog_.Say("- Using " + ProviderForDisplay(address) + " v" + version.ToText() +
                " from the shared cache directory");
  };
  events.installing = [this](const std::string& address, const Version& version, bool to_cache) {
    dialog_.Say("- Installing " + ProviderForDisplay(address) + " v" + version.ToText() +
                (to_cache ? " to the shared cache directory..." : "..."));
  };
  events.installed = [this](const std::string& address, const Version& version,
                            const install::PackageTrust& trust) {
    ReportInstalled(address, version, trust);
  };
  events.waiting = [this](const std::string& directory) {
    dialog_.Say("- Waiting for lock on cache directory " + directory);
  };
  events.authenticated = [this](bool is_signed) {
    if (is_signed) {
      dialog_.Say(
          "\nProviders are signed by their developers.\n"
          "If you'd like to know more about provider signing, you can read about it here:\n"
          "https://opentofu.org/docs/cli/plugins/signing/");
    }
  };
  events.failed = [this](const install::InstallProblem& problem) { ReportFailure(problem); };
  return events;
}

void ProviderInstall::ReportInstalled(const std::string& address, const Version& version,
                                      const install::PackageTrust& trust) {
  const std::string text = "- Installed " + ProviderForDisplay(address) + " v" + version.ToText();
  if (trust.signing_skipped()) {
    dialog_.Warn(text +
                 ". Signature validation was skipped due to the registry not containing GPG keys "
                 "for this provider");
    return;
  }
  dialog_.Say(text + " (" + trust.Summary() +
              (trust.is_signed() ? ", key ID " + trust.KeyIds() : "") + ")");
}

/// Names the block whose type implies a provider that does not exist.
void ProviderInstall::WarnOfImpliedProvider(const std::string& address) {
  const Program& program = *loaded_->program;
  const auto use = config::FindImpliedUse(*loaded_->config, program.Find(address));
  if (!use) {
    return;
  }
  const std::string name = SplitProviderAddress(address).type;
  const std::string type(program.Text(use->resource.resource.type));
  diags_.Warning("Automatically-inferred provider dependency",
                 "No entry of required_providers in its module has the local name \"" + name +
                     "\", which is the prefix of the resource type of " +
                     program.ToText(use->resource) + ". OpenTofu therefore guessed that you " +
                     "intended to use " + ProviderForDisplay(address) +
                     ", but that provider does not exist.\n\nDo one of the following:\n\n" +
                     "- Add the local name \"" + name +
                     "\" to required_providers, with the source address of the provider.\n" +
                     "- Correct the resource type, if \"" + type +
                     "\" is not the one that you intended.\n" +
                     "- Choose a provider with the argument \"provider\" in this block.\n",
                 use->range);
}

void ProviderInstall::ReportUnknownProvider(const install::InstallProblem& problem) {
  const std::string name = ProviderForDisplay(problem.address);
  std::vector<std::string> required;
  for (const auto& [address, constraints] : requirements_) {
    required.push_back(address);
  }
  const std::string other = source_->Suggestion(problem.address, required);
  const std::string users = "To see which modules are currently depending on " + name +
                            Hint(", run the following command:\n    tofu providers");
  std::string advice =
      other.empty() ? "All modules should specify their required_providers, so that those who use "
                      "a module get the right providers. " +
                          users
                    : "Did you intend to use " + ProviderForDisplay(other) +
                          "? If so, you must specify that source address in each module which "
                          "requires that provider. " +
                          users;
  if (SplitProviderAddress(problem.address).host == kDefaultRegistryHost) {
    advice +=
        "\n\nIf you believe this provider is missing from the registry, please submit a issue on "
        "the OpenTofu Registry https://github.com/opentofu/registry/issues/new/choose";
  }
  WarnOfImpliedProvider(problem.address);
  diags_.Error("Failed to query available provider packages",
               "Could not retrieve the list of available versions for provider " + name + ": " +
                   problem.error.message + "\n\n" + advice);
}

/// Why the host of a provider's address cannot be asked for it.
std::string WhyInvalid(const std::string& host, const install::InstallProblem& problem) {
  const std::string given =
      "The host \"" + host + "\" given in provider source address \"" + problem.address + "\" ";
  if (problem.error.problem == install::SourceProblem::kOtherRegistry) {
    return given +
           "offers a provider registry of another version of the protocol, which another version "
           "of OpenTofu may know.";
  }
  if (host == "github.com") {
    return "The given source address \"" + problem.address +
           "\" specifies a GitHub repository rather than a OpenTofu provider. The documentation of "
           "the provider says which source address to use.";
  }
  return given + "does not offer a OpenTofu provider registry.";
}

void ProviderInstall::ReportQuery(const install::InstallProblem& problem) {
  using Problem = install::SourceProblem;
  const std::string name = ProviderForDisplay(problem.address);
  const std::string host = SplitProviderAddress(problem.address).host;
  switch (problem.error.problem) {
    case Problem::kNotFound: {
      std::string list;
      for (const std::string& source : problem.error.sources) {
        list += (list.empty() ? "" : "\n") + ("  - " + source);
      }
      diags_.Error("Failed to query available provider packages",
                   "Could not retrieve the list of available versions for provider " + name + ": " +
                       problem.error.message + "\n\n" + list);
      return;
    }
    case Problem::kUnknownProvider:
      ReportUnknownProvider(problem);
      return;
    case Problem::kNoRegistry:
    case Problem::kOtherRegistry:
      diags_.Error("Invalid provider registry host", WhyInvalid(host, problem));
      return;
    case Problem::kCancelled:
      return;  // reported once, at the end
    case Problem::kPlatform:
    case Problem::kProtocol:
    case Problem::kFailed:
      break;
  }
  diags_.Error("Failed to resolve provider packages",
               "Could not resolve provider " + name + ": " + problem.error.message);
}

void ProviderInstall::ReportProtocol(const install::InstallProblem& problem) {
  constexpr const char* kSummary = "Incompatible provider version";
  if (!problem.error.suggestion) {
    diags_.Error(kSummary,
                 "No compatible versions of provider " + problem.address + " were found.");
    return;
  }
  const std::string suggested = problem.error.suggestion->ToText();
  const bool older = *problem.error.suggestion < problem.version;
  diags_.Error(
      kSummary,
      "Provider \"" + ProviderForDisplay(problem.address) + "\" v" + problem.version.ToText() +
          " is not compatible with OpenTofu " + std::string(compatibility::FullRelease()) + ".\n" +
          (older ? "You need to downgrade to v" + suggested +
                       " or earlier. Select it with the "
                       "following constraint:\n\tversion = \""
                 : "Provider version " + suggested +
                       " is the latest compatible version. Select it with the following version "
                       "constraint:\n\tversion = \"") +
          suggested + "\"\n\nThese constraints were considered:\n\t" +
          requirements_[problem.address].ToCanonicalText() +
          "\n\nThe documentation of the provider says which versions of OpenTofu it needs.");
}

void ProviderInstall::ReportPackage(const install::InstallProblem& problem) {
  using Problem = install::SourceProblem;
  switch (problem.error.problem) {
    case Problem::kPlatform:
      diags_.Error("Incompatible provider version",
                   "Provider " + problem.address + " v" + problem.version.ToText() +
                       " does not have a package available for your current platform, " +
                       install::CurrentPlatform() +
                       ".\n\nProviders are released apart from OpenTofu, and not all of them for "
                       "all platforms. Other versions of this provider may have different "
                       "platforms supported.");
      return;
    case Problem::kProtocol:
      ReportProtocol(problem);
      return;
    case Problem::kCancelled:
      return;
    default:
      break;
  }
  diags_.Error("Failed to install provider",
               "Error while installing " + ProviderForDisplay(problem.address) + " v" +
                   problem.version.ToText() + ": " + problem.error.message);
}

void ProviderInstall::ReportFailure(const install::InstallProblem& problem) {
  switch (problem.step) {
    case install::InstallStep::kBuiltIn:
      diags_.Error(
          "Invalid dependency on built-in provider",
          "Cannot use " + ProviderForDisplay(problem.address) + ": " + problem.error.message + ".");
      break;
    case install::InstallStep::kQuery:
      ReportQuery(problem);
      break;
    case install::InstallStep::kPackage:
      ReportPackage(problem);
      break;
    case install::InstallStep::kLink:
      diags_.Error("Failed to install provider from shared cache",
                   "Error while importing " + ProviderForDisplay(problem.address) + " v" +
                       problem.version.ToText() +
                       " from the shared cache directory: " + problem.error.message + ".");
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
        Hint("Changes to the required provider dependencies were detected, but the lock file is "
             "read-only. Run \"tofu init\" without the \"-lockfile=readonly\" flag to record "
             "them."));
    return false;
  }
  diags_.Warning(
      "Provider lock file not updated",
      Hint("Changes to the provider selections were detected, but not saved in the "
           ".terraform.lock.hcl file. Run \"tofu init\" without the \"-lockfile=readonly\" "
           "flag to record them."));
  return true;
}

bool ProviderInstall::SaveLocks(const install::LockFile& before,
                                const install::InstallResult& installed) {
  if (installed.locks.SelectsSame(before)) {
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
                       Hint("\n\nRun \"tofu providers lock -platform=…\" for the other platforms "
                            "that you use."));
  }
  dialog_.Say(Hint(before.providers.empty() ? kLockCreated : kLockChanged));
  if (auto written = installed.locks.Write(std::string(install::kLockFileName)); !written) {
    diags_.Error("Failed to update dependency lock file", written.error().message);
  }
  return !diags_.has_errors();
}

bool ProviderInstall::Run(const Loaded& loaded, state::State& state) {
  WarnOfOverrides(workspace_, true, diags_);
  requirements_ = Requirements(loaded, state);
  CheckAddresses(requirements_);
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
  options.watch = request_.watch;
  options.plugin_cache_directory = cli_config.plugin_cache_dir;
  for (const auto& [address, attachment] : workspace_.attachments) {
    options.unmanaged.push_back(address);
  }
  options.plugin_cache_may_break_lock_file = cli_config.plugin_cache_may_break_lock_file;
  options.warn = [this](const std::string& line) { dialog_.Say(line); };
  install::Network network = OpenNetwork(workspace_);
  install::SourceSet source(cli_config, request_.plugin_directories, workspace_.original_directory,
                            network);
  loaded_ = &loaded;
  source_ = &source;
  const install::InstallResult installed =
      install::InstallProviders(requirements_, locks, source, network, options, Events());
  loaded_ = nullptr;
  source_ = nullptr;
  if (workspace_.stopped()) {
    dialog_.Refuse("Provider installation was canceled by an interrupt signal.\n");
    return false;
  }
  return !diags_.has_errors() && SaveLocks(locks, installed);
}

std::string PluginDirectoriesPath(const Workspace& workspace) {
  return workspace.data_directory + "/plugin_path";
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
  const std::string path = PluginDirectoriesPath(workspace);
  if (directories.empty()) {
    return true;
  }
  if (directories.size() == 1 && directories[0].empty()) {
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

Result<void> CheckPluginDirectories(const Workspace& workspace) {
  const Result<std::string> text = ReadFile(PluginDirectoriesPath(workspace));
  if (!text) {
    return text.error().code == ErrorCode::kNotFound ? Result<void>()
                                                     : std::unexpected(text.error());
  }
  const JsonDocument document = ParseJson(*text);
  constexpr json::Expected kDirectories{
      .type = json::Expected::Type::kList, .name = "[]string", .element = &json::kExpectedText};
  std::string problem = json::ProblemOf(*text, document, kDirectories);
  return problem.empty() ? Result<void>() : Fail(ErrorCode::kInvalid, std::move(problem));
}

}  // namespace kinu::session
