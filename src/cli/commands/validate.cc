#include <unistd.h>

#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/operation.h"
#include "cli/provider_check.h"
#include "codec/json_writer.h"
#include "config/test_file.h"
#include "view/human/text.h"
#include "view/json/documents.h"

namespace kinu::cli {
namespace {

/// Checks a configuration that was loaded without errors, and its test files.
class Validator {
 public:
  Validator(const Invocation& invocation, Loaded& loaded, install::ProviderLocator& locator,
            Diagnostics& diags)
      : invocation_(invocation), loaded_(loaded), locator_(locator), diags_(diags) {}

  void Run();

 private:
  void Check(config::Config& config);

  const Invocation& invocation_;
  Loaded& loaded_;
  install::ProviderLocator& locator_;
  Diagnostics& diags_;
};

void Validator::Check(config::Config& config) {
  const size_t errors = diags_.error_count();
  RequirePlugins(config, locator_, diags_);
  if (diags_.error_count() != errors) {
    return;
  }
  engine::ProviderPool pool;
  engine::Input input;
  input.config = &config;
  input.variables = &loaded_.variables;
  input.providers = &locator_;
  input.pool = &pool;
  input.options.workspace = WorkspaceOf(invocation_);
  input.options.original_directory = invocation_.original_directory;
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
      // Modules from elsewhere are their authors' to check.
      if (run.config != nullptr && run.module->source.kind == config::ModuleSourceKind::kLocal &&
          checked.insert(run.module->source.text).second) {
        Check(*run.config);
      }
      config::CheckTestRun(*loaded_.program, run, diags_);
    }
  }
}

}  // namespace

int RunValidate(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"test-directory", FlagKind::kString, "tests"},
                                        {"no-tests"}};
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags};
  auto flags = Flags::Parse(tables, invocation.args);
  Diagnostics diags;
  bool json = false;
  std::string into;
  if (!flags) {
    diags.Error("Failed to parse command-line flags", flags.error().message);
  } else {
    json = flags->Bool("json");
    into = flags->String("json-into");
    if (flags->positionals().size() > 1) {
      diags.Error("Too many command line arguments", "Expected at most one positional argument.");
    }
    if (json && !into.empty()) {
      diags.Error("Invalid output format",
                  "The -json and -json-into arguments are mutually exclusive");
    }
  }
  std::string document;
  auto finish = [&](int code, bool usage) {
    // In the order in which they were found; people get them sorted.
    if (json || !into.empty()) {
      JsonWriter out(document, {.indent = "  "});
      view::WriteValidate(out, diags);
      document += '\n';
      if (json) {
        Print(document);
        return code;
      }
      (void)ReplaceFile(into, document, 0600);
    }
    if (usage) {
      return UsageError(invocation, diags);
    }
    bool warnings = !diags.empty();
    if (!diags.has_errors()) {
      Print(view::RenderValidSuccess(invocation.style(), warnings, invocation.stdout_width));
    }
    invocation.Show(diags);
    return code;
  };
  if (diags.has_errors()) {
    return finish(1, true);
  }
  auto arguments = VariableArguments(*flags, diags);
  if (diags.has_errors()) {
    return finish(1, true);
  }
  if (!flags->positionals().empty()) {
    const std::string& dir = flags->positionals()[0];
    if (!IsDirectory(dir) || ::chdir(dir.c_str()) != 0) {
      diags.Error("Failed to read module directory",
                  "The module directory " + dir + " does not exist or cannot be read.");
      return finish(1, false);
    }
  }
  Loaded loaded =
      LoadForValidation(invocation, arguments, diags,
                        flags->Bool("no-tests") ? std::string() : flags->String("test-directory"));
  if (!diags.has_errors()) {
    auto locator = MakeLocator(invocation, diags);
    if (!diags.has_errors()) {
      Validator(invocation, loaded, *locator, diags).Run();
    }
  }
  return finish(diags.has_errors() ? 1 : 0, false);
}

}  // namespace kinu::cli
