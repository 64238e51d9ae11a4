#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "config/duplicate_keys.h"
#include "config/module_test_file.h"
#include "json/writer.h"
#include "operation/documents.h"
#include "plan_json/documents.h"
#include "session/provider_installation.h"
#include "view/human/text.h"

namespace kinu::cli {
namespace {

/// Checks a configuration that was loaded without errors, and its test files.
class Validator {
 public:
  Validator(const Invocation& invocation, Loaded& loaded, session::ProviderSet& providers,
            Diagnostics& diags)
      : invocation_(invocation), loaded_(loaded), providers_(providers), diags_(diags) {}

  void Run();

 private:
  void Check(config::Config& config);

  const Invocation& invocation_;
  Loaded& loaded_;
  session::ProviderSet& providers_;
  Diagnostics& diags_;
};

void Validator::Check(config::Config& config) {
  const size_t errors = diags_.error_count();
  providers_.RequirePlugins(config, diags_);
  if (diags_.error_count() != errors) {
    return;
  }
  engine::ProviderPool pool;
  engine::Request input;
  input.config = &config;
  input.variables = &loaded_.variables;
  input.providers = &providers_.source();
  input.pool = &pool;
  input.options.workspace = invocation_.workspace.Name();
  input.options.original_directory = invocation_.workspace.original_directory;
  engine::Validate(input, diags_);
}

void Validator::Run() {
  Check(*loaded_.config);
  if (loaded_.config->tests == nullptr) {
    return;
  }
  FlatSet<std::string> checked;
  for (const config::TestFile& file : loaded_.config->tests->files) {
    config::CheckTestFile(*loaded_.program, file, diags_);
    for (const config::TestRun& run : file.runs) {
      // Modules from elsewhere are checked by their authors.
      if (run.config != nullptr && run.module->source.kind == config::ModuleSourceKind::kLocal &&
          checked.insert(run.module->source.text).second) {
        Check(*run.config);
      }
      config::CheckTestRun(*loaded_.program, run, diags_);
    }
  }
}

}  // namespace

static int RunValidate(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  if (flags.positionals().size() > 1) {
    diags.Error("Too many command line arguments", "Expected at most one positional argument.");
  }
  const JsonCopy copy(flags, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
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
      diags.Error(
          FileExists(dir) ? "Failed to read test directory" : "Failed to read module directory",
          "Module directory " + dir + " does not exist or cannot be read.");
      return finish();
    }
  }
  Loaded loaded = session::Load(
      invocation.workspace,
      {.intent = LoadIntent::kValidation,
       .variables = arguments,
       .test_directory = flags.Bool("no-tests") ? std::string() : flags.String("test-directory"),
       .directory = dir},
      diags);
  if (!diags.has_errors()) {
    auto providers = session::ProviderSet::Open(invocation.workspace, diags);
    if (!diags.has_errors()) {
      Validator(invocation, loaded, *providers, diags).Run();
    }
    if (flags.Bool("duplicate-keys")) {
      config::WarnOfDuplicateKeys(*loaded.config, diags);
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
