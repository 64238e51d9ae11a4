#include "config/load.h"

#include <algorithm>

#include "addrs/version.h"
#include "base/files.h"
#include "codec/json_reader.h"
#include "codec/json_writer.h"
#include "config/decode.h"
#include "config/module_builder.h"
#include "config/module_source.h"
#include "config/provider_check.h"
#include "config/state_blocks.h"
#include "config/static_value.h"
#include "config/test_file.h"
#include "cty/convert.h"
#include "hcl/parse.h"

namespace kinu::config {
namespace {

constexpr std::string_view kExtensions[] = {".tf", ".tf.json", ".tofu", ".tofu.json"};
constexpr std::string_view kTestExtensions[] = {".tftest.hcl", ".tftest.json", ".tofutest.hcl",
                                                ".tofutest.json"};

std::string_view FindExtension(std::string_view name,
                               std::span<const std::string_view> extensions) {
  for (std::string_view extension : extensions) {
    if (name.ends_with(extension)) {
      return extension;
    }
  }
  return {};
}

std::string_view ExtensionOf(std::string_view name) {
  return FindExtension(name, kExtensions);
}
std::string_view TestExtensionOf(std::string_view name) {
  return FindExtension(name, kTestExtensions);
}

bool IsTofuFile(std::string_view name) {
  return name.ends_with(".tofu") || name.ends_with(".tofu.json");
}

bool IsIgnored(std::string_view name) {
  return name.starts_with('.') || name.ends_with('~') ||
         (name.starts_with('#') && name.ends_with('#'));
}

/// Leaves out `x.tf` where `x.tofu` exists.
std::vector<std::string> PreferTofu(const std::vector<std::string>& names,
                                    std::span<const std::string_view> extensions = kExtensions) {
  const FlatSet<std::string> all(names.begin(), names.end());
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::string_view extension = FindExtension(name, extensions);
    if (extension.starts_with(".tf")) {
      std::string other = name.substr(0, name.size() - extension.size());
      other += ".tofu";
      other += extension.substr(3);
      if (all.contains(other)) {
        continue;
      }
    }
    out.push_back(name);
  }
  return out;
}

}  // namespace

ModuleFiles ChooseFiles(const std::vector<std::string>& names) {
  ModuleFiles files;
  for (const std::string& name : names) {
    const std::string_view extension = ExtensionOf(name);
    if (extension.empty() || IsIgnored(name)) {
      continue;
    }
    const std::string_view stem = std::string_view(name).substr(0, name.size() - extension.size());
    const bool overrides = stem == "override" || stem.ends_with("_override");
    (overrides ? files.overrides : files.primary).push_back(name);
  }
  files.primary = PreferTofu(files.primary);
  files.overrides = PreferTofu(files.overrides);
  return files;
}

bool IsConfigDir(const std::string& dir) {
  Result<std::vector<std::string>> names = ListDirectory(dir);
  if (!names) {
    return false;
  }
  const ModuleFiles files = ChooseFiles(*names);
  return !files.primary.empty() || !files.overrides.empty();
}

std::map<std::string, InstalledModule, std::less<>> ReadModuleManifest(const std::string& path,
                                                                       Diagnostics& diags) {
  std::map<std::string, InstalledModule, std::less<>> out;
  Result<std::string> text = ReadFile(path);
  if (!text || text->empty()) {
    return out;
  }
  const JsonDocument document = ParseJson(*text);
  const JsonNode* records = document.root().Find("Modules");
  if (!document.ok()) {
    const JsonProblem& problem = document.problems()[0];
    diags.Error(
        "failed to read module manifest: error unmarshalling snapshot: " +
            (problem.begin >= text->size() ? "unexpected end of JSON input" : problem.message),
        "");
    return out;
  }
  if (records == nullptr) {
    return out;
  }
  const auto text_of = [](const JsonNode& record, std::string_view name) {
    const JsonNode* value = record.Find(name);
    return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
  };
  for (const JsonNode& record : records->elements()) {
    InstalledModule module{
        text_of(record, "Dir").empty() ? std::string() : CleanPath(text_of(record, "Dir")),
        text_of(record, "Source"), text_of(record, "Version")};
    if (Result<ModuleSource> source = ParseModuleSource(module.source, false)) {
      module.source = source->text;
    }
    const std::string key = text_of(record, "Key");
    if (auto version = Version::Parse(module.version); !module.version.empty() && !version) {
      diags.Error("failed to read module manifest: invalid version \"" + module.version +
                      "\" for " + key + ": " + version.error().message,
                  "");
    }
    out[key] = std::move(module);
  }
  return out;
}

