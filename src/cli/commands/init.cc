// init: prepares a working directory: backend, modules, providers, lock file.
// Ref: opentofu internal/command/init.go, internal/command/views/init.go.
#include <algorithm>
#include <filesystem>

#include "base/environment.h"
#include "base/files.h"
#include "cli/flag_groups.h"
#include "cli/modules.h"
#include "cli/operation.h"
#include "cli/prompt.h"
#include "codec/json_writer.h"
#include "config/module_source.h"
#include "config/requirements.h"
#include "config/test_file.h"
#include "install/provider_installer.h"
#include "plugin/handshake.h"
#include "session/backend_init.h"
#include "session/modules.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kEmptyDirectory =
    "[reset][bold]OpenTofu initialized in an empty directory![reset]\n\n"
    "The directory has no OpenTofu configuration files. You may begin working\n"
    "with OpenTofu immediately by creating OpenTofu configuration files.";
constexpr std::string_view kLockCreated =
    "\nOpenTofu has created a lock file [bold].terraform.lock.hcl[reset] to record the provider\n"
    "selections it made above. Include this file in your version control repository\n"
    "so that OpenTofu can guarantee to make the same selections by default when\n"
    "you run \"tofu init\" in the future.";
constexpr std::string_view kLockChanged =
    "\nOpenTofu has made some changes to the provider dependency selections recorded\n"
    "in the .terraform.lock.hcl file. Review those changes and commit them to your\n"
    "version control system if they represent changes you intended to make.";
constexpr std::string_view kNextSteps =
    "[reset][green]\nYou may now begin working with OpenTofu. Try running \"tofu plan\" to see\n"
    "any changes that are required for your infrastructure. All OpenTofu commands\n"
    "should now work.\n\n"
    "If you ever set or change modules or backend configuration for OpenTofu,\n"
    "rerun this command to reinitialize your working directory. If you forget, other\n"
    "commands will detect it and remind you to do so if necessary.";
constexpr std::string_view kConfigProblems =
    "\n[reset]OpenTofu encountered problems during initialization, including problems\n"
    "with the configuration, described below.\n\n"
    "The OpenTofu configuration must be valid before initialization so that\n"
    "OpenTofu can determine which modules and providers need to be installed.";

/// "hashicorp/null" for the default registry, else the whole address.
std::string DisplayAddress(const std::string& address) {
  constexpr std::string_view kDefault = "registry.opentofu.org/";
  return address.starts_with(kDefault) ? address.substr(kDefault.size()) : address;
}

/// Speaks with the user for session::InitBackend().
class Dialog final : public session::InitDialog {
 public:
  Dialog(const Invocation& invocation, Narrator& narrator)
      : invocation_(invocation), narrator_(narrator) {}
  void Say(std::string_view markup, std::string_view message) override {
    narrator_.Say(markup, message);
  }
  Result<std::string> Ask(const Question& question) override {
    return cli::Ask(invocation_, {question.query, question.description});
  }
  Result<bool> Confirm(const Question& question) override {
    return cli::Confirm(invocation_, {question.query, question.description});
  }

 private:
  const Invocation& invocation_;
  Narrator& narrator_;
};

/// The run of one `init`.
class Init {
 public:
  Init(Invocation& invocation, const Flags& flags, Audience& audience, Diagnostics& diags)
      : invocation_(invocation),
        flags_(flags),
        audience_(audience),
        narrator_(invocation, audience),
        diags_(diags) {}

  int Run();

 private:
  bool SavePluginPath();
  bool CopyFromModule();
  int Fail() {
    audience_.Show(diags_);
    return 1;
  }
  int FailWithConfigProblems();
  session::BackendInitRequest BackendRequest() const;
  void ReadState(const session::ConfiguredBackend& backend);
  install::ProviderRequirements Requirements();
  void CheckAddresses(const install::ProviderRequirements& requirements);
  install::InstallEvents Events();
  bool InstallProviders();
  bool SaveLocks(const install::LockFile& before, const install::InstallResult& installed);

  Invocation& invocation_;
  const Flags& flags_;
  Audience& audience_;
  Narrator narrator_;
  Diagnostics& diags_;
  std::vector<config::VariableArgument> arguments_;
  Loaded loaded_;
  Ref<const SourceFile> origin_;  ///< where problems of what -from-module names are
  state::State state_;
  bool header_ = false;  // something was told before the end
};

int Init::FailWithConfigProblems() {
  if (!audience_.json_only()) {
    PrintError(invocation_.style().Paint(kConfigProblems) + "\n");
  }
  if (audience_.json() != nullptr) {
    audience_.json()->Message(view::JsonUi::Level::kError, Narrator::Plain(kConfigProblems));
  }
  return Fail();
}

