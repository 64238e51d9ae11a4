#include <unistd.h>

#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/operation.h"
#include "cli/provider_check.h"
#include "codec/json_writer.h"
#include "view/human/text.h"
#include "view/json/documents.h"

namespace kinu::cli {

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
    diags.Sort();
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
  const std::string& test_directory = flags->String("test-directory");
  if (!flags->Bool("no-tests") && test_directory != "tests" && !IsDirectory(test_directory)) {
    diags.Warning("Test directory does not exist",
                  "There is no directory " + test_directory +
                      " here, so only the configuration is checked, no test files.");
  }
  Loaded loaded = LoadForValidation(invocation, arguments, diags);
  if (!diags.has_errors()) {
    auto locator = MakeLocator(invocation, diags);
    engine::ProviderPool pool;
    engine::Input input;
    input.config = loaded.config.get();
    input.variables = &loaded.variables;
    input.providers = locator.get();
    input.pool = &pool;
    input.options.workspace = WorkspaceOf(invocation);
    input.options.original_directory = invocation.original_directory;
    if (!diags.has_errors()) {
      RequirePlugins(*loaded.config, *locator, diags);
    }
    if (!diags.has_errors()) {
      engine::Validate(input, diags);
    }
  }
  return finish(diags.has_errors() ? 1 : 0, false);
}

}  // namespace kinu::cli
