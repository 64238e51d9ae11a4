#include "cli/operation.h"

#include <ctime>

#include <unistd.h>

#include "backend/remote_state.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/keep.h"
#include "cli/prompt.h"
#include "install/cli_config.h"
#include "plugin/handshake.h"

extern char** environ;

namespace kinu::cli {
namespace {

constexpr FlagSpec kVariableTable[] = {{"var", FlagKind::kList}, {"var-file", FlagKind::kList}};
constexpr FlagSpec kJsonTable[] = {{"json"}, {"json-into", FlagKind::kString}};
constexpr FlagSpec kLockTable[] = {{"lock", FlagKind::kBool, "true"},
                                   {"lock-timeout", FlagKind::kDuration, "0s"}};
constexpr FlagSpec kStateTable[] = {
    {"state", FlagKind::kString}, {"state-out", FlagKind::kString}, {"backup", FlagKind::kString}};
constexpr FlagSpec kOperationTable[] = {
    {"parallelism", FlagKind::kInt, "10"},
    {"refresh", FlagKind::kBool, "true"},
    {"destroy"},
    {"refresh-only"},
    {"target", FlagKind::kList},
    {"target-file", FlagKind::kList},
    {"exclude", FlagKind::kList},
    {"exclude-file", FlagKind::kList},
    {"replace", FlagKind::kList},
};
constexpr FlagSpec kInputTable[] = {{"input", FlagKind::kBool, "true"}};

std::vector<std::string> EnvironmentTexts() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    out.emplace_back(*entry);
  }
  return out;
}

}  // namespace

const std::span<const FlagSpec> kVariableFlags = kVariableTable;
const std::span<const FlagSpec> kJsonFlags = kJsonTable;
const std::span<const FlagSpec> kLockFlags = kLockTable;
const std::span<const FlagSpec> kStateFlags = kStateTable;
const std::span<const FlagSpec> kOperationFlags = kOperationTable;
const std::span<const FlagSpec> kInputFlags = kInputTable;

std::vector<config::VariableArgument> VariableArguments(const Flags& flags) {
  std::vector<config::VariableArgument> out;
  for (const Flags::Occurrence& occurrence : flags.occurrences()) {
    if (occurrence.name == "var" || occurrence.name == "var-file") {
      out.push_back({occurrence.name == "var-file", occurrence.value});
    }
  }
  return out;
}

config::RawInputs GatherWorkingInputs(std::span<const config::VariableArgument> arguments,
                                      Diagnostics& diags) {
  config::RawInputs inputs = config::GatherInputs(arguments, ".", EnvironmentTexts(), diags);
  if (!backend::IsValidWorkspaceName(Environment("TF_WORKSPACE"))) {
    diags.Error("Invalid workspace name set using TF_WORKSPACE", "");
  }
  KeepUntilExit(inputs.tree);
  return inputs;
}

std::shared_ptr<config::Config> LoadKept(std::shared_ptr<Program> program, const std::string& dir,
                                         const config::LoadOptions& options, Diagnostics& diags) {
  std::shared_ptr<config::Config> config =
      config::LoadConfig(std::move(program), dir, options, diags);
  KeepUntilExit(config);
  return config;
}

namespace {

Loaded Load(const Invocation& invocation, std::span<const config::VariableArgument> arguments,
            std::shared_ptr<Program> program, config::LoadOptions options, Diagnostics& diags,
            const std::string& dir = ".") {
  Loaded loaded;
  loaded.program = program != nullptr ? std::move(program) : std::make_shared<Program>();
  const size_t errors = diags.error_count();
  loaded.inputs = GatherWorkingInputs(arguments, diags);
  options.workspace = WorkspaceOf(invocation);
  options.inputs = &loaded.inputs;
  options.manifest_path = invocation.data_directory + "/modules/modules.json";
  // Without the values that it may depend on, nothing is said about a configuration.
  const bool given = diags.error_count() == errors;
  Diagnostics ignored;
  if (!given) {
    options.intent = config::LoadIntent::kRootModule;
  }
  loaded.config = LoadKept(loaded.program, dir, options, given ? diags : ignored);
  return loaded;
}

}  // namespace

Loaded LoadWorkingDirectory(const Invocation& invocation,
                            std::span<const config::VariableArgument> arguments, Diagnostics& diags,
                            std::shared_ptr<Program> program) {
  return Load(invocation, arguments, std::move(program), {}, diags);
}

Loaded LoadWithWholePaths(const Invocation& invocation,
                          std::span<const config::VariableArgument> arguments, Diagnostics& diags) {
  return Load(invocation, arguments, nullptr, {}, diags, WorkingDirectory());
}

