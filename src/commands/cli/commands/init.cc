// init: prepares a working directory: backend, modules, providers, lock file.
// Ref: opentofu internal/command/init.go, internal/command/views/init.go.
#include <algorithm>
#include <optional>

#include "addrs/provider_source.h"
#include "base/program_name.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/narrator.h"
#include "compatibility/features.h"
#include "config/loaded_files.h"
#include "config/module_test_file.h"
#include "operation/variable_prompt.h"
#include "session/backend_init.h"
#include "session/encryption.h"
#include "session/module_copy.h"
#include "session/provider_installation.h"
#include "terminal/prompt.h"
#include "terminal/status_line.h"
#include "trace/trace.h"
#include "view/events/tasks.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kEmptyDirectory =
    "[reset][bold]OpenTofu initialized in an empty directory![reset]\n\n"
    "The directory has no OpenTofu configuration files. You may begin working\n"
    "with OpenTofu immediately by creating OpenTofu configuration files.";
constexpr std::string_view kNextCloudSteps =
    "[reset][green]\nYou may now begin working with cloud backend. Try running \"tofu plan\" to\n"
    "see any changes that are required for your infrastructure.\n\nIf you ever set or change "
    "modules or OpenTofu Settings, run \"tofu init\"\nagain to reinitialize your working "
    "directory.";
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

/// Shows steps and asks questions for the session library.
class Dialog final : public session::InitDialog {
 public:
  Dialog(const Invocation& invocation, cli::Narrator& narrator)
      : invocation_(invocation), narrator_(narrator) {}
  void Say(std::string_view markup, std::string_view message) override {
    narrator_.Say(markup, message);
  }
  void Say(std::string_view markup) override { narrator_.Say(markup); }
  void Text(std::string_view markup) override { narrator_.Text(markup); }
  void Warn(std::string_view markup) override { narrator_.Warn(markup); }
  void Refuse(std::string_view text) override { narrator_.Refuse(text); }
  Result<std::string> Ask(const Question& question) override {
    return terminal::Ask(invocation_.style(), {question.query, question.description});
  }
  Result<bool> Confirm(const Question& question) override {
    return terminal::Confirm(invocation_.style(), {question.query, question.description});
  }

 private:
  const Invocation& invocation_;
  cli::Narrator& narrator_;
};

/// Shows the packages that are being installed, while it lives.
class PackageLine final : public install::InstallWatch {
 public:
  PackageLine() : line_([this](size_t width) { return tasks_.Line(width); }) {}
  void Expect(size_t count) override { tasks_.Expect(count); }
  void Start(const std::string& address) override { tasks_.Start(ProviderForDisplay(address)); }
  void Receive(const std::string& address, uint64_t bytes, uint64_t size) override {
    tasks_.Receive(ProviderForDisplay(address), bytes, size);
  }
  void Finish(const std::string& address) override { tasks_.Finish(ProviderForDisplay(address)); }

 private:
  view::Tasks tasks_{"init"};
  terminal::StatusLine line_;
};

/// The run of one `init`.
class Init {
 public:
  explicit Init(CommandRun& run)
      : run_(run),
        workspace_(run.invocation.workspace),
        narrator_(run.invocation, *run.audience),
        dialog_(run.invocation, narrator_),
        arguments_(VariableArguments(run.flags)),
        ask_(MayAsk() ? operation::VariableQuestions(run.invocation.style())
                      : session::AskVariable()) {}

  int Run();

 private:
  bool CopyFromModule();
  /// Whether somebody can be asked.
  bool MayAsk() const;
  bool UsesBackend() const { return run_.flags.Bool("backend") && run_.flags.Bool("cloud"); }
  /// -backend=false turns the encryption off too, -cloud=false does not.
  bool Encrypts() const { return run_.flags.Bool("backend"); }
  /// Up to OpenTofu 1.12, -backend=false reads the local state, or that of the backend before.
  bool ReadsState() const {
    return run_.flags.Bool("backend") ||
           !compatibility::Has(compatibility::Feature::kNoStateWithoutBackend);
  }
  int FailWithConfigProblems();
  session::BackendInitRequest BackendRequest() const;
  std::optional<session::ConfiguredBackend> InitBackend(const Loaded& root,
                                                        const session::EncryptionRef& encryption,
                                                        Diagnostics& diags);
  void ReadState(const session::ConfiguredBackend& backend);
  void LoadWithModules(const Loaded& root, bool installs_modules, Diagnostics& diags);
  /// The backend, the state and all modules, once the root module is loaded. Returns the exit code
  /// of a failure.
  std::optional<int> Prepare(const Loaded& root, const Diagnostics& of_root);
  int InstallProviders(const Loaded& root);