namespace {

/// What an intent means for the loader.
struct IntentRules {
  bool requires_installed = true;
  bool only_fetches = false;  ///< problems between modules are warnings
  bool root_only = false;
  bool files_only = false;      ///< of the root, what stands in its files
  bool despite_errors = false;  ///< what the root calls is loaded even when the root has errors
  bool for_validation = false;  ///< blocks for commands with a state are not looked at
};

constexpr IntentRules RulesOf(LoadIntent intent) {
  switch (intent) {
    case LoadIntent::kUse:
      return {};
    case LoadIntent::kOperation:
      return {.despite_errors = true};
    case LoadIntent::kValidation:
      return {.for_validation = true};
    case LoadIntent::kRootModule:
      return {.root_only = true};
    case LoadIntent::kBackend:
      return {.root_only = true, .files_only = true};
    case LoadIntent::kInstallation:
      return {.requires_installed = false};
    case LoadIntent::kFetch:
      return {.requires_installed = false,
              .only_fetches = true,
              .despite_errors = true,
              .for_validation = true};
  }
  return {};
}

/// A module and what was wrong with it. What is wrong with blocks is said for each call, a file's
/// syntax errors once: before what is wrong with its blocks.
struct LoadedModule {
  std::unique_ptr<Module> module;
  Diagnostics all;
  Diagnostics content;
};

class ModuleReader {
 public:
  ModuleReader(Program& program, const SourceFiles& source, LoadedModule& out)
      : program_(program), source_(source), out_(out) {}

  /// False when the directory cannot be read.
  bool Read(const std::string& dir) { return Read(dir, {}, nullptr); }
  /// The same, with the test files of the directory and of `test_directory` in it when there is a
  /// suite to put them into.
  bool Read(const std::string& dir, const std::string& test_directory, TestSuite* tests);

 private:
  const hcl::Body* Parse(const std::string& dir, const std::string& name, hcl::SyntaxTree& tree,
                         std::vector<Ref<const SourceFile>>& files);
  bool ChooseTestFiles(const std::string& test_directory, const std::vector<std::string>& names,
                       std::vector<std::string>& out);
  void ReadTests(const std::vector<std::string>& names, TestSuite& tests);
  void ReadConfigFile(const std::string& name, FileContent& content, bool is_override);
  /// Adds what was found since the last call to what is said first.
  void CollectProblems();

