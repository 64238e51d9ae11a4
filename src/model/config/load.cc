#include "config/load.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/files.h"
#include "base/program_name.h"
#include "compatibility/features.h"
#include "config/call_target.h"
#include "config/cloud_values.h"
#include "config/decode.h"
#include "config/encryption_values.h"
#include "config/installed_module.h"
#include "config/left_package.h"
#include "config/load_rules.h"
#include "config/module_providers.h"
#include "config/module_reader.h"
#include "config/module_source.h"
#include "config/module_test_file.h"
#include "config/state_blocks.h"
#include "config/static_value.h"
#include "config/uninstalled_calls.h"
#include "text/quote.h"
#include "text/unicode.h"
#include "trace/trace.h"

namespace kinu::config {
namespace {

/// Where the loader finds files: in the snapshot, if there is one.
const SourceFiles& FilesOf(const LoadOptions& options, const SnapshotFiles* snapshot) {
  if (snapshot != nullptr) {
    return *snapshot;
  }
  return options.files != nullptr ? *options.files : DiskFiles();
}

/// Loads the tree of module calls.
class ConfigLoader {
 public:
  ConfigLoader(Config& config, const std::string& root_dir, const LoadOptions& options,
               Diagnostics& diags)
      : config_(config),
        program_(*config.program),
        options_(options),
        root_dir_(root_dir),
        diags_(diags),
        rules_(RulesOf(options.intent)),
        snapshot_files_(options.snapshot != nullptr
                            ? std::make_unique<SnapshotFiles>(*options.snapshot)
                            : nullptr),
        source_(FilesOf(options, snapshot_files_.get())),
        static_(program_, options, root_dir) {}

  /// Loads the module that a run block of a test file calls, as a tree of its own, with the
  /// directories and the manifest that `base` has read.
  ConfigLoader(Config& config, ConfigLoader& base, std::string key, const TestRun& run)
      : ConfigLoader(config, base.root_dir_, base.options_, base.diags_) {
    base_ = &base;
    key_prefix_ = std::move(key) + ".";
    static_.SetCaller([&base, &run](const Variable& variable, Diagnostics& diags) {
      return base.GivenByRun(run, variable, diags);
    });
  }

  void Load();

 private:
  /// A call of a module, by a module or a run block, with its names in messages and the manifest.
  struct Caller {
    std::string key;
    std::string name;
    SourceRange range;
    SourceRange source_range;
    std::string dir;                   ///< of the calling module
    const ConfigNode* node = nullptr;  ///< the calling module; null: a run block calls
  };
  struct Directory {
    LoadedModule loaded;
    bool readable = false;
    bool shown = false;
    Module* module = nullptr;
  };