  CommandRun& run_;
  const session::Workspace& workspace_;
  Narrator narrator_;
  Dialog dialog_;
  std::vector<config::VariableArgument> arguments_;
  session::AskVariable ask_;
  Loaded loaded_;
  state::State state_;
};

int Init::FailWithConfigProblems() {
  if (!run_.json_only()) {
    PrintError(run_.invocation.style().Paint(kConfigProblems) + "\n");
  }
  if (run_.audience->json() != nullptr) {
    run_.audience->json()->Message(view::JsonUi::Level::kError, Narrator::Plain(kConfigProblems));
  }
  return run_.Fail();
}

bool Init::CopyFromModule() {
  const bool copied = session::CopyModule(workspace_, run_.flags.String("from-module"),
                                          {.show_paths = false,
                                           .only_fetch = true,
                                           .test_directory = run_.flags.String("test-directory")},
                                          narrator_, run_.diags);
  if (copied) {
    narrator_.BlankLine();
  }
  return copied;
}

bool Init::MayAsk() const {
  return run_.flags.Bool("input") && !run_.invocation.input_disabled && !run_.json_only();
}

session::BackendInitRequest Init::BackendRequest() const {
  const Flags& flags = run_.flags;
  session::BackendInitRequest request;
  request.overrides = flags.List("backend-config");
  request.reconfigure = flags.Bool("reconfigure");
  session::MigrationOptions& migration = request.migration;
  migration.force_copy = flags.Bool("force-copy");
  request.migrate = flags.Bool("migrate-state") || migration.force_copy;
  migration.input = MayAsk();
  migration.input_by_flag = flags.Bool("input") && !run_.json_only();
  migration.ignore_version = flags.Bool("ignore-remote-version");
  migration.lock = flags.Bool("lock");
  migration.lock_timeout = std::chrono::milliseconds(flags.Duration("lock-timeout"));
  return request;
}