/// Copies a module that stands in a directory of this machine. Ref: initwd DirFromModule.
bool Init::CopyFromModule() {
  const std::string& text = flags_.String("from-module");
  auto names = ListDirectory(".");
  if (!names) {
    diags_.Error("Error validating destination directory", names.error().message);
    return false;
  }
  if (!names->empty() && config::IsConfigDir(".")) {
    diags_.Error("The working directory already contains files",
                 "The option -from-module puts a copy of a module into a directory without "
                 "configuration, and this one has one. Leave the option out to initialize it.");
    return false;
  }
  narrator_.Say("[reset][bold]Copying configuration[reset] from \"" + text + "\"...",
                "Copying configuration from \"" + text + "\"...");
  header_ = true;
  bool is_path = text.starts_with('/') || text.starts_with("./") || text.starts_with("../") ||
                 text == "." || text == "..";
  if (!is_path) {
    auto source = config::ParseModuleSource(text, false);
    diags_.Error(source ? "Module source is not supported" : "Invalid module source address",
                 source ? "Fetching modules is not built yet: -from-module copies from local "
                          "directories only."
                        : "Failed to parse module source address: " + source.error().message);
    return false;
  }
  // Where the copy would be put together; it stays when nothing can be copied.
  const std::string staging = invocation_.workspace.data_directory + "/init-from-module";
  (void)MakeDirectories(staging);
  if (!IsDirectory(text)) {
    origin_ = SourceFile::Make("<main configuration>", "");
    diags_.Error("Failed to download module",
                 "There is no directory \"" + text + "\" to copy the module from.",
                 {origin_.get(), 0, 0});
    return false;
  }
  auto entries = ListDirectory(text);
  if (!entries) {
    diags_.Error("Failed to download module", entries.error().message);
    return false;
  }
  namespace fs = std::filesystem;
  std::error_code error;
  for (const std::string& name : *entries) {
    if (name.starts_with('.')) {
      continue;
    }
    fs::copy(fs::path(text) / name, fs::path(".") / name,
             fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
    if (error) {
      diags_.Error("Failed to copy root module",
                   "Copying \"" + name + "\" failed: " + error.message() + ".");
      return false;
    }
  }
  Loaded copied = InstallModules(
      invocation_, arguments_,
      {.show_paths = false, .only_fetch = true, .test_directory = flags_.String("test-directory")},
      narrator_, diags_);
  if (diags_.has_errors()) {
    return false;
  }
  session::WriteModuleManifest(invocation_.workspace, copied, diags_);
  fs::remove_all(staging, error);
  narrator_.BlankLine();
  return !diags_.has_errors();
}

session::BackendInitRequest Init::BackendRequest() const {
  session::BackendInitRequest request;
  request.overrides = flags_.List("backend-config");
  request.reconfigure = flags_.Bool("reconfigure");
  session::MigrationOptions& migration = request.migration;
  migration.force_copy = flags_.Bool("force-copy");
  request.migrate = flags_.Bool("migrate-state") || migration.force_copy;
  migration.input = flags_.Bool("input") && !invocation_.input_disabled && !audience_.json_only();
  migration.lock = flags_.Bool("lock");
  migration.lock_timeout = std::chrono::milliseconds(flags_.Duration("lock-timeout"));
  return request;
}

/// Whether the root module or a run block of its tests calls any module.
bool CallsModules(const config::Config& config) {
  if (!config.root().module->calls.empty()) {
    return true;
  }
  const auto calls_module = [](const config::TestRun& run) { return run.module.has_value(); };
  return config.tests != nullptr &&
         std::ranges::any_of(config.tests->files, [&](const config::TestFile& file) {
           return std::ranges::any_of(file.runs, calls_module);
         });
}

/// The state names providers that the configuration may no longer need.
void Init::ReadState(const session::ConfiguredBackend& backend) {
  const std::string workspace = invocation_.workspace.Name();
  if (!session::IsValidWorkspaceName(workspace)) {
    diags_.Error("Error selecting workspace",
                 "\"" + workspace + "\" cannot be the name of a workspace.");
    return;
  }
  auto program = std::make_shared<Program>();
  auto store = backend.backend->Open(workspace, program);
  auto state = store ? (*store)->Read(program) : std::unexpected(store.error());
  if (!state) {
    diags_.Error(store ? "Error refreshing state" : "Error loading state", state.error().message);
    return;
  }
  state_ = std::move(*state);
}

/// What the configuration and the state need, with the constraints of all modules together.
install::ProviderRequirements Init::Requirements() {
  install::ProviderRequirements out;
  for (config::ProviderRequirement& need : config::ProviderRequirements(*loaded_.config, diags_)) {
    out[std::string(loaded_.program->Text(need.provider))] = std::move(need.constraints);
  }
  if (state_.program != nullptr) {
    session::AdoptProviders(*loaded_.config, state_);
  }
  for (const auto& resource : state_.resources) {
    out.try_emplace(std::string(state_.program->Text(resource->provider.provider)));
  }
  return out;
}

void Init::CheckAddresses(const install::ProviderRequirements& requirements) {
  std::map<std::string, std::vector<std::string>> by_type;
  for (const auto& [address, constraints] : requirements) {
    size_t type = address.rfind('/');
    size_t space = type == std::string::npos ? type : address.rfind('/', type - 1);
    if (space == std::string::npos) {
      continue;
    }
    std::string name = address.substr(space + 1, type - space - 1);
    if (name == "hashicorp" || name == "opentofu") {
      by_type[address.substr(type + 1)].push_back(DisplayAddress(address));
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

install::InstallEvents Init::Events() {
  install::InstallEvents events;
  events.built_in = [this](const std::string& address) {
    narrator_.Say("- " + address + " is built in to OpenTofu");
  };
  events.query = [this](const std::string& address, const VersionConstraints& constraints,
                        bool locked) {
    if (locked) {
      narrator_.Say("- Reusing previous version of " + DisplayAddress(address) +
                    " from the dependency lock file");
    } else if (constraints.empty()) {
      narrator_.Say("- Finding latest version of " + DisplayAddress(address) + "...");
    } else {
      narrator_.Say("- Finding " + DisplayAddress(address) + " versions matching \"" +
                    constraints.ToCanonicalText() + "\"...");
    }
  };
  events.already_installed = [this](const std::string& address, const Version& version) {
    narrator_.Say("- Using previously-installed " + DisplayAddress(address) + " v" +
                  version.ToText());
  };
  events.linking_from_cache = [this](const std::string& address, const Version& version) {
    narrator_.Say("- Using " + DisplayAddress(address) + " v" + version.ToText() +
                  " from the shared cache directory");
  };
  events.installing = [this](const std::string& address, const Version& version, bool to_cache) {
    narrator_.Say("- Installing " + DisplayAddress(address) + " v" + version.ToText() +
                  (to_cache ? " to the shared cache directory..." : "..."));
  };
  events.installed = [this](const std::string& address, const Version& version, bool) {
    narrator_.Say("- Installed " + DisplayAddress(address) + " v" + version.ToText() +
                  " (unauthenticated)");
  };
  events.failed = [this](const std::string& address, const std::string& error,
                         install::InstallFailure failure) {
    const std::string name = DisplayAddress(address);
    switch (failure) {
      case install::InstallFailure::kBuiltIn:
        diags_.Error("Invalid dependency on built-in provider",
                     "Cannot use " + name + ": " + error + ".");
        break;
      case install::InstallFailure::kNotFound:
        diags_.Error("Failed to query available provider packages",
                     "Could not retrieve the list of available versions for provider " + name +
                         ": " + error);
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
  };
  return events;
}

bool Init::SaveLocks(const install::LockFile& before, const install::InstallResult& installed) {
  if (installed.locks == before) {
    return true;
  }
  if (flags_.String("lockfile") == "readonly") {
    auto addresses = [](const install::LockFile& locks) {
      std::vector<std::string> out;
      for (const auto& [address, lock] : locks.providers) {
        out.push_back(address);
      }
      return out;
    };
    if (addresses(before) != addresses(installed.locks)) {
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
  if (!installed.incomplete_hashes.empty()) {
    std::string list;
    for (const std::string& address : installed.incomplete_hashes) {
      list += "\n  - " + DisplayAddress(address);
    }
    diags_.Warning("Incomplete lock file information for providers",
                   "Only the hashes of this platform's packages are known, so the lock file will "
                   "not do on another platform, for these providers:" +
                       list +
                       "\n\nRun \"tofu providers lock -platform=…\" for the other platforms "
                       "that you use.");
  }
  narrator_.Say(before.providers.empty() ? kLockCreated : kLockChanged);
  if (auto written = installed.locks.Write(std::string(install::kLockFileName)); !written) {
    diags_.Error("Failed to update dependency lock file", written.error().message);
  }
  return !diags_.has_errors();
}

bool Init::InstallProviders() {
  session::WarnOfOverrides(invocation_.workspace, true, diags_);
  const install::ProviderRequirements requirements = Requirements();
  CheckAddresses(requirements);
  const install::LockFile locks = session::ReadLocksToInstall(invocation_.workspace, diags_);
  if (diags_.has_errors()) {
    return false;
  }
  if (flags_.Bool("upgrade") && flags_.String("lockfile") == "readonly") {
    PrintError("The -upgrade flag conflicts with -lockfile=readonly.\n");
    return false;
  }
  narrator_.Say("\n[reset][bold]Initializing provider plugins...");
  header_ = true;
  const install::CliConfig& cli_config = invocation_.workspace.cli_config;
  install::InstallOptions options;
  options.providers_directory = invocation_.workspace.data_directory + "/providers";
  options.upgrade = flags_.Bool("upgrade");
  options.plugin_cache_directory = cli_config.plugin_cache_dir;
  if (std::string_view attach = Environment("TF_REATTACH_PROVIDERS"); !attach.empty()) {
    if (auto attachments = plugin::ParseAttachments(attach)) {
      for (const auto& [address, attachment] : *attachments) {
        options.unmanaged.push_back(address);
      }
    }
  }
  install::PackageSource source(cli_config, flags_.List("plugin-dir"),
                                invocation_.workspace.original_directory);
  install::InstallResult installed =
      install::InstallProviders(requirements, locks, source, options, Events());
  return !diags_.has_errors() && SaveLocks(locks, installed);
}

/// Keeps the directories of -plugin-dir for later runs, or forgets those of earlier ones.
bool Init::SavePluginPath() {
  const std::string path = invocation_.workspace.data_directory + "/plugin_path";
  const std::vector<std::string> directories = flags_.List("plugin-dir");
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
  auto written = MakeDirectories(invocation_.workspace.data_directory);
  if (written) {
    written = ReplaceFile(path, text, 0644);
  }
  if (!written) {
    diags_.Error("Error saving -plugin-path values", written.error().message);
  }
  return written.has_value();
}

int Init::Run() {
  arguments_ = VariableArguments(flags_);
  if (!SavePluginPath()) {
    return Fail();
  }
  if (!flags_.String("from-module").empty() && !CopyFromModule()) {
    return Fail();
  }
  if (!config::IsConfigDir(".")) {
    narrator_.Say(kEmptyDirectory);
    return 0;
  }
  const std::string& test_directory = flags_.String("test-directory");
  Loaded root = session::Load(invocation_.workspace,
                              {.intent = LoadIntent::kRootModule,
                               .variables = arguments_,
                               .test_directory = test_directory},
                              diags_);
  if (diags_.has_errors()) {
    return FailWithConfigProblems();
  }
  // Lock file problems are found while the backend is made ready, as one error. Those of init
  // itself come later.
  Diagnostics lock_diags;
  (void)install::LockFile::Read(std::string(install::kLockFileName), lock_diags);
  std::optional<session::ConfiguredBackend> backend;
  if (flags_.Bool("backend") && flags_.Bool("cloud")) {
    narrator_.Say("\n[reset][bold]Initializing the backend...");
    header_ = true;
    if (lock_diags.has_errors()) {
      session::AddLockFileError(lock_diags, diags_);
    } else {
      Dialog dialog(invocation_, narrator_);
      backend = session::InitBackend(invocation_.workspace, root, BackendRequest(), dialog, diags_);
    }
  } else {
    backend = session::RecordedBackend(invocation_.workspace, diags_);
  }
  if (backend) {
    ReadState(*backend);
    if (diags_.has_errors()) {
      return Fail();
    }
  }
  // Modules are told about even when the backend failed: its errors come last.
  Diagnostics backend_diags = std::move(diags_);
  diags_ = Diagnostics();
  bool get = flags_.Bool("get");
  bool has_modules = CallsModules(*root.config);
  if (has_modules && get) {
    narrator_.Say(flags_.Bool("upgrade") ? "[reset][bold]Upgrading modules..."
                                         : "[reset][bold]Initializing modules...");
    header_ = true;
  }
  if (has_modules && get) {
    loaded_ = InstallModules(invocation_, arguments_,
                             {.again = flags_.Bool("upgrade"), .test_directory = test_directory},
                             narrator_, diags_);
    session::WriteModuleManifest(invocation_.workspace, loaded_, diags_);
    if (diags_.has_errors()) {
      return Fail();
    }
  } else {
    loaded_ = session::Load(invocation_.workspace,
                            {.variables = arguments_, .test_directory = test_directory}, diags_);
  }
  Diagnostics config_diags = std::move(diags_);
  diags_ = std::move(backend_diags);
  if (diags_.has_errors()) {
    return Fail();
  }
  bool config_failed = config_diags.has_errors();
  diags_.Append(std::move(config_diags));
  if (config_failed) {
    return FailWithConfigProblems();
  }
  if (!InstallProviders()) {
    return Fail();
  }
  if (header_) {
    narrator_.BlankLine();
  }
  if (audience_.Show(diags_)) {
    return 1;
  }
  narrator_.Say("[reset][bold][green]OpenTofu has been successfully initialized![reset][green]");
  if (!invocation_.in_automation) {
    narrator_.Say(kNextSteps);
  }
  return 0;
}

/// Words and flags that do not go together.
void CheckCombinations(const Flags& flags, Diagnostics& diags) {
  if (flags.IsSet("backend") && flags.IsSet("cloud")) {
    diags.Error("Wrong combination of options",
                "The -backend and -cloud options are aliases of one another and "
                "mutually-exclusive in their use");
    return;
  }
  if (flags.Bool("migrate-state") && flags.Bool("reconfigure")) {
    diags.Error("Wrong combination of options",
                "The -migrate-state and -reconfigure options are mutually-exclusive");
  }
  if (!flags.positionals().empty()) {
    diags.Error("Unexpected argument",
                "Too many command line arguments. Did you mean to use -chdir?");
  }
}

}  // namespace

static int RunInit(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  auto audience = Audience::Make(invocation, &flags, diags);
  if (!diags.has_errors()) {
    CheckCombinations(flags, diags);
  }
  if (diags.has_errors()) {
    return UsageError(invocation, *audience, diags);
  }
  return Init(invocation, flags, *audience, diags).Run();
}

constexpr auto kInitFlags = JoinFlags(
    std::to_array<FlagSpec>({
        {.name = "backend",
         .default_value = "true",
         .form = "=false",
         .help = "Leave the backend as it was set up before."},
        {.name = "backend-config",
         .kind = FlagKind::kList,
         .form = "=value",
         .help = "Settings of the backend: \"name=value\", or a file with\n"
                 "such lines; may be repeated."},
        {.name = "cloud",
         .default_value = "true",
         .form = "=false",
         .help = "The same as -backend=false."},
        {.name = "force-copy",
         .help = "Copy states to a new backend without asking. Implies\n"
                 "-migrate-state."},
        {.name = "from-module",
         .kind = FlagKind::kString,
         .form = "=SOURCE",
         .help = "Copy that module into this empty directory first. Only\n"
                 "directories of this machine can be copied."},
        {.name = "get",
         .default_value = "true",
         .form = "=false",
         .help = "Leave modules as they are."},
        {.name = "ignore-remote-version", .help = "Has no effect on local states."},
        {.name = "input", .default_value = "true", .form = "=false", .help = "Do not ask."},
    }),
    kJsonStream,
    std::to_array<FlagSpec>({
        {.name = "lock",
         .default_value = "true",
         .form = "=false",
         .help = "Do not lock states while they are moved."},
        {.name = "lock-timeout",
         .kind = FlagKind::kDuration,
         .default_value = "0s",
         .form = "=0s",
         .help = "How long to wait for locks."},
        {.name = "lockfile",
         .kind = FlagKind::kString,
         .form = "=readonly",
         .help = "Fail when the lock file would have to change."},
        {.name = "migrate-state",
         .help = "Take up changed backend settings and move states there."},
        {.name = "no-color", .kind = FlagKind::kView, .help = "No escape sequences."},
        {.name = "plugin-dir",
         .kind = FlagKind::kList,
         .form = "=path",
         .help = "Look for providers there only; may be repeated."},
        {.name = "reconfigure",
         .help = "Take up changed backend settings and leave states where\n"
                 "they are."},
        {.name = "test-directory",
         .kind = FlagKind::kString,
         .default_value = "tests",
         .form = "=path",
         .help = "Where test files are; \"tests\" unless given."},
        {.name = "upgrade", .help = "Choose the newest allowed versions."},
    }),
    kVariables);

extern constexpr CommandSpec kInitCommand{
    .name = "init",
    .synopsis = "Prepare your working directory for other commands",
    .usage = "tofu [global options] init [options]",
    .description = R"(Prepares a working directory: takes up the backend of the configuration and
moves states to it, registers local modules, installs providers from mirrors
and writes the lock file. It may be run again at any time.)",
    .flags = kInitFlags,
    .help_column = 26,
    .run = RunInit,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