  void ReadManifest();
  Directory& ReadDirectory(const std::string& dir, TestSuite* tests = nullptr);
  void ShowProblems(Directory& directory, Diagnostics& diags);
  ConfigNode* AddNode(Module* module, ConfigNode* parent, int call);
  /// Resolves the targets of a module's calls and collects its providers.
  void ReadTargets(ConfigNode& node, Module& module);
  /// Whether what is evaluated before the tree exists belongs to the tree, not to its modules.
  bool EvaluatesInTree() const {
    const Config& config = base_ == nullptr ? config_ : base_->config_;
    return compatibility::Has(compatibility::Feature::kSourcesInTree, config.level);
  }
  void LoadCall(ConfigNode& node, int call, std::vector<ConfigNode*>& pending);
  void LoadCalls(ConfigNode& root);
  void LoadRuns();
  void LoadRun(const TestFile& file, TestRun& run);
  std::optional<InputValue> GivenByRun(const TestRun& run, const Variable& variable,
                                       Diagnostics& diags);
  Directory* FindModule(const Caller& caller, const CallTarget& target, InstalledModule& out);
  Directory* InstallModule(const Caller& caller, const CallTarget& target,
                           std::optional<trace::Span>& span, InstalledModule& out);
  std::optional<InstalledModule> FetchModule(const Caller& caller, const CallTarget& target);
  Caller CallerOf(const ConfigNode& node, size_t call) const;
  static ModuleFetch FetchOf(const Caller& caller, const CallTarget& target);
  /// The module of a call as the manifest has it, if the load may use that.
  const InstalledModule* FindKept(const Caller& caller, const CallTarget& target);
  void ExpectFetches(const ConfigNode& node, const std::vector<size_t>& calls);
  static void BeginSpan(std::optional<trace::Span>& span, std::string name, const Caller& caller,
                        const CallTarget& target);
  Directory* FindLocal(const Caller& caller, const CallTarget& target, InstalledModule& out);
  void Forget(const Caller& caller, const CallTarget& target);
  FlatMap<std::string, InstalledModule>& Manifest() {
    return base_ == nullptr ? manifest_ : base_->manifest_;
  }
  void ReportFound(const Caller& caller, const InstalledModule& module, bool is_kept) const;
  void LoadCallsInOrder(ConfigNode& node);
  const InstalledModule* FindInstalled(const Caller& caller, const CallTarget& target,
                                       InstalledModule& fetched);
  bool IsWanted(const CallTarget& target, const InstalledModule& installed) const;
  void CheckChild(const ConfigNode& child);
  void ShowBetweenModules(bool all_found);
  void ReadEncryption(const ConfigNode& root, Module& module, Diagnostics& diags);
  void CheckCloud(const ConfigNode& root);
  void LoadTree(ConfigNode& root, Module& module, size_t errors);
  std::string ManifestKey(const ConfigNode& node, const ModuleCall& call) const;

