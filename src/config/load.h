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
  kValidation,    ///< as kUse; blocks that only commands with a state need (`cloud`, `encryption`),
                  ///< are accepted
  kRootModule,    ///< the root module alone, without what it calls
  kBackend,       ///< the files of the root module alone; its calls are not resolved
  kInstallation,  ///< local directories are followed without a manifest; other modules count as
                  ///< installed only if they satisfy the call
  kFetch,         ///< as kInstallation, whatever errors the root has; problems between modules (how
                  ///< providers are passed, blocks that only the root may have) are warnings, since
                  ///< the next load reports them
};

struct LoadOptions {
  LoadIntent intent = LoadIntent::kUse;
  /// Name of the workspace, which module sources may use.
  std::string workspace = "default";
  /// Values of root variables, which module sources may use; null: none.
  const RawInputs* inputs = nullptr;
  /// Values of root variables in a saved plan, which precede all others. Null: no plan.
  const std::map<std::string, Value>* planned = nullptr;
  /// The manifest of installed modules.
  std::string manifest_path = ".terraform/modules/modules.json";
  /// Directory whose test files are read, with those beside the root module; empty: no test files.
  std::string test_directory = {};
  /// Where files are read; null: the disk.
  const SourceFiles* files = nullptr;
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

/// The sources of a configuration, for plan files.
SourceSnapshot TakeSnapshot(const Config& config);

}  // namespace kinu::config