std::optional<session::ConfiguredBackend> Init::InitBackend(
    const Loaded& root, const session::EncryptionRef& encryption, Diagnostics& diags) {
  // Lock file problems are found while the backend is made ready, as one error. Those of init
  // itself come later.
  Diagnostics lock_diags;
  (void)install::LockFile::Read(std::string(install::kLockFileName), lock_diags);
  if (!UsesBackend()) {
    auto recorded = session::RecordedBackend(workspace_, diags);
    if (recorded) {
      recorded->Prepare(workspace_, encryption);
    }
    return recorded;
  }
  session::BackendInitRequest request = BackendRequest();
  request.encryption = encryption;
  const bool cloud = root.config->root().module->cloud.has_value();
  const trace::Span span("kinu/cli", cloud ? "Cloud backend init" : "Backend init");
  narrator_.Say(cloud ? "\n[reset][bold]Initializing cloud backend..."
                      : "\n[reset][bold]Initializing the backend...");
  if (lock_diags.has_errors()) {
    session::AddLockFileError(lock_diags, diags);
    return std::nullopt;
  }
  const trace::Span inner("kinu/session", "Initialize Backend");
  return session::InitBackend(workspace_, root, request, dialog_, diags);
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

/// Reads the state, which names providers that the configuration may no longer require.
void Init::ReadState(const session::ConfiguredBackend& backend) {
  const std::string workspace = workspace_.Name();
  auto store = backend.backend->Open(workspace, run_.program);
  auto state = store ? (*store)->Read(run_.program) : std::unexpected(store.error());
  if (!state) {
    run_.diags.Error(store ? "Error refreshing state" : "Error loading state",
                     state.error().message);
    return;
  }
  state_ = std::move(*state);
}

/// Loads the whole configuration, of which `root` has read the root module; installs the modules
/// that it calls if `installs_modules`.
void Init::LoadWithModules(const Loaded& root, bool installs_modules, Diagnostics& diags) {
  const config::LoadedFiles files(config::DiskFiles(), *root.config);
  const std::string& test_directory = run_.flags.String("test-directory");
  if (!installs_modules) {
    loaded_ = session::Load(workspace_,
                            {.variables = arguments_,
                             .ask = ask_,
                             .test_directory = test_directory,
                             .files = &files,
                             .encryption_off = true},
                            diags);
    return;
  }
  const bool upgrade = run_.flags.Bool("upgrade");
  trace::Span span("kinu/cli", "Get Modules");
  if (span.on()) {
    span.Set("opentofu.modules.upgrade", upgrade);
  }
  const size_t errors = diags.error_count();
  narrator_.Say(upgrade ? "[reset][bold]Upgrading modules..."
                        : "[reset][bold]Initializing modules...");
  loaded_ = session::InstallModules(workspace_,
                                    {.variables = arguments_,
                                     .ask = ask_,
                                     .again = upgrade,
                                     .test_directory = test_directory,
                                     .encryption_off = true,
                                     .files = files},
                                    narrator_, diags);
  session::WriteModuleManifest(workspace_, loaded_, diags);
  if (span.on() && diags.error_count() != errors) {
    run_.invocation.span_failure = "modules cannot be installed";
    span.Fail(run_.invocation.span_failure);
  }
}

/// The problems of the root module with those of the backend. As the reference has it, each of the
/// backend's is there once for each of the root module's.
Diagnostics WithBackendProblems(const Diagnostics& of_root, const Diagnostics& of_backend) {
  Diagnostics out = of_root;
  const size_t times = std::max<size_t>(of_root.size(), 1);
  for (size_t i = 0; i < times; ++i) {
    out.Append(of_backend);
  }
  return out;
}

std::optional<int> Init::Prepare(const Loaded& root, const Diagnostics& of_root) {
  Diagnostics& diags = run_.diags;
  auto encryption = Encrypts() ? session::CheckEncryption(workspace_, root, diags)
                               : std::optional(encryption::Encryption::None());
  if (!encryption) {
    return run_.Fail();
  }
  Diagnostics of_backend;
  if (ReadsState()) {
    if (const auto backend = InitBackend(root, *encryption, of_backend)) {
      ReadState(*backend);
    }
    if (diags.has_errors()) {
      return run_.Fail();
    }
  }
  // Modules are reported even when the backend failed: its errors come last.
  const bool installs_modules = CallsModules(*root.config) && run_.flags.Bool("get");
  Diagnostics of_modules;
  LoadWithModules(root, installs_modules, of_modules);
  if (installs_modules) {
    diags.Append(of_modules);  // which are reported again when the modules are there
    if (diags.has_errors()) {
      return run_.Fail();
    }
  }
  diags.Append(WithBackendProblems(of_root, of_backend));
  if (diags.has_errors()) {
    return run_.Fail();
  }
  diags.Append(std::move(of_modules));
  return diags.has_errors() ? std::optional(FailWithConfigProblems()) : std::nullopt;
}

int Init::InstallProviders(const Loaded& root) {
  std::optional<PackageLine> line;
  if (run_.audience->status() != nullptr) {
    line.emplace();
  }
  const Flags& flags = run_.flags;
  const trace::Span span("kinu/cli", "Get Providers");
  const session::ProviderInstallRequest request{
      .upgrade = flags.Bool("upgrade"),
      .lock_file_readonly = flags.String("lockfile") == "readonly",
      .plugin_directories = flags.List("plugin-dir"),
      .watch = line ? &*line : nullptr};
  const bool installed =
      session::InstallProviders(workspace_, request, loaded_, state_, dialog_, run_.diags);
  line.reset();
  if (!installed) {
    return run_.Fail();
  }
  narrator_.BlankLine();
  if (run_.audience->Show(run_.diags)) {
    return 1;
  }
  const bool cloud = UsesBackend() && root.config->root().module->cloud.has_value();
  narrator_.Say(cloud ? "[reset][bold][green]Cloud backend has been successfully "
                        "initialized![reset][green]"
                      : "[reset][bold][green]OpenTofu has been successfully "
                        "initialized![reset][green]");
  if (!run_.invocation.in_automation) {
    narrator_.Say(Hint(cloud ? kNextCloudSteps : kNextSteps));
  }
  return 0;
}

int Init::Run() {
  Diagnostics& diags = run_.diags;
  const Flags& flags = run_.flags;
  if (!session::SavePluginDirectories(workspace_, flags.List("plugin-dir"), diags) ||
      (!flags.String("from-module").empty() && !CopyFromModule())) {
    return run_.Fail();
  }
  if (!config::IsConfigDir(".")) {
    narrator_.Say(kEmptyDirectory);
    return 0;
  }
  // Only modules need the manifest, but errors of reading it are reported first.
  (void)config::ReadModuleManifest(workspace_.manifest_path(), diags);
  if (diags.has_errors()) {
    return FailWithConfigProblems();
  }
  Diagnostics of_root;
  const Loaded root = session::Load(workspace_,
                                    {.intent = LoadIntent::kInitialization,
                                     .variables = arguments_,
                                     .ask = ask_,
                                     .test_directory = flags.String("test-directory"),
                                     .encryption_off = !Encrypts()},
                                    of_root);
  if (of_root.has_errors()) {
    diags.Append(std::move(of_root));
    return FailWithConfigProblems();
  }
  if (const auto failed = Prepare(root, of_root)) {
    return *failed;
  }
  return InstallProviders(root);
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
    WordsError(diags, "Unexpected argument",
               "Too many command line arguments. Did you mean to use -chdir?");
  }
}

}  // namespace