  Config& config_;
  Program& program_;
  const LoadOptions& options_;
  std::string root_dir_;
  Diagnostics& diags_;
  IntentRules rules_;
  std::unique_ptr<SnapshotFiles> snapshot_files_;  // null: the sources are no snapshot
  const SourceFiles& source_;
  StaticEvaluator static_;
  ConfigLoader* base_ = nullptr;  // whose manifest and directories these are; null: its own
  std::string key_prefix_;        // of manifest keys
  Diagnostics between_modules_;
  compatibility::LevelSet levels_ = compatibility::Choices();  // that the modules so far allow
  FlatMap<std::string, InstalledModule> manifest_;
  FlatMap<std::string, std::unique_ptr<Directory>> directories_;
  std::vector<std::vector<CallTarget>> targets_;  // by node
  UninstalledCalls uninstalled_{source_};
};

void ConfigLoader::ReadManifest() {
  if (options_.snapshot != nullptr) {
    for (const SnapshotModule& module : options_.snapshot->modules) {
      manifest_[module.key] = {CleanPath(module.dir), module.source, module.version};
    }
    return;
  }
  // A damaged one ends every load, also of those who ask for the root module only.
  auto modules = ReadModuleManifest(options_.manifest_path, diags_);
  if (options_.fetcher != nullptr && !rules_.root_only) {
    options_.fetcher->Begin(modules);
  }
  for (auto& [key, module] : modules) {
    manifest_[key] = std::move(module);
  }
}

ConfigLoader::Directory& ConfigLoader::ReadDirectory(const std::string& dir, TestSuite* tests) {
  if (base_ != nullptr) {
    return base_->ReadDirectory(dir);
  }
  std::unique_ptr<Directory>& entry = directories_[dir];
  if (entry == nullptr) {
    entry = std::make_unique<Directory>();
    const ModuleReading reading{rules_.part, options_.test_directory, tests, &levels_};
    entry->readable = ModuleReader(program_, source_, entry->loaded).Read(dir, reading);
    config_.level = levels_.Oldest();
    entry->module = entry->loaded.module.get();
    entry->module->has_gaps =
        rules_.remains && (source_.HasGaps(dir) || entry->loaded.all.has_errors());
    config_.modules.push_back(std::move(entry->loaded.module));
  }
  return *entry;
}

void ConfigLoader::ShowProblems(Directory& directory, Diagnostics& diags) {
  if (rules_.remains) {
    Config& config = base_ == nullptr ? config_ : base_->config_;
    config.of_files.Append(directory.shown ? Diagnostics() : directory.loaded.all);
  } else {
    diags.Append(directory.shown ? directory.loaded.content : directory.loaded.all);
  }
  directory.shown = true;
}

ConfigNode* ConfigLoader::AddNode(Module* module, ConfigNode* parent, int call) {
  auto owned = std::make_unique<ConfigNode>();
  ConfigNode* node = owned.get();
  node->index = static_cast<uint32_t>(config_.nodes.size());
  node->module = module;
  node->parent = parent;
  node->call = call;
  node->source_dir = module->dir;
  node->children.resize(module->calls.size());
  if (parent != nullptr) {
    const ModuleCall& from = parent->module->calls[static_cast<size_t>(call)];
    node->path = program_.Module(parent->path, from.name);
    parent->children[static_cast<size_t>(call)] = node;
  }
  config_.node_of_module[node->path.id] = node->index;
  config_.nodes.push_back(std::move(owned));
  targets_.emplace_back();
  return node;
}

void ConfigLoader::ReadTargets(ConfigNode& node, Module& module) {
  Diagnostics ignored;
  Diagnostics& between = base_ == nullptr ? between_modules_ : base_->between_modules_;
  Diagnostics& shown = rules_.only_fetches && EvaluatesInTree() ? between : diags_;
  Diagnostics& diags = module.incompatible || rules_.remains ? ignored : shown;
  std::vector<CallTarget>& targets = targets_[node.index];
  for (ModuleCall& call : module.calls) {
    targets.push_back(ReadCallTarget(program_, static_, node, call, diags));
    if (call.source.empty()) {
      call.source = targets.back().written;
      call.version = targets.back().version;
    }
  }
  for (const ProviderBlock& block : node.module->providers) {
    Expansion& instances = node.provider_instances.emplace_back();
    if (block.for_each != nullptr) {
      const std::string subject = "provider." + std::string(program_.Text(block.local_name)) + '.' +
                                  std::string(program_.Text(block.alias)) + ".for_each";
      instances =
          static_.EvaluateForEach(node, *block.for_each, {subject, block.for_each->range()}, diags);
    }
  }
  static_.CheckConstants(node, diags);
}

std::string ConfigLoader::ManifestKey(const ConfigNode& node, const ModuleCall& call) const {
  std::string key(program_.Text(call.name));
  for (const ConfigNode* at = &node; at->parent != nullptr; at = at->parent) {
    const ModuleCall& from = at->parent->module->calls[static_cast<size_t>(at->call)];
    key.insert(0, std::string(program_.Text(from.name)) + ".");
  }
  key.insert(0, key_prefix_);
  return key;
}

const InstalledModule* ConfigLoader::FindKept(const Caller& caller, const CallTarget& target) {
  const auto found = Manifest().find(caller.key);
  if (found == Manifest().end()) {
    return nullptr;
  }
  const InstalledModule& installed = found->second;
  const bool may_stay = rules_.requires_installed || (target.valid && IsWanted(target, installed) &&
                                                      source_.HasDirectory(installed.dir));
  return may_stay ? &installed : nullptr;
}

/// Forgets what a call no longer wants, with all that it called.
void ConfigLoader::Forget(const Caller& caller, const CallTarget& target) {
  auto& manifest = Manifest();
  const auto found = manifest.find(caller.key);
  if (found != manifest.end() && IsWanted(target, found->second)) {
    return;  // its directory is gone
  }
  const std::string below = caller.key + ".";
  for (auto entry = manifest.begin(); entry != manifest.end();) {
    const bool is_gone = entry->first == caller.key || entry->first.starts_with(below);
    entry = is_gone ? manifest.erase(entry) : std::next(entry);
  }
  if (options_.fetcher != nullptr) {
    options_.fetcher->Forget(caller.key);
  }
}

/// Finds the directory of a call's module; reports when there is none.
const InstalledModule* ConfigLoader::FindInstalled(const Caller& caller, const CallTarget& target,
                                                   InstalledModule& fetched) {
  if (const InstalledModule* kept = FindKept(caller, target); kept != nullptr) {
    ReportFound(caller, *kept, true);
    return kept;
  }
  if (rules_.requires_installed) {
    ReportUninstalled(caller.range, diags_);
    UninstalledCalls& calls = base_ == nullptr ? uninstalled_ : base_->uninstalled_;
    const std::string& name = caller.node == nullptr ? caller.key : caller.name;
    return rules_.remains ? calls.Follow(caller.node, caller.dir, name, target, fetched) : nullptr;
  }
  if (!target.valid) {
    return nullptr;
  }
  Forget(caller, target);
  auto module = FetchModule(caller, target);
  if (!module) {
    return nullptr;
  }
  fetched = *std::move(module);
  ReportFound(caller, fetched, false);
  return &fetched;
}

/// The directory that a local source leads to, with its links followed; null, with diagnostics,
/// when it cannot be read. A missing path is reported twice: as a path, and as the directory.
/// Ref: opentofu internal/initwd/module_install.go installLocalModule.
ConfigLoader::Directory* ConfigLoader::FindLocal(const Caller& caller, const CallTarget& target,
                                                 InstalledModule& out) {
  Forget(caller, target);
  const std::string path = JoinPath(caller.dir, target.source.text);
  const Result<std::string> dir = source_.Resolve(path);
  out = {dir.value_or(""), target.source.text, ""};
  Directory* directory = dir ? &ReadDirectory(*dir) : nullptr;
  Diagnostics problems;
  if (!dir) {
    problems.Error("Unreadable module directory",
                   "The path " + path + " leads nowhere: " + dir.error().message + ".");
  }
  if (directory == nullptr || !directory->readable) {
    problems.Error("Unreadable module directory",
                   "The directory " + path + " could not be read for module " +
                       Quoted(caller.name) + " at " + caller.range.file->root().name() + ":" +
                       std::to_string(caller.range.start_position().line) + ".");
    directory = nullptr;
  } else {
    ShowProblems(*directory, problems);
  }
  ReportFound(caller, out, false);
  if (caller.node != nullptr) {
    const ModuleId called = program_.Module(caller.node->path, program_.Find(caller.name));
    ExplainLeftPackage(program_, *caller.node, called, target.source.text, problems);
  }
  diags_.Append(std::move(problems));
  return directory;
}

void ConfigLoader::ReportFound(const Caller& caller, const InstalledModule& module,
                               bool is_kept) const {
  if (!rules_.requires_installed && options_.fetcher != nullptr) {
    options_.fetcher->Found(caller.key, module, is_kept);
  }
}

std::optional<InstalledModule> ConfigLoader::FetchModule(const Caller& caller,
                                                         const CallTarget& target) {
  if (options_.fetcher == nullptr) {
    ReportUninstalled(caller.range, diags_);
    return std::nullopt;
  }
  return options_.fetcher->Fetch(FetchOf(caller, target), diags_);
}

ModuleFetch ConfigLoader::FetchOf(const Caller& caller, const CallTarget& target) {
  return {.key = caller.key,
          .name = caller.name,
          .source = target.source,
          .version = target.version,
          .range = caller.range};
}

/// Announces the modules that are fetched when the calls of a module are loaded.
void ConfigLoader::ExpectFetches(const ConfigNode& node, const std::vector<size_t>& calls) {
  if (options_.fetcher == nullptr) {
    return;
  }
  std::vector<ModuleFetch> fetches;
  for (const size_t call : calls) {
    const CallTarget& target = targets_[node.index][call];
    const Caller caller = CallerOf(node, call);
    if (target.valid && target.source.kind != ModuleSourceKind::kLocal &&
        FindKept(caller, target) == nullptr) {
      fetches.push_back(FetchOf(caller, target));
    }
  }
  options_.fetcher->Expect(fetches);
}

/// Whether a module in the manifest is what a call wants.
bool ConfigLoader::IsWanted(const CallTarget& target, const InstalledModule& installed) const {
  return (options_.fetcher == nullptr || options_.fetcher->MayKeep()) &&
         HasSource(installed, target.source) &&
         (target.version.empty() || HasVersion(installed, target.version));
}

/// Reports problems between modules: as warnings for a fetch that found all modules.
void ConfigLoader::ShowBetweenModules(bool all_found) {
  for (Diagnostic problem : between_modules_) {
    if (rules_.only_fetches && all_found) {
      problem.severity = Severity::kWarning;
    }
    diags_.Add(std::move(problem));
  }
}

void ConfigLoader::CheckChild(const ConfigNode& child) {
  if (child.module->backend) {
    diags_.Warning("Backend configuration ignored",
                   "One backend keeps the state of the whole configuration: that of the root "
                   "module. This one has no effect.",
                   child.module->backend->range);
  }
  if (!child.module->imports.empty()) {
    Diagnostics& problems = base_ == nullptr ? between_modules_ : base_->between_modules_;
    problems.Error("Invalid import configuration",
                   "An import block was detected in " + Quoted(program_.ToText(child.path)) +
                       ". Import blocks are only allowed in the root module.",
                   child.module->imports[0].range);
  }
}

/// Begins a span of the installation of a module. Ref: initwd/module_install.go.
void ConfigLoader::BeginSpan(std::optional<trace::Span>& span, std::string name,
                             const Caller& caller, const CallTarget& target) {
  span.emplace("kinu/config", "");
  span->record().name = std::move(name);
  span->Set("opentofu.module.name", caller.name);
  span->Set("opentofu.module.source", WithoutSecrets(target.source.text));
}

/// The directory of a called module; null, with diagnostics, when it cannot be read.
ConfigLoader::Directory* ConfigLoader::FindModule(const Caller& caller, const CallTarget& target,
                                                  InstalledModule& out) {
  std::optional<trace::Span> span;
  if (trace::On() && !rules_.requires_installed && options_.fetcher != nullptr) {
    BeginSpan(span, "Install Module " + text::GoQuote(caller.name), caller, target);
  }
  const size_t errors = diags_.error_count();
  Directory* found = InstallModule(caller, target, span, out);
  if (span && diags_.error_count() != errors) {
    span->Fail("module " + Quoted(caller.name) + " cannot be installed");
  }
  return found;
}

/// FindModule within its span, if there is one.
ConfigLoader::Directory* ConfigLoader::InstallModule(const Caller& caller, const CallTarget& target,
                                                     std::optional<trace::Span>& span,
                                                     InstalledModule& out) {
  if (!rules_.requires_installed && target.valid &&
      target.source.kind == ModuleSourceKind::kLocal && FindKept(caller, target) == nullptr) {
    std::optional<trace::Span> inner;
    if (span) {
      span->Set("opentofu.module.source_type", std::string("local"));
      BeginSpan(inner, "Install Local Module", caller, target);
    }
    return FindLocal(caller, target, out);
  }
  InstalledModule fetched;
  const InstalledModule* installed = FindInstalled(caller, target, fetched);
  if (installed == nullptr) {
    return nullptr;
  }
  Directory& directory = ReadDirectory(installed->dir);
  if (!directory.readable) {
    diags_.Error(
        "Module not installed",
        "This module's local cache directory " + installed->dir +
            Hint(" could not be read. Run \"tofu init\" to install all modules required by "
                 "this configuration."),
        caller.range);
    return nullptr;
  }
  CheckInstalled(*installed, target.valid ? &target.source : nullptr, target.version,
                 caller.source_range, diags_);
  ShowProblems(directory, diags_);
  out = *installed;
  if (target.valid) {
    out.source = target.source.text;
  }
  return &directory;
}

ConfigLoader::Caller ConfigLoader::CallerOf(const ConfigNode& node, size_t index) const {
  const ModuleCall& call = node.module->calls[index];
  return {ManifestKey(node, call),
          std::string(program_.Text(call.name)),
          call.range,
          call.source_range,
          node.source_dir,
          &node};
}

void ConfigLoader::LoadCall(ConfigNode& node, int index, std::vector<ConfigNode*>& pending) {
  constexpr size_t kDeepest = 200;
  const ModuleCall& call = node.module->calls[static_cast<size_t>(index)];
  size_t depth = 0;
  for (const ConfigNode* at = &node; at->parent != nullptr; at = at->parent) {
    ++depth;
  }
  if (depth >= kDeepest) {
    diags_.Error("Module calls are nested too deeply",
                 "Calls are nested deeper than " + std::to_string(kDeepest) +
                     " levels. Does a module call itself?",
                 call.range);
    return;
  }
  InstalledModule installed;
  const Caller caller = CallerOf(node, static_cast<size_t>(index));
  const Directory* directory =
      FindModule(caller, targets_[node.index][static_cast<size_t>(index)], installed);
  if (directory == nullptr) {
    return;
  }
  ConfigNode* child = AddNode(directory->module, &node, index);
  child->source = installed.source;
  child->version = installed.version;
  ReadTargets(*child, *directory->module);
  CheckChild(*child);
  pending.push_back(child);
}

/// Installation goes depth first, and takes the calls of a module by name.
void ConfigLoader::LoadCallsInOrder(ConfigNode& node) {
  std::vector<size_t> order(node.module->calls.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](size_t call) { return program_.Text(node.module->calls[call].name); });
  ExpectFetches(node, order);
  for (const size_t call : order) {
    std::vector<ConfigNode*> loaded;
    LoadCall(node, static_cast<int>(call), loaded);
    for (ConfigNode* child : loaded) {
      LoadCallsInOrder(*child);
    }
  }
}

void ConfigLoader::LoadCalls(ConfigNode& root) {
  if (!rules_.requires_installed) {
    LoadCallsInOrder(root);
    return;
  }
  std::vector<ConfigNode*> pending{&root};
  while (!pending.empty()) {
    ConfigNode* node = pending.back();
    pending.pop_back();
    for (size_t call = 0; call < node->module->calls.size(); ++call) {
      LoadCall(*node, static_cast<int>(call), pending);
    }
  }
}

/// The value of a run block for a variable of the module that it calls.
std::optional<InputValue> ConfigLoader::GivenByRun(const TestRun& run, const Variable& variable,
                                                   Diagnostics& diags) {
  const std::string_view name = program_.Text(variable.name);
  for (const hcl::Attribute& given : run.variables) {
    if (given.name == name) {
      return InputValue{static_.Evaluate(config_.root(), *given.expr,
                                         {"var." + std::string(name), given.expr->range()}, diags),
                        InputSource::kCaller, given.range};
    }
  }
  return std::nullopt;
}

void ConfigLoader::LoadRun(const TestFile& file, TestRun& run) {
  CallTarget target;
  target.valid = text::IsIdentifier(program_.Text(run.name));
  target.source = run.module->source;
  target.version = run.module->version;
  const Caller caller{RunModuleKey(program_, file, run),
                      std::string(program_.Text(run.name)),
                      run.module->range,
                      run.module->source_range,
                      config_.root().source_dir,
                      nullptr};
  InstalledModule installed;
  const Directory* directory = FindModule(caller, target, installed);
  if (directory == nullptr) {
    return;
  }
  run.config = std::make_shared<Config>();
  run.config->program = config_.program;
  run.config->is_incomplete = rules_.remains;
  ConfigLoader loader(*run.config, *this, caller.key, run);
  ConfigNode* root = loader.AddNode(directory->module, nullptr, -1);
  root->source = installed.source;
  root->version = installed.version;
  loader.ReadTargets(*root, *directory->module);
  loader.CheckChild(*root);
  loader.LoadCalls(*root);
}

void ConfigLoader::LoadRuns() {
  for (TestFile& file : config_.tests->files) {
    for (TestRun& run : file.runs) {
      if (run.module) {
        LoadRun(file, run);
      }
    }
  }
}

/// Reads what the configuration and TF_ENCRYPTION say of encryption.
void ConfigLoader::ReadEncryption(const ConfigNode& root, Module& module, Diagnostics& diags) {
  if (rules_.for_validation || options_.encryption_off) {
    return;
  }
  MergeEncryptionText(module, "TF_ENCRYPTION", options_.encryption, diags);
  // A saved plan is decrypted with what the directory says now.
  const bool is_used = options_.snapshot == nullptr && !rules_.for_init && !diags.has_errors();
  if (module.encryption && is_used) {
    CheckEncryption(root, *module.encryption, static_, diags);
  }
}

/// What init needs of a cloud block it reads itself.
void ConfigLoader::CheckCloud(const ConfigNode& root) {
  const std::optional<Cloud>& cloud = root.module->cloud;
  if (cloud && !rules_.for_validation && !rules_.for_init) {
    (void)ReadCloud(root, *cloud, static_, false, diags_);
  }
}

/// Loads what the root module calls, as far as the intent needs it. `errors` were there before.
void ConfigLoader::LoadTree(ConfigNode& root, Module& module, size_t errors) {
  if (rules_.files_only) {
    if (rules_.part != ModulePart::kAll) {
      static_.CheckConstants(root, diags_);  // commands know the values of variables
    }
    return;
  }
  const bool files_fit = diags_.error_count() == errors;
  ReadTargets(root, module);
  const bool root_fits =
      rules_.requires_installed && EvaluatesInTree() ? files_fit : diags_.error_count() == errors;
  if (rules_.root_only || (!root_fits && !rules_.despite_errors)) {
    return;
  }
  const size_t of_root = diags_.error_count();
  LoadCalls(root);
  if (config_.tests != nullptr) {
    LoadRuns();
  }
  const bool all_found = diags_.error_count() == of_root;
  config_.calls_complete = all_found;
  const bool fits = rules_.despite_errors ? all_found : diags_.error_count() == errors;
  const bool is_sound = fits && !between_modules_.has_errors();
  if (is_sound && !rules_.remains) {
    CheckProviderConfigs(config_, between_modules_);
    CheckTestProviders(config_, between_modules_);
  }
  ShowBetweenModules(all_found);
}

void ConfigLoader::Load() {
  config_.is_incomplete = rules_.remains;
  const size_t before = diags_.error_count();
  ReadManifest();
  const size_t errors = diags_.error_count();
  if (errors != before) {
    // Nothing else is reported without a manifest; callers still find a root.
    AddNode(ReadDirectory(root_dir_).module, nullptr, -1);
    return;
  }
  if (!options_.test_directory.empty()) {
    config_.tests = std::make_shared<TestSuite>();
  }
  Directory& root = ReadDirectory(root_dir_, config_.tests.get());
  ShowProblems(root, diags_);
  ConfigNode* root_node = AddNode(root.module, nullptr, -1);
  // Errors of the encryption are reported if nothing else is wrong; `init` reports them itself.
  Diagnostics of_encryption;
  if (diags_.error_count() == errors) {
    ReadEncryption(*root_node, *root.module,
                   rules_.for_init ? config_.of_encryption : of_encryption);
  }
  if (!of_encryption.has_errors()) {
    diags_.Append(std::exchange(of_encryption, {}));
  }
  CheckCloud(*root_node);
  LoadTree(*root_node, *root.module, errors);
  if (diags_.error_count() == errors) {
    diags_.Append(std::move(of_encryption));
  }
}

}  // namespace

std::unique_ptr<Config> LoadConfig(std::shared_ptr<Program> program, const std::string& root_dir,
                                   const LoadOptions& options, Diagnostics& diags) {
  auto config = std::make_unique<Config>();
  config->program = std::move(program);
  ConfigLoader(*config, CleanPath(root_dir), options, diags).Load();
  return config;
}

std::unique_ptr<Module> LoadModule(Program& program, const std::string& dir, Diagnostics& diags) {
  LoadedModule loaded;
  ModuleReader(program, DiskFiles(), loaded).Read(CleanPath(dir));
  diags.Append(std::move(loaded.all));
  return std::move(loaded.module);
}

}  // namespace kinu::config
