// Loading configurations: files to modules to the tree of module calls.
//
// A module directory is read once and shared by all calls of it. The manifest that installation
// writes (.terraform/modules/modules.json) maps calls to directories. Ref: opentofu
// internal/configs parser_config_dir.go, config_build.go, configload/loader_load.go.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/module_source.h"
#include "config/source_files.h"
#include "config/variables.h"

namespace kinu::config {

/// An entry of the manifest of installed modules.
struct InstalledModule {
  std::string dir;
  std::string source;
  std::string version;
};
/// The manifest by dotted path; the root's is the empty one. No file: no modules.
std::map<std::string, InstalledModule, std::less<>> ReadModuleManifest(const std::string& path,
                                                                       Diagnostics& diags);

/// What a configuration is loaded for.
enum class LoadIntent : uint8_t {
  kUse,        ///< everything is needed: modules must be installed, errors of the root end the load
  kOperation,  ///< as kUse, but called modules are loaded even when the root has errors
  kValidation,  ///< as kUse; blocks that only commands with a state need (`cloud`, `encryption`),
                ///< are accepted
  kRemains,  ///< as kValidation, whatever errors there are; nothing is said of what depends on the
             ///< parts that `files` leave out (Module::has_gaps), or relates modules to each other
  kRootModule,      ///< the root module alone, without what it calls
  kInitialization,  ///< as kRootModule; values of `cloud` and `encryption` blocks are not checked,
                    ///< and problems of TF_ENCRYPTION are left to the caller
  kRootFiles,       ///< the files of the root module alone; its calls are not resolved
  kBackend,  ///< as kRootFiles; other blocks than `backend`, `cloud`, `encryption`, variables and
             ///< local values are left out
  kEncryption,    ///< as kBackend, without `backend` and `cloud`
  kInstallation,  ///< local directories are followed without a manifest; other modules count as
                  ///< installed only if they satisfy the call
  kFetch,         ///< as kInstallation, whatever errors the root has; problems between modules (how
                  ///< providers are passed, blocks that only the root may have) are warnings, since
                  ///< the next load reports them
};

/// A call whose module is not installed as the call wants it.
struct ModuleFetch {
  std::string key;      ///< in the manifest: "a.b"
  std::string name;     ///< of the call
  ModuleSource source;  ///< of a registry, or remote
  std::string version;  ///< constraint; empty if the call has none
  SourceRange range;    ///< of the call's header
};

/// Fetches modules while a configuration is loaded for installation. Calls come depth first, those
/// of a module by name.
class ModuleFetcher {
 public:
  virtual ~ModuleFetcher() = default;
  /// The manifest as it was read.
  virtual void Begin(const std::map<std::string, InstalledModule, std::less<>>& manifest) = 0;
  /// Whether modules that are installed as their calls want them may stay.
  virtual bool MayKeep() const = 0;
  /// The calls of one module that Fetch() will be asked for, in this order. They may be fetched
  /// side by side from now on.
  virtual void Expect(const std::vector<ModuleFetch>& calls) = 0;
  /// A call gets its module anew: removes what an earlier installation put there, and forgets what
  /// that called.
  virtual void Forget(const std::string& key) = 0;
  /// Fetches a module; nothing after an error.
  virtual std::optional<InstalledModule> Fetch(const ModuleFetch& call, Diagnostics& diags) = 0;
  /// A call has its module in a directory: fetched, kept, or local. An empty directory: a local one
  /// that does not exist.
  virtual void Found(const std::string& key, const InstalledModule& module, bool is_kept) = 0;
};

struct LoadOptions {
  LoadIntent intent = LoadIntent::kUse;
  /// Name of the workspace, which module sources may use.
  std::string workspace = "default";
  /// Values of root variables, which module sources may use; null: none.
  const RawInputs* inputs = nullptr;
  /// Finds the value of a required root variable that `inputs` lacks and an expression needs that
  /// is evaluated while loading. Empty: there is none.
  std::function<std::optional<RawInput>(const Variable&)> ask = {};
  /// Values of root variables in a saved plan, which precede all others. Null: no plan.
  const std::map<std::string, Value>* planned = nullptr;
  /// The manifest of installed modules.
  std::string manifest_path = ".terraform/modules/modules.json";
  /// Directory whose test files are read, with those beside the root module; empty: no test files.
  std::string test_directory = {};
  /// Fetches what is not installed, for kInstallation and kFetch. Null: that is an error.
  ModuleFetcher* fetcher = nullptr;
  /// Where files are read; null: the disk.
  const SourceFiles* files = nullptr;
  /// The content of an `encryption` block that precedes the configuration's; empty: none.
  std::string encryption = {};
  /// Leaves that content and the `encryption` block alone.
  bool encryption_off = false;
  /// Which files functions read while loading.
  functions::Surroundings surroundings = {};
  /// Sources to read in place of `files` (a saved plan's); its modules count as installed.
  const SourceSnapshot* snapshot = nullptr;
};

/// Loads a root module and everything that it calls. Always returns a Config with at least a root
/// node; with errors it is incomplete. Diagnostics refer to the sources that it holds.
std::unique_ptr<Config> LoadConfig(std::shared_ptr<Program> program, const std::string& root_dir,
                                   const LoadOptions& options, Diagnostics& diags);

/// Loads one directory, without its calls.
std::unique_ptr<Module> LoadModule(Program& program, const std::string& dir, Diagnostics& diags);

/// The configuration files of a directory, in the order in which they are read.
struct ModuleFiles {
  std::vector<std::string> primary;
  std::vector<std::string> overrides;
};
/// The default name of the directory of test files.
inline constexpr std::string_view kTestDirectory = "tests";
/// Chooses files: known extensions, `.tofu` before `.tf` of the same name, no editor files.
ModuleFiles ChooseFiles(const std::vector<std::string>& names);
/// Whether a directory has any configuration file.
bool IsConfigDir(const std::string& dir);

/// The manifest that describes a configuration's modules, as installation writes it.
std::string ModuleManifest(const Config& config);
/// The text of a manifest with these modules; the root module is added.
std::string ModuleManifest(const std::map<std::string, InstalledModule, std::less<>>& modules);

/// The sources of a configuration, for plan files.
SourceSnapshot TakeSnapshot(const Config& config);

}  // namespace kinu::config