  Program& program_;
  const SourceFiles& source_;
  LoadedModule& out_;
  Diagnostics syntax_;  // of the file that is read
  size_t collected_ = 0;
  Diagnostics incompatible_;
};

void ModuleReader::CollectProblems() {
  out_.all.Append(std::exchange(syntax_, {}));
  for (; collected_ < out_.content.size(); ++collected_) {
    out_.all.Add(out_.content.list()[collected_]);
  }
}

/// Parses a file; null when there is nothing to read blocks from.
const hcl::Body* ModuleReader::Parse(const std::string& dir, const std::string& name,
                                     hcl::SyntaxTree& tree,
                                     std::vector<Ref<const SourceFile>>& files) {
  const std::string path = JoinPath(dir, name);
  Result<std::string> text = source_.Read(dir, name);
  if (!text) {
    // What is not a file (a directory called x.tf) does not count.
    if (!IsDirectory(path)) {
      out_.content.Error("Failed to read file", "The file " + Quoted(path) + " could not be read.");
    }
    return nullptr;
  }
  Ref<const SourceFile> file = SourceFile::Make(path, *std::move(text));
  files.push_back(file);
  return name.ends_with(".json") ? hcl::ParseJson(file.get(), tree, syntax_)
                                 : hcl::ParseNative(file.get(), tree, syntax_);
}

void ModuleReader::ReadConfigFile(const std::string& name, FileContent& content, bool is_override) {
  Module& module = *out_.module;
  const hcl::Body* body = Parse(module.dir, name, *module.tree, module.files);
  if (body == nullptr) {
    return;
  }
  BlockReader reader{program_,      *module.tree, content,         out_.content,
                     incompatible_, is_override,  IsTofuFile(name)};
  ReadFileBlocks(reader, *body);
  CollectProblems();
}

/// Test files among `names`, which stand in the module's directory, and in the directory of test
/// files; as paths from the module. False when that directory cannot be read.
bool ModuleReader::ChooseTestFiles(const std::string& test_directory,
                                   const std::vector<std::string>& names,
                                   std::vector<std::string>& out) {
  const auto choose = [&out](const std::string& dir, const std::vector<std::string>& listed) {
    for (const std::string& name : listed) {
      if (!TestExtensionOf(name).empty() && !IsIgnored(name)) {
        out.push_back(CleanPath(dir + "/" + name));
      }
    }
  };
  const std::string place = CleanPath(out_.module->dir + "/" + test_directory);
  if (Result<std::vector<std::string>> in_place = source_.List(place)) {
    choose(test_directory, *in_place);
  } else if (FileExists(place)) {
    out_.content.Error(
        "Failed to read test directory",
        "Test directory " + place + " could not be read: " + in_place.error().message + ".");
    return false;
  } else if (test_directory != kTestDirectory) {
    out_.content.Warning("Test directory does not exist",
                         "Requested test directory " + place + " does not exist.");
  }
  choose(".", names);
  out = PreferTofu(out, kTestExtensions);
  return true;
}

void ModuleReader::ReadTests(const std::vector<std::string>& names, TestSuite& tests) {
  FlatMap<std::string, size_t> index;
  for (const std::string& name : names) {
    const hcl::Body* body = Parse(out_.module->dir, name, tests.tree, tests.sources);
    if (body == nullptr) {
      continue;
    }
    TestFile file;
    file.name = name;
    ReadTestFile(program_, tests.tree, *body, file, out_.content);
    CollectProblems();
    auto [place, is_new] = index.try_emplace(name, tests.files.size());
    if (is_new) {
      tests.files.push_back(std::move(file));
    } else {
      tests.files[place->second] = std::move(file);
    }
  }
  std::ranges::sort(tests.files, {}, &TestFile::name);
}

bool ModuleReader::Read(const std::string& dir, const std::string& test_directory,
                        TestSuite* tests) {
  out_.module = std::make_unique<Module>();
  out_.module->dir = dir;
  Result<std::vector<std::string>> names = source_.List(dir);
  if (!names) {
    out_.content.Error("Failed to read module directory",
                       "Module directory " + dir + " does not exist or cannot be read.");
    CollectProblems();
    return false;
  }
  std::vector<std::string> test_files;
  if (tests != nullptr && !ChooseTestFiles(test_directory, *names, test_files)) {
    CollectProblems();
    return false;
  }
  const ModuleFiles files = ChooseFiles(*names);
  FileContent primary;
  for (const std::string& name : files.primary) {
    ReadConfigFile(name, primary, false);
  }
  std::vector<FileContent> overrides(files.overrides.size());
  for (size_t i = 0; i < files.overrides.size(); ++i) {
    ReadConfigFile(files.overrides[i], overrides[i], true);
  }
  if (tests != nullptr) {
    ReadTests(test_files, *tests);
  }
  if (!incompatible_.empty()) {
    // Other problems may come from what this version of the language does not know.
    out_.all = incompatible_;
    out_.content = std::move(incompatible_);
    return true;
  }
  BuildModule(program_, std::move(primary), std::move(overrides), *out_.module, out_.content);
  CollectProblems();
  return true;
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
        source_(snapshot_files_ != nullptr ? *snapshot_files_
                : options.files != nullptr ? *options.files
                                           : DiskFiles()),
        static_(program_, options, root_dir) {}

  /// Loads what a run block of a test file calls, as a tree of its own, with what `base` has read.
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
  /// The address that a call of a node names.
  struct CallTarget {
    bool valid = false;
    ModuleSource source;
    std::string written;  ///< the source as the module has it
    std::string version;  ///< constraint
  };
  /// A call, of a module or of a run block, as messages and the manifest know it.
  struct Caller {
    std::string key;
    std::string name;
    SourceRange range;
    SourceRange source_range;
    std::string dir;  ///< of the calling module
  };
  struct Directory {
    LoadedModule loaded;
    bool readable = false;
    bool shown = false;
    Module* module = nullptr;
  };

  void ReadManifest();
  Directory& ReadDirectory(const std::string& dir, TestSuite* tests = nullptr);
  void ShowProblems(Directory& directory);
  ConfigNode* AddNode(Module* module, ConfigNode* parent, int call);
  /// What of a module must be known now: where its calls lead, and which providers it has.
  void ReadTargets(ConfigNode& node);
  CallTarget ReadTarget(const ConfigNode& node, const ModuleCall& call);
  /// False when the call has no version: its source may be of any kind, then.
  bool ReadVersion(const ConfigNode& node, const ModuleCall& call, CallTarget& target);
  void LoadCall(ConfigNode& node, int call, std::vector<ConfigNode*>& pending);
  void LoadCalls(ConfigNode& root);
  void LoadRuns();
  void LoadRun(const TestFile& file, TestRun& run);
  std::optional<InputValue> GivenByRun(const TestRun& run, const Variable& variable,
                                       Diagnostics& diags);
  Directory* FindModule(const Caller& caller, const CallTarget& target, InstalledModule& out);
  const InstalledModule* FindInstalled(const Caller& caller, const CallTarget& target,
                                       InstalledModule& local);
  bool IsStillInstalled(const CallTarget& target, const InstalledModule& installed);
  void CheckInstalled(const Caller& caller, const CallTarget& target,
                      const InstalledModule& installed);
  void CheckChild(const ConfigNode& child);
  void ShowBetweenModules(bool all_found);
  void CheckSupported(const ConfigNode& root);
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
  FlatMap<std::string, InstalledModule> manifest_;
  FlatMap<std::string, std::unique_ptr<Directory>> directories_;
  std::vector<std::vector<CallTarget>> targets_;  // by node
};

void ConfigLoader::ReadManifest() {
  if (options_.snapshot != nullptr) {
    for (const SnapshotModule& module : options_.snapshot->modules) {
      manifest_[module.key] = {CleanPath(module.dir), module.source, module.version};
    }
    return;
  }
  if (!rules_.root_only) {
    for (auto& [key, module] : ReadModuleManifest(options_.manifest_path, diags_)) {
      manifest_[key] = std::move(module);
    }
  }
}

ConfigLoader::Directory& ConfigLoader::ReadDirectory(const std::string& dir, TestSuite* tests) {
  if (base_ != nullptr) {
    return base_->ReadDirectory(dir);
  }
  std::unique_ptr<Directory>& entry = directories_[dir];
  if (entry == nullptr) {
    entry = std::make_unique<Directory>();
    entry->readable =
        ModuleReader(program_, source_, entry->loaded).Read(dir, options_.test_directory, tests);
    entry->module = entry->loaded.module.get();
    config_.modules.push_back(std::move(entry->loaded.module));
  }
  return *entry;
}

void ConfigLoader::ShowProblems(Directory& directory) {
  diags_.Append(directory.shown ? directory.loaded.content : directory.loaded.all);
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

bool ConfigLoader::ReadVersion(const ConfigNode& node, const ModuleCall& call, CallTarget& target) {
  if (call.version_expr == nullptr) {
    return false;
  }
  const std::string subject = "module." + std::string(program_.Text(call.name)) + ".version";
  const size_t errors = diags_.error_count();
  const Value value =
      static_.Evaluate(node, *call.version_expr, {subject, call.version_range}, diags_);
  if (diags_.error_count() != errors) {
    return true;
  }
  const auto wrong = [&](std::string detail) {
    diags_.Error("Invalid version constraint", std::move(detail), call.version_expr->range());
    return true;
  };
  const MarkSet marks = value.MarksDeep();
  if (marks.sensitive() || marks.ephemeral()) {
    return wrong((marks.sensitive() ? "Sensitive values, or values derived from sensitive values"
                                    : "Ephemeral values, or values derived from ephemeral values") +
                 std::string(", cannot be used as version arguments."));
  }
  if (value.IsNull()) {
    return false;
  }
  auto text = Convert(value, Type::String());
  if (!text) {
    return wrong("A string value is required for version.");
  }
  if (!text->IsKnown()) {
    return true;
  }
  target.version = text->AsString();
  if (!VersionConstraints::Parse(target.version)) {
    return wrong("This string does not use correct version constraint syntax.");
  }
  return true;
}

ConfigLoader::CallTarget ConfigLoader::ReadTarget(const ConfigNode& node, const ModuleCall& call) {
  CallTarget target;
  const bool has_version = ReadVersion(node, call, target);
  if (call.source_expr == nullptr) {
    return target;
  }
  const std::string subject = "module." + std::string(program_.Text(call.name)) + ".source";
  std::string text;
  if (!static_.EvaluateString(node, *call.source_expr, {subject, call.source_range}, text,
                              diags_)) {
    return target;
  }
  target.written = text;
  if (auto source = ReadModuleSource(text, has_version, call.source_range, diags_)) {
    target.source = *std::move(source);
    target.valid = true;
  }
  return target;
}

void ConfigLoader::ReadTargets(ConfigNode& node) {
  std::vector<CallTarget>& targets = targets_[node.index];
  for (ModuleCall& call : node.module->calls) {
    targets.push_back(ReadTarget(node, call));
    if (call.source.empty()) {
      call.source = targets.back().written;
      call.version = targets.back().version;
    }
  }
  for (const ProviderBlock& block : node.module->providers) {
    Value& value = node.provider_for_each.emplace_back();
    if (block.for_each != nullptr) {
      const std::string subject = "provider." + std::string(program_.Text(block.local_name)) + '.' +
                                  std::string(program_.Text(block.alias)) + ".for_each";
      value = static_.Evaluate(node, *block.for_each, {subject, block.for_each->range()}, diags_);
    }
  }
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

/// Finds where a call's module is; reports when it is nowhere.
const InstalledModule* ConfigLoader::FindInstalled(const Caller& caller, const CallTarget& target,
                                                   InstalledModule& local) {
  const auto& manifest = base_ == nullptr ? manifest_ : base_->manifest_;
  if (auto found = manifest.find(caller.key);
      found != manifest.end() &&
      (rules_.requires_installed || IsStillInstalled(target, found->second))) {
    return &found->second;
  }
  if (rules_.requires_installed) {
    diags_.Error("Module not installed",
                 "This module is not yet installed. Run \"tofu init\" to install all modules "
                 "required by this configuration.",
                 caller.range);
    return nullptr;
  }
  if (!target.valid) {
    return nullptr;
  }
  if (target.source.kind != ModuleSourceKind::kLocal) {
    diags_.Error("Module source is not supported",
                 "Fetching modules is not built yet: only local directories (\"./module\") and "
                 "modules that are installed already can be used, not " +
                     Quoted(target.source.text) + ".",
                 caller.source_range);
    return nullptr;
  }
  local = {JoinPath(caller.dir, target.source.text), target.source.text, ""};
  if (!source_.HasDirectory(local.dir)) {
    // The reference tells a path that leads nowhere twice: as a path, and as the module's place.
    const bool exists = FileExists(local.dir);
    if (!exists) {
      diags_.Error("Unreadable module directory", "Unable to evaluate directory symlink: lstat " +
                                                      local.dir + ": no such file or directory");
    }
    diags_.Error("Unreadable module directory",
                 "The directory " + (exists ? local.dir : "") + " could not be read for module " +
                     Quoted(caller.name) + " at " + caller.range.file->root().name() + ":" +
                     std::to_string(caller.range.start_position().line) + ".");
    return nullptr;
  }
  return &local;
}

/// Whether installation may leave a module as the manifest has it. What lies in local directories
/// is looked up again.
bool ConfigLoader::IsStillInstalled(const CallTarget& target, const InstalledModule& installed) {
  if (!target.valid) {
    return true;
  }
  if (target.source.kind == ModuleSourceKind::kLocal || target.source.text != installed.source ||
      !source_.HasDirectory(installed.dir)) {
    return false;
  }
  auto constraints = VersionConstraints::Parse(target.version);
  auto version = Version::Parse(installed.version);
  return target.version.empty() || (constraints && version && constraints->Allows(*version));
}

void ConfigLoader::CheckInstalled(const Caller& caller, const CallTarget& target,
                                  const InstalledModule& installed) {
  // Addresses of packages have several texts; what is installed from a directory is none of them.
  const bool comparable =
      target.source.kind != ModuleSourceKind::kRemote || installed.source.starts_with('.');
  if (target.valid && comparable && target.source.text != installed.source) {
    diags_.Error("Module source has changed",
                 "The source address was changed from " + Quoted(installed.source) + " to " +
                     Quoted(target.source.text) +
                     " since this module was installed. Run \"tofu init\" to install it again.",
                 caller.source_range);
  }
  if (target.version.empty()) {
    return;
  }
  auto constraints = VersionConstraints::Parse(target.version);
  auto version = Version::Parse(installed.version);
  if (constraints && (!version || !constraints->Allows(*version))) {
    diags_.Error(
        "Module version requirements have changed",
        installed.version.empty()
            ? "The version requirements have changed since this module was installed and "
              "the installed version is no longer acceptable. Run \"tofu init\" to install "
              "another one."
            : "The version requirements have changed since this module was installed and "
              "the installed version (" +
                  installed.version +
                  ") is no longer acceptable. Run \"tofu init\" to install another one.",
        caller.source_range);
  }
}

/// Tells what is wrong between modules. Who only fetches modules, and got them all, goes on.
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

/// The directory of a called module; null, with diagnostics, when it cannot be read.
ConfigLoader::Directory* ConfigLoader::FindModule(const Caller& caller, const CallTarget& target,
                                                  InstalledModule& out) {
  InstalledModule local;
  const InstalledModule* installed = FindInstalled(caller, target, local);
  if (installed == nullptr) {
    return nullptr;
  }
  CheckInstalled(caller, target, *installed);
  Directory& directory = ReadDirectory(installed->dir);
  if (!directory.readable) {
    diags_.Error("Module not installed",
                 "This module's local cache directory " + installed->dir +
                     " could not be read. Run \"tofu init\" to install all modules required by "
                     "this configuration.",
                 caller.range);
    return nullptr;
  }
  ShowProblems(directory);
  out = *installed;
  if (target.valid) {
    out.source = target.source.text;
  }
  return &directory;
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
  const Caller caller{ManifestKey(node, call), std::string(program_.Text(call.name)), call.range,
                      call.source_range, node.source_dir};
  const Directory* directory =
      FindModule(caller, targets_[node.index][static_cast<size_t>(index)], installed);
  if (directory == nullptr) {
    return;
  }
  ConfigNode* child = AddNode(directory->module, &node, index);
  child->source = installed.source;
  child->version = installed.version;
  ReadTargets(*child);
  CheckChild(*child);
  pending.push_back(child);
}

void ConfigLoader::LoadCalls(ConfigNode& root) {
  std::vector<ConfigNode*> pending{&root};
  while (!pending.empty()) {
    ConfigNode* node = pending.back();
    pending.pop_back();
    for (size_t call = 0; call < node->module->calls.size(); ++call) {
      LoadCall(*node, static_cast<int>(call), pending);
    }
  }
}

/// The value that a run block gives to a variable of the module that it calls.
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
  target.valid = true;
  target.source = run.module->source;
  target.version = run.module->version;
  const Caller caller{RunModuleKey(program_, file, run), std::string(program_.Text(run.name)),
                      run.module->range, run.module->source_range, config_.root().source_dir};
  InstalledModule installed;
  const Directory* directory = FindModule(caller, target, installed);
  if (directory == nullptr) {
    return;
  }
  run.config = std::make_shared<Config>();
  run.config->program = config_.program;
  ConfigLoader loader(*run.config, *this, caller.key, run);
  ConfigNode* root = loader.AddNode(directory->module, nullptr, -1);
  root->source = installed.source;
  root->version = installed.version;
  loader.ReadTargets(*root);
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

void ConfigLoader::CheckSupported(const ConfigNode& root) {
  if (rules_.for_validation) {
    return;
  }
  if (const std::optional<Encryption>& encryption = root.module->encryption) {
    if (CheckEncryption(root, *encryption, static_, diags_)) {
      diags_.Error("Encryption is not supported",
                   "Encryption of state and plan files is not built yet.", encryption->range);
    }
  }
  if (const std::optional<Cloud>& cloud = root.module->cloud) {
    const bool right = CheckCloud(root, *cloud, static_, diags_);
    if (right && rules_.requires_installed) {
      diags_.Error("Cloud backend initialization required: please run \"tofu init\"",
                   "Reason: Initial configuration of cloud backend.\n\nWhat a \"cloud\" block says "
                   "takes effect when the directory is initialized. To do that, run:\n  tofu init");
    } else if (right) {
      diags_.Error("Cloud configuration is not supported",
                   "Runs in a cloud service are not built yet. Use a \"backend\" block, or none.",
                   cloud->range);
    }
  }
}

void ConfigLoader::Load() {
  ReadManifest();
  const size_t errors = diags_.error_count();
  if (!options_.test_directory.empty()) {
    config_.tests = std::make_shared<TestSuite>();
  }
  Directory& root = ReadDirectory(root_dir_, config_.tests.get());
  ShowProblems(root);
  ConfigNode* root_node = AddNode(root.module, nullptr, -1);
  CheckSupported(*root_node);
  if (rules_.files_only) {
    return;
  }
  ReadTargets(*root_node);
  if (rules_.root_only || (diags_.error_count() != errors && !rules_.despite_errors)) {
    return;
  }
  const size_t of_root = diags_.error_count();
  LoadCalls(*root_node);
  if (config_.tests != nullptr) {
    LoadRuns();
  }
  const bool all_found = diags_.error_count() == of_root;
  config_.calls_complete = all_found;
  if (diags_.error_count() == errors && !between_modules_.has_errors()) {
    CheckProviderConfigs(config_, between_modules_);
    CheckTestProviders(config_, between_modules_);
  }
  ShowBetweenModules(all_found);
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

namespace {

/// "a.b" for the module that is called as b in the module that is called as a.
std::string DottedPath(const Program& program, ModuleId module) {
  std::string path;
  for (; !module.is_root(); module = program.Parent(module)) {
    const std::string name(program.Text(program.CallName(module)));
    path.insert(0, path.empty() ? name : name + ".");
  }
  return path;
}

}  // namespace

std::string ModuleManifest(const Config& config) {
  // Of run blocks with one name in a file the last one counts.
  std::map<std::string, InstalledModule> entries;
  const auto add_tree = [&](const Config& tree, const std::string& prefix) {
    for (const std::unique_ptr<ConfigNode>& node : tree.nodes) {
      std::string path = DottedPath(*tree.program, node->path);
      if (!prefix.empty()) {
        path = path.empty() ? prefix : prefix + "." + path;
      }
      // A local directory that is not there has a record, too.
      for (size_t i = 0; i < node->module->calls.size(); ++i) {
        const ModuleCall& call = node->module->calls[i];
        if (node->children[i] == nullptr && call.source.starts_with('.')) {
          const std::string name(tree.program->Text(call.name));
          entries[path.empty() ? name : path + "." + name] = {"", call.source, ""};
        }
      }
      entries[std::move(path)] = {node->source_dir, node->source, node->version};
    }
  };
  add_tree(config, "");
  if (config.tests != nullptr) {
    for (const TestFile& file : config.tests->files) {
      for (const TestRun& run : file.runs) {
        if (run.config != nullptr) {
          add_tree(*run.config, RunModuleKey(*config.program, file, run));
        }
      }
    }
  }
  std::string text;
  JsonWriter out(text);
  out.BeginObject();
  out.Key("Modules");
  out.BeginArray();
  for (const auto& [key, module] : entries) {
    out.BeginObject();
    out.Member("Key", key);
    out.Member("Source", module.source);
    if (!module.version.empty()) {
      out.Member("Version", module.version);
    }
    out.Member("Dir", module.dir);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
  return text;
}

SourceSnapshot TakeSnapshot(const Config& config) {
  SourceSnapshot snapshot;
  for (const std::unique_ptr<ConfigNode>& node : config.nodes) {
    SnapshotModule module{
        DottedPath(*config.program, node->path), node->source_dir, node->source, node->version, {}};
    for (const Ref<const SourceFile>& file : node->module->files) {
      module.files.push_back({BaseName(file->name()), std::string(file->text())});
    }
    snapshot.modules.push_back(std::move(module));
  }
  std::sort(snapshot.modules.begin(), snapshot.modules.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return snapshot;
}

}  // namespace kinu::config
