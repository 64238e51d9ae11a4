#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/modules.h"
#include "cli/operation.h"
#include "config/requirements.h"
#include "install/provider_installer.h"
#include "plugin/handshake.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kEmptyDirectory =
    "OpenTofu initialized in an empty directory!\n\n"
    "The directory has no OpenTofu configuration files. You may begin working\n"
    "with OpenTofu immediately by creating OpenTofu configuration files.\n";
constexpr std::string_view kLockCreated =
    "\nOpenTofu has created a lock file .terraform.lock.hcl to record the provider\n"
    "selections it made above. Include this file in your version control repository\n"
    "so that OpenTofu can guarantee to make the same selections by default when\n"
    "you run \"tofu init\" in the future.";
constexpr std::string_view kLockChanged =
    "\nOpenTofu has made some changes to the provider dependency selections recorded\n"
    "in the .terraform.lock.hcl file. Review those changes and commit them to your\n"
    "version control system if they represent changes you intended to make.";
constexpr std::string_view kNextSteps =
    "\nYou may now begin working with OpenTofu. Try running \"tofu plan\" to see\n"
    "any changes that are required for your infrastructure. All OpenTofu commands\n"
    "should now work.\n\n"
    "If you ever set or change modules or backend configuration for OpenTofu,\n"
    "rerun this command to reinitialize your working directory. If you forget, other\n"
    "commands will detect it and remind you to do so if necessary.";
constexpr std::string_view kConfigProblems =
    "OpenTofu encountered problems during initialization, including problems\n"
    "with the configuration, described below.\n\n"
    "The OpenTofu configuration must be valid before initialization so that\n"
    "OpenTofu can determine which modules and providers need to be installed.\n";

/// "hashicorp/null" for the default registry, else the whole address.
std::string DisplayAddress(const std::string& address) {
  constexpr std::string_view kDefault = "registry.opentofu.org/";
  return address.starts_with(kDefault) ? address.substr(kDefault.size()) : address;
}

/// What the configuration and the state need, with the constraints of all modules together.
install::ProviderRequirements Requirements(const Loaded& loaded, const state::State& state,
                                           Diagnostics& diags) {
  install::ProviderRequirements out;
  const Program& program = *loaded.program;
  for (config::ProviderRequirement& need : config::ProviderRequirements(*loaded.config, diags)) {
    out[std::string(program.Text(need.provider))] = std::move(need.constraints);
  }
  for (const auto& resource : state.resources) {
    out.try_emplace(std::string(program.Text(resource->provider.provider)));
  }
  return out;
}

}  // namespace

