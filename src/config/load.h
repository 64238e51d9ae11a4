// Loading configurations: files to modules to the tree of module calls.
//
// A module directory is read once and shared by all calls of it. Which directory a call means
// stands in the manifest that installation writes (.terraform/modules/modules.json). Ref: opentofu
// internal/configs parser_config_dir.go, config_build.go, configload/loader_load.go.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/variables.h"

namespace kinu::config {

/// The files that a configuration was read from: what a plan file keeps.
struct SourceSnapshot {
  struct File {
    std::string name;
    std::string content;
  };
  struct Module {
    std::string key;  ///< dotted path of the call, empty for the root
    std::string dir;
    std::string source;
    std::string version;
    std::vector<File> files;
  };
  std::vector<Module> modules;
};

/// An entry of the manifest of installed modules.
struct InstalledModule {
  std::string dir;
  std::string source;
  std::string version;
};
/// The manifest by dotted path; the root's is the empty one. No file: no modules.
std::map<std::string, InstalledModule, std::less<>> ReadModuleManifest(const std::string& path,
                                                                       Diagnostics& diags);

struct LoadOptions {
  /// Name of the workspace, which module sources may use.
  std::string workspace = "default";
  /// Values of root variables, which module sources may use; null: none are given.
  const RawInputs* inputs = nullptr;
  /// Values of root variables that a saved plan has; they count before all others. Null: no plan.
  const std::map<std::string, Value>* planned = nullptr;
  /// The manifest of installed modules.
  std::string manifest_path = ".terraform/modules/modules.json";
  /// False: local directories are followed without a manifest, as installation does. What else is
  /// installed counts when it is what the call asks for.
  bool require_installed = true;
  /// True: what is wrong between modules (how providers are passed, blocks that only the root may
  /// have) is a warning. A module was fetched; whoever uses it next reports the errors.
  bool only_fetching = false;
  /// True: the root module alone is loaded, without what it calls.
  bool root_only = false;
  /// True: of that, what stands in its files; where its calls lead is not worked out.
  bool files_only = false;
  /// True: what it calls is loaded even when it has errors itself.
  bool despite_errors = false;
  /// Where to say whether everything that is called was found, and is right in itself; null: nobody
  /// asks.
  bool* calls_found = nullptr;
  /// Directory whose test files are read, with those beside the root module; empty: no test files.
  std::string test_directory = {};
  /// True: blocks that only commands with a state need (`cloud`, `encryption`), and that are not
  /// supported yet, are accepted.
  bool for_validation = false;
  /// Sources to read instead of the disk (a saved plan's); its modules count as installed.
  const SourceSnapshot* snapshot = nullptr;
};

/// Loads a root module and everything that it calls. Always gives a Config, with at least a root
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
/// The name of the directory of test files unless something else is asked for.
inline constexpr std::string_view kTestDirectory = "tests";
/// Chooses files: known extensions, `.tofu` before `.tf` of the same name, no editor files.
ModuleFiles ChooseFiles(const std::vector<std::string>& names);
/// Whether a directory has any configuration file.
bool IsConfigDir(const std::string& dir);

/// The manifest that describes a configuration's modules, as installation writes it.
std::string ModuleManifest(const Config& config);

/// The sources of a configuration, for plan files.
SourceSnapshot TakeSnapshot(const Config& config);

}  // namespace kinu::config