Loaded LoadForOperation(const Invocation& invocation,
                        std::span<const config::VariableArgument> arguments, Diagnostics& diags,
                        std::shared_ptr<Program> program) {
  return Load(invocation, arguments, std::move(program), {.intent = config::LoadIntent::kOperation},
              diags);
}

Loaded LoadForValidation(const Invocation& invocation,
                         std::span<const config::VariableArgument> arguments, Diagnostics& diags,
                         std::string test_directory, const std::string& dir) {
  return Load(
      invocation, arguments, nullptr,
      {.intent = config::LoadIntent::kValidation, .test_directory = std::move(test_directory)},
      diags, dir);
}

Loaded LoadWithTests(const Invocation& invocation,
                     std::span<const config::VariableArgument> arguments,
                     std::string test_directory, Diagnostics& diags) {
  return Load(invocation, arguments, nullptr, {.test_directory = std::move(test_directory)}, diags);
}

namespace {

/// What a question for a variable's value says below the name.
std::string DescriptionOf(const config::Variable& variable) {
  if (variable.deprecated.empty()) {
    return variable.description;
  }
  return (variable.description.empty() ? "" : variable.description + ".\n") +
         "Variable is marked as deprecated with the following message: " + variable.deprecated;
}

}  // namespace

void CollectValues(const Invocation& invocation, Loaded& loaded, bool interactive,
                   Diagnostics& diags) {
  const config::Module& root = *loaded.config->root().module;
  if (interactive) {
    for (const config::Variable& variable : root.variables) {
      std::string name(loaded.program->Text(variable.name));
      if (variable.default_value || loaded.inputs.values.contains(name)) {
        continue;
      }
      auto answer =
          Ask(invocation, {.query = "var." + name + (variable.ephemeral ? " (ephemeral)" : ""),
                           .description = DescriptionOf(variable),
                           .secret = variable.sensitive || variable.ephemeral});
      if (!answer) {
        continue;
      }
      config::RawInput raw;
      raw.source = config::InputSource::kPrompt;
      raw.text = *std::move(answer);
      loaded.inputs.values[name] = std::move(raw);
    }
  }
  loaded.variables = config::CollectVariables(*loaded.program, root, loaded.inputs, diags);
}

void AddLockFileError(const Diagnostics& lock_diags, Diagnostics& diags) {
  if (!lock_diags.has_errors()) {
    return;
  }
  // An error made of errors, whose first line is the summary that the reference gives.
  std::string summary = "failed to read dependency lock file: ";
  std::string detail;
  if (lock_diags.size() == 1) {
    const Diagnostic& only = lock_diags.list()[0];
    summary += only.summary + ": " + only.detail;
  } else {
    summary += std::to_string(lock_diags.size()) + " problems:";
    for (const Diagnostic& problem : lock_diags) {
      detail += (detail.empty() ? "- " : "\n- ") + problem.summary + ": " + problem.detail;
    }
  }
  diags.Error(std::move(summary), std::move(detail));
}

std::unique_ptr<install::ProviderLocator> MakeLocator(const Invocation& invocation,
                                                      Diagnostics& diags) {
  install::ProviderLocator::Options options;
  options.providers_directory = invocation.data_directory + "/providers";
  Diagnostics lock_diags;
  options.locks = install::LockFile::Read(std::string(install::kLockFileName), lock_diags);
  AddLockFileError(lock_diags, diags);
  options.dev_overrides = invocation.cli_config.dev_overrides();
  options.remote_states = std::make_shared<backend::StoredStates>();
  if (std::string_view attach = Environment("TF_REATTACH_PROVIDERS"); !attach.empty()) {
    auto attachments = plugin::ParseAttachments(attach);
    if (!attachments) {
      diags.Error("Invalid format for TF_REATTACH_PROVIDERS", attachments.error().message);
    } else {
      options.attachments = std::move(*attachments);
    }
  }
  return std::make_unique<install::ProviderLocator>(std::move(options));
}

const schema::ProviderSchema* LocatorSchemas::Find(std::string_view provider) const {
  auto schema = source_.Schema(provider);
  return schema ? *schema : nullptr;
}

std::string WorkspaceOf(const Invocation& invocation) {
  return backend::CurrentWorkspace(invocation.data_directory, Environment("TF_WORKSPACE"));
}

std::string Timestamp() {
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

bool RequireConfiguration(std::string_view command, Diagnostics& diags) {
  if (config::IsConfigDir(".")) {
    return true;
  }
  diags.Error("No configuration files",
              std::string(command == "apply" ? "Apply" : "Plan") +
                  " needs a configuration, and this directory has none: without one everything "
                  "that the state knows would be destroyed. If that is what you want, run "
                  "\"tofu destroy\".");
  return false;
}

}  // namespace kinu::cli