int RunInit(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {
      {"ignore-remote-version"},
      {"backend", FlagKind::kBool, "true"},
      {"cloud", FlagKind::kBool, "true"},
      {"backend-config", FlagKind::kList},
      {"force-copy"},
      {"reconfigure"},
      {"migrate-state"},
      {"from-module", FlagKind::kString},
      {"get", FlagKind::kBool, "true"},
      {"upgrade"},
      {"plugin-dir", FlagKind::kList},
      {"lockfile", FlagKind::kString},
      {"test-directory", FlagKind::kString, "tests"},
  };
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags, kLockFlags,
                                              kInputFlags};
  Diagnostics diags;
  auto flags = Flags::Parse(tables, invocation.args);
  if (!flags) {
    diags.Error("Failed to parse command-line flags", flags.error().message);
    return UsageError(invocation, diags);
  }
  if (!flags->positionals().empty()) {
    diags.Error("Unexpected argument",
                "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (flags->IsSet("backend") && flags->IsSet("cloud")) {
    diags.Error("Wrong combination of options",
                "The -backend and -cloud options are aliases of one another and "
                "mutually-exclusive in their use");
  }
  if (flags->Bool("migrate-state") && flags->Bool("reconfigure")) {
    diags.Error("Wrong combination of options",
                "The -migrate-state and -reconfigure options are mutually-exclusive");
  }
  for (std::string_view name : {"json-into", "from-module"}) {
    if (!flags->String(name).empty()) {
      diags.Error("Not built yet", "The option -" + std::string(name) + " comes later.");
    }
  }
  if (flags->Bool("json") || !flags->List("backend-config").empty()) {
    diags.Error("Not built yet", "The option -" +
                                     std::string(flags->Bool("json") ? "json" : "backend-config") +
                                     " comes later.");
  }
  auto arguments = VariableArguments(*flags, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  if (!config::IsConfigDir(".")) {
    Print(kEmptyDirectory);
    return 0;
  }
  Print(invocation.style().Paint("\n[reset][bold]Initializing the backend..."));
  Print("\n");
  Loaded loaded;
  loaded.program = std::make_shared<Program>();
  loaded.inputs = GatherWorkingInputs(arguments, diags);
  config::LoadOptions load_options;
  load_options.workspace = WorkspaceOf(invocation);
  load_options.inputs = &loaded.inputs;
  load_options.require_installed = false;
  loaded.config = config::LoadConfig(loaded.program, ".", load_options, diags);
  if (diags.has_errors()) {
    PrintError(kConfigProblems);
    invocation.Show(diags);
    return 1;
  }
  backend::LocalOptions backend_options;
  if (!ReadBackend(invocation, loaded, backend_options, diags)) {
    invocation.Show(diags);
    return 1;
  }
  bool has_modules = loaded.config->nodes.size() > 1;
  if (has_modules && flags->Bool("get")) {
    Print(invocation.style().Paint(flags->Bool("upgrade")
                                       ? "[reset][bold]Upgrading modules..."
                                       : "[reset][bold]Initializing modules..."));
    Print("\n");
    Print(ModuleLines(loaded));
    WriteModuleManifest(invocation, loaded, diags);
  }
  auto store = backend::LocalBackend(backend_options).Open(WorkspaceOf(invocation), loaded.program);
  auto state = store ? (*store)->Read(loaded.program) : std::unexpected(store.error());
  if (!state) {
    diags.Error("Failed to load state", state.error().message);
    invocation.Show(diags);
    return 1;
  }
  Print(invocation.style().Paint("\n[reset][bold]Initializing provider plugins..."));
  Print("\n");
  const install::CliConfig& cli_config = invocation.cli_config;
  std::string lock_path(install::kLockFileName);
  bool had_lock = FileExists(lock_path);
  install::LockFile locks = install::LockFile::Read(lock_path, diags);
  install::ProviderRequirements requirements = Requirements(loaded, *state, diags);
  if (diags.has_errors()) {
    invocation.Show(diags);
    return 1;
  }
  for (const auto& [address, directory] : cli_config.dev_overrides()) {
    requirements.erase(address);
  }
  install::InstallOptions options;
  options.providers_directory = invocation.data_directory + "/providers";
  options.upgrade = flags->Bool("upgrade");
  options.plugin_cache_directory = cli_config.plugin_cache_dir;
  const char* attach = std::getenv("TF_REATTACH_PROVIDERS");
  if (attach != nullptr && *attach != '\0') {
    if (auto attachments = plugin::ParseAttachments(attach)) {
      for (const auto& [address, attachment] : *attachments) {
        options.unmanaged.push_back(address);
      }
    }
  }
  install::InstallEvents events;
  events.built_in = [](const std::string& address) {
    Print("- " + address + " is built in to OpenTofu\n");
  };
  events.query = [](const std::string& address, const VersionConstraints& constraints,
                    bool locked) {
    if (locked) {
      Print("- Reusing previous version of " + DisplayAddress(address) +
            " from the dependency lock file\n");
    } else if (constraints.empty()) {
      Print("- Finding latest version of " + DisplayAddress(address) + "...\n");
    } else {
      Print("- Finding " + DisplayAddress(address) + " versions matching \"" +
            constraints.ToCanonicalText() + "\"...\n");
    }
  };
  events.already_installed = [](const std::string& address, const Version& version) {
    Print("- Using previously-installed " + DisplayAddress(address) + " v" + version.ToText() +
          "\n");
  };
  events.installing = [](const std::string& address, const Version& version) {
    Print("- Installing " + DisplayAddress(address) + " v" + version.ToText() + "...\n");
  };
  events.installed = [](const std::string& address, const Version& version, bool) {
    Print("- Installed " + DisplayAddress(address) + " v" + version.ToText() +
          " (unauthenticated)\n");
  };
  events.failed = [&](const std::string& address, const std::string& error, bool querying) {
    diags.Error(
        querying ? "Failed to query available provider packages" : "Failed to install provider",
        "Could not " + std::string(querying ? "find" : "install") + " the provider " +
            DisplayAddress(address) + ": " + error);
  };
  install::PackageSource source(cli_config, flags->List("plugin-dir"),
                                invocation.original_directory);
  install::InstallResult installed =
      install::InstallProviders(requirements, locks, source, options, events);
  if (diags.has_errors()) {
    invocation.Show(diags);
    return 1;
  }
  bool needs_lock = !installed.locks.providers.empty() || had_lock;
  if (needs_lock && !(installed.locks == locks && had_lock)) {
    if (flags->String("lockfile") == "readonly") {
      diags.Error("Provider dependency changes detected",
                  "Installing these providers would change the lock file, and -lockfile=readonly "
                  "forbids that.");
      invocation.Show(diags);
      return 1;
    }
    auto written = installed.locks.Write(lock_path);
    if (!written) {
      diags.Error("Failed to update dependency lock file", written.error().message);
    } else if (!had_lock) {
      Print(std::string(kLockCreated) + "\n");
    } else {
      Print(std::string(kLockChanged) + "\n");
    }
    if (!installed.incomplete_hashes.empty()) {
      std::string list;
      for (const std::string& address : installed.incomplete_hashes) {
        list += "\n  - " + DisplayAddress(address);
      }
      diags.Warning("Incomplete lock file information for providers",
                    "Only the hashes of this platform's packages are known, so the lock file "
                    "will not do on another platform, for these providers:" +
                        list +
                        "\n\nRun \"tofu providers lock -platform=…\" for the other platforms "
                        "that you use.");
    }
  }
  if (invocation.Show(diags)) {
    return 1;
  }
  Print(invocation.style().Paint(
      "\n[reset][bold][green]OpenTofu has been successfully initialized![reset][green]"));
  Print("\n");
  if (!invocation.in_automation) {
    Print(invocation.style().Paint("[reset][green]" + std::string(kNextSteps)));
    Print("\n");
  }
  return 0;
}

}  // namespace kinu::cli