static int RunInit(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (run.ArgumentsFit()) {
    CheckCombinations(run.flags, run.diags);
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  run.StopOnInterrupt();
  return Init(run).Run();
}

constexpr auto kInitFlags = JoinFlags(
    FlagSpec{.name = "backend",
             .default_value = "true",
             .form = "=false",
             .help = "Leave the backend as it was set up before."},
    FlagSpec{.name = "backend-config",
             .kind = FlagKind::kList,
             .form = "=value",
             .help = "Settings of the backend: \"name=value\", or a file with\n"
                     "such lines; may be repeated."},
    FlagSpec{.name = "cloud",
             .default_value = "true",
             .form = "=false",
             .help = "The same as -backend=false."},
    FlagSpec{.name = "force-copy",
             .help = "Copy states to a new backend without asking. Implies\n"
                     "-migrate-state."},
    FlagSpec{.name = "from-module",
             .kind = FlagKind::kString,
             .form = "=SOURCE",
             .help = "Copy that module into this empty directory first."},
    FlagSpec{.name = "get",
             .default_value = "true",
             .form = "=false",
             .help = "Leave modules as they are."},
    kIgnoreRemoteVersion, kNoInput, kJsonStream,
    FlagSpec{.name = "lock",
             .default_value = "true",
             .form = "=false",
             .help = "Do not lock states while they are moved."},
    FlagSpec{.name = "lock-timeout",
             .kind = FlagKind::kDuration,
             .default_value = "0s",
             .form = "=0s",
             .help = "How long to wait for locks."},
    FlagSpec{.name = "lockfile",
             .kind = FlagKind::kString,
             .form = "=readonly",
             .help = "Fail when the lock file would have to change."},
    FlagSpec{.name = "migrate-state",
             .help = "Take up changed backend settings and move states there."},
    kNoColor,
    FlagSpec{.name = "plugin-dir",
             .kind = FlagKind::kList,
             .form = "=path",
             .help = "Look for providers there only; may be repeated."},
    FlagSpec{.name = "reconfigure",
             .help = "Take up changed backend settings and leave states where\n"
                     "they are."},
    kTestDirectory, FlagSpec{.name = "upgrade", .help = "Choose the newest allowed versions."},
    kVariables);

extern constexpr CommandSpec kInitCommand{
    .name = "init",
    .synopsis = "Prepare your working directory for other commands",
    .group = CommandGroup::kMain,
    .usage = "tofu [global options] init [options]",
    .description = R"(Prepares a working directory: takes up the backend of the configuration and
moves states to it, installs modules and providers and writes the lock file.
It may be run again at any time.)",
    .flags = kInitFlags,
    .help_column = 26,
    .run = RunInit,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
