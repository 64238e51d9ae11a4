// What plan, apply, destroy, validate, show and init have in common: flags, loading the
// configuration and its variables, providers, the backend.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/local.h"
#include "cli/command.h"
#include "config/load.h"
#include "config/variables.h"
#include "engine/plan.h"
#include "install/provider_locator.h"
#include "view/schema_lookup.h"

namespace kinu::cli {

// Flag tables shared by commands (the sets V, J, L, S, O, I of the contract).
extern const std::span<const FlagSpec> kVariableFlags, kJsonFlags, kLockFlags, kStateFlags,
    kOperationFlags, kInputFlags;

/// -var and -var-file in the order of the command line. What is wrong with them is told by who
/// reads their values.
std::vector<config::VariableArgument> VariableArguments(const Flags& flags);

/// Values of variables as given: environment, files of the working directory, command line.
config::RawInputs GatherWorkingInputs(std::span<const config::VariableArgument> arguments,
                                      Diagnostics& diags);

/// Loads a configuration and keeps it until the process ends: problems point into it, and to
/// destroy it would only take time.
std::shared_ptr<config::Config> LoadKept(std::shared_ptr<Program> program, const std::string& dir,
                                         const config::LoadOptions& options, Diagnostics& diags);

/// The configuration of the working directory with everything that loading it needs.
struct Loaded {
  std::shared_ptr<Program> program;
  config::RawInputs inputs;
  std::shared_ptr<config::Config> config;
  std::map<std::string, config::InputValue> variables;
};
/// Loads configuration and variable texts. Values are read later (CollectValues), because a command
/// may fail for other reasons first. Names go into `program` when one is given.
Loaded LoadWorkingDirectory(const Invocation& invocation,
                            std::span<const config::VariableArgument> arguments, Diagnostics& diags,
                            std::shared_ptr<Program> program = nullptr);
/// The same, but files of the root module have their whole paths.
Loaded LoadWithWholePaths(const Invocation& invocation,
                          std::span<const config::VariableArgument> arguments, Diagnostics& diags);
/// The same for a command that works on the state: what called modules say is reported although the
/// root module has errors.
Loaded LoadForOperation(const Invocation& invocation,
                        std::span<const config::VariableArgument> arguments, Diagnostics& diags,
                        std::shared_ptr<Program> program = nullptr);
/// The same for a check that needs neither a backend nor a state: blocks that only those read, and
/// that this version does not support, are let through. What is checked stands in `dir`.
Loaded LoadForValidation(const Invocation& invocation,
                         std::span<const config::VariableArgument> arguments, Diagnostics& diags,
                         std::string test_directory = {}, const std::string& dir = ".");
/// The same as LoadWorkingDirectory, with the test files beside the root module and in a directory.
Loaded LoadWithTests(const Invocation& invocation,
                     std::span<const config::VariableArgument> arguments,
                     std::string test_directory, Diagnostics& diags);
/// Reads the variables' values; asks for missing ones when `interactive`.
void CollectValues(const Invocation& invocation, Loaded& loaded, bool interactive,
                   Diagnostics& diags);

/// Providers of the working directory: lock file, overrides, attached ones.
std::unique_ptr<install::ProviderLocator> MakeLocator(const Invocation& invocation,
                                                      Diagnostics& diags);

/// Makes one error of what is wrong with the lock file, as commands that use it do.
void AddLockFileError(const Diagnostics& lock_diags, Diagnostics& diags);

/// Finds schemas for documents and texts.
class LocatorSchemas final : public view::SchemaLookup {
 public:
  explicit LocatorSchemas(provider::ProviderSource& source) : source_(source) {}
  const schema::ProviderSchema* Find(std::string_view provider) const override;

 private:
  provider::ProviderSource& source_;
};

/// The local backend that this directory was initialized with; `options` already has the state
/// flags. False with a diagnostic when the root module asks for another one than init recorded, or
/// for one that is not built.
bool ReadBackend(const Invocation& invocation, const Loaded& loaded, backend::LocalOptions& options,
                 Diagnostics& diags);
/// The same for commands that need nothing else of the configuration. A directory without
/// configuration will do.
bool BackendOptions(const Invocation& invocation,
                    std::span<const config::VariableArgument> arguments,
                    backend::LocalOptions& options, Diagnostics& diags);
std::string WorkspaceOf(const Invocation& invocation);

/// Now, as RFC 3339 in UTC.
std::string Timestamp();

/// Whether a directory has a configuration at all; otherwise says "No configuration files".
bool RequireConfiguration(std::string_view command, Diagnostics& diags);

}  // namespace kinu::cli
