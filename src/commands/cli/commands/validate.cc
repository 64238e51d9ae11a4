#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "config/duplicate_keys.h"
#include "ide/validation.h"
#include "json/writer.h"
#include "operation/documents.h"
#include "plan_json/documents.h"
#include "session/load.h"
#include "session/provider_installation.h"
#include "view/human/text.h"

namespace kinu::cli {

/// Checks a configuration that was loaded without errors, with the providers of the directory.
static void CheckLoaded(const OpenWorkspace& open, Diagnostics& diags) {
  ide::Validate(open.loaded,
                {.require_providers =
                     [&](const config::Config& config, Diagnostics& found) {
                       const size_t errors = found.error_count();
                       open.providers->RequirePlugins(config, found);
                       return found.error_count() == errors;
                     },
                 .request =
                     [&](const config::Config& config, engine::ProviderPool& pool) {
                       auto request = operation::MakeRequest(
                           open.workspace, config, open.loaded.variables, *open.providers, pool);
                       request.missing_schemas = engine::MissingSchemas::kReportUser;
                       return request;
                     }},
                diags);
}

static int RunValidate(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  if (flags.positionals().size() > 1) {
    WordsError(diags, std::string(TooManyWordsSummary()),
               "Expected at most one positional argument.");
  }
  const JsonCopy copy(flags, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, flags, diags);
  }
  const bool json = flags.Bool("json");
  auto finish = [&] {
    session::WarnOfOverrides(invocation.workspace, false, diags);
    const bool failed = diags.has_errors();
    // In the order in which they were found; people get them sorted.
    if (json || copy.wanted()) {
      std::string document;
      JsonWriter out(document, {.indent = "  "});
      view::WriteValidate(out, diags);
      document += '\n';
      copy.Write(document);
      if (json) {
        Print(document);
        return failed ? 1 : 0;
      }
    }
    const bool warnings = !diags.empty();
    invocation.Show(diags);
    if (!failed) {
      Print(view::RenderValidSuccess(invocation.style(), warnings, invocation.stdout_width));
    }
    return failed ? 1 : 0;
  };
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    diags.Error("error loading plugin path: " + read.error().message, "");
    return finish();
  }
  auto arguments = VariableArguments(flags);
  const std::string dir = flags.positionals().empty() ? "." : CleanPath(flags.positionals()[0]);
  if (!flags.positionals().empty()) {
    if (!IsDirectory(dir)) {
      (void)session::GatherInputs(invocation.workspace, arguments, diags);
      if (diags.has_errors()) {
        return finish();
      }
      diags.Error(
          FileExists(dir) ? "Failed to read test directory" : "Failed to read module directory",
          "Module directory " + dir + " does not exist or cannot be read.");
      return finish();
    }
  }
  OpenWorkspace open(invocation.workspace);
  const bool loaded = open.LoadModules(
      {.intent = LoadIntent::kValidation,
       .variables = arguments,
       .test_directory = flags.Bool("no-tests") ? std::string() : flags.String("test-directory"),
       .directory = dir},
      diags);
  if (loaded) {
    if (open.OpenProviders(diags)) {
      CheckLoaded(open, diags);
    }
    if (flags.Bool("duplicate-keys")) {
      config::WarnOfDuplicateKeys(*open.loaded.config, diags);
    }
  }
  return finish();
}

constexpr auto kValidateFlags = JoinFlags(
    FlagSpec{.name = "duplicate-keys", .help = "Warn of keys that an object expression has twice."},
    kJson, kJsonCopy, kNoColor, FlagSpec{.name = "no-tests", .help = "Leave test files alone."},
    kTestDirectory, kVariables);

extern constexpr CommandSpec kValidateCommand{
    .name = "validate",
    .synopsis = "Check whether the configuration is valid",
    .group = CommandGroup::kMain,
    .usage = "tofu [global options] validate [options]",
    .description = R"(Checks the configuration in this directory, without looking at remote
objects or the state.)",
    .flags = kValidateFlags,
    .help_column = 24,
    .run = RunValidate,
};

}  // namespace kinu::cli
