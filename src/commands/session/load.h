// Loads configurations, with the values of variables that module sources may use, the installed
// modules, and the name of the workspace.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "config/load.h"
#include "config/variables.h"
#include "plan/plan_file.h"
#include "session/workspace.h"

namespace kinu::session {

using config::LoadIntent;

/// Gathers the texts of variables: environment, files of the directory, command line. Invalid
/// values are reported when they are read. `files` has the directory.
config::RawInputs GatherVariables(const Workspace& workspace,
                                  std::span<const config::VariableArgument> arguments,
                                  Diagnostics& diags,
                                  const config::SourceFiles& files = config::DiskFiles());
/// GatherVariables(), and a check of the name of the workspace that the environment chooses.
config::RawInputs GatherInputs(const Workspace& workspace,
                               std::span<const config::VariableArgument> arguments,
                               Diagnostics& diags,
                               const config::SourceFiles& files = config::DiskFiles());

/// A configuration with everything that loading it needed.
struct Loaded {
  std::shared_ptr<Program> program;
  config::RawInputs inputs;
  std::shared_ptr<config::Config> config;
  std::map<std::string, config::InputValue> variables;  ///< once they are read
  /// The manifest of modules after an installation.
  std::map<std::string, config::InstalledModule, std::less<>> modules;
};

/// Finds the value of a required variable of the root module that has none yet. Nothing: there is
/// none.
using AskVariable =
    std::function<std::optional<config::RawInput>(const Program&, const config::Variable&)>;

struct LoadRequest {
  LoadIntent intent = LoadIntent::kUse;
  std::span<const config::VariableArgument> variables = {};  ///< of the command line
  /// What GatherInputs() has found; null: it is called. A pipe can be read only once.
  const config::RawInputs* inputs = nullptr;
  /// Asks for values that module sources and other early expressions need; empty: nobody is asked.
  AskVariable ask = {};
  /// Directory of test files to read, from the root module; empty: no test files.
  std::string test_directory = {};
  /// Directory of the root module; empty: that of the workspace.
  std::string directory = {};
  /// Receives the names; null: a new one.
  std::shared_ptr<Program> program = nullptr;
  /// Report problems of the configuration even if values that it may depend on have problems.
  bool despite_inputs = false;
  /// Where files are read; null: the disk.
  const config::SourceFiles* files = nullptr;
  /// Fetches modules, for kInstallation and kFetch.
  config::ModuleFetcher* fetcher = nullptr;
  /// Leaves the `encryption` block and TF_ENCRYPTION alone.
  bool encryption_off = false;
  /// Which files functions read while loading.
  functions::Surroundings surroundings = {};
};

/// Loads a configuration and the texts of its variables. If values that it may depend on have
/// errors, only these are reported. The workspace keeps the objects that diagnostics point into.
Loaded Load(const Workspace& workspace, const LoadRequest& request, Diagnostics& diags);
/// Loads the root module for its backend. Whatever is wrong with the encryption, which comes before
/// the backend and needs less of the files, is reported alone.
Loaded LoadForBackend(const Workspace& workspace, LoadRequest request, Diagnostics& diags);
/// Loads the configuration of a saved plan: its snapshot, with the plan's values of variables.
std::shared_ptr<config::Config> LoadPlanned(const Workspace& workspace,
                                            const config::SourceSnapshot& snapshot,
                                            const std::map<std::string, Value>& variables,
                                            const std::string& workspace_name,
                                            std::shared_ptr<Program> program, Diagnostics& diags);

/// Whether the files of the root module and of the variables have no problem that a load for
/// LoadIntent::kEncryption finds. Commands check this even if they work on a plan file that has a
/// whole configuration. Files that equal those of `plan` (null: there is none) are not parsed
/// again: they were valid when it was made.
bool CheckFiles(const Workspace& workspace, std::span<const config::VariableArgument> arguments,
                const plan::PlanFile* plan, Diagnostics& diags);

}  // namespace kinu::session
