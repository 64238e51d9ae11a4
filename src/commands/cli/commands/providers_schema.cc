#include <algorithm>
#include <optional>

#include "base/program_name.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "json/writer.h"
#include "plan_json/documents.h"
#include "session/provider_installation.h"

namespace kinu::cli {

/// Loads the configuration. Errors of the root module alone come first, then those of the backend,
/// then all others, with absolute paths.
static void LoadForSchemas(OpenWorkspace& open,
                           const std::vector<config::VariableArgument>& arguments,
                           Diagnostics& diags) {
  open.LoadModules({.intent = LoadIntent::kOperation, .variables = arguments});
  if (!open.of_modules().has_errors()) {
    diags.Append(open.of_modules());
    return;
  }
  if (Diagnostics of_root; !open.CheckRoot(of_root)) {
    diags.Append(std::move(of_root));
  } else if (open.OpenBackend({}, diags)) {
    (void)open.LoadByAbsolutePath({.variables = arguments}, diags);
  }
}

static int RunProvidersSchema(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  if (!flags.positionals().empty()) {
    diags.Error("Too many command line arguments", "Expected at most zero positional arguments.");
  }
  if (!flags.Bool("json")) {
    diags.Error("Output only in json is allowed",
                Hint("The `tofu providers schema` command requires the `-json` flag."));
  }
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    diags.Error("Plugins loading error",
                "The list of -plugin-dir cannot be read: " + read.error().message);
    invocation.Show(diags);
    return 1;
  }
  OpenWorkspace open(invocation.workspace);
  LoadForSchemas(open, VariableArguments(flags), diags);
  if (open.OpenProviders(diags)) {
    open.providers->RequireSelections(*open.loaded.config, diags);
  }
  if (!diags.has_errors()) {
    engine::CheckProvisioners(*open.loaded.config, diags);
  }
  std::optional<state::State> state;
  if (!diags.has_errors()) {
    if (open.OpenBackend({}, diags)) {
      auto store = open.backend->backend->Open(invocation.workspace.Name(), open.loaded.program);
      auto read = store ? (*store)->Read(open.loaded.program) : std::unexpected(store.error());
      if (read) {
        state = std::move(*read);
        session::AdoptProviders(*open.loaded.config, *state);
      } else {
        diags.Error("error loading state: " + read.error().message, "");
      }
    }
  }
  std::vector<std::pair<std::string, const schema::ProviderSchema*>> schemas;
  if (state) {
    schemas = open.providers->LoadSchemas(*open.loaded.config, &*state, diags);
  }
  if (diags.has_errors()) {
    invocation.Show(diags);
    return 1;
  }
  view::WriteProviderSchemas(schemas, [](std::string_view text) { Print(text); });
  Print("\n");
  return 0;
}

constexpr auto kProvidersSchemaFlags = JoinFlags(
    FlagSpec{.name = "json", .help = "As JSON, which is the only form there is."}, kVariables);

extern constexpr CommandSpec kProvidersSchemaCommand{
    .name = "providers schema",
    .synopsis = "Show schemas of the providers in use",
    .usage = "tofu [global options] providers schema -json",
    .description = R"(Prints the schemas of all providers that the configuration or the state
uses, as JSON.)",
    .flags = kProvidersSchemaFlags,
    .run = RunProvidersSchema,
    .on_misuse = MisuseAnswer::kHelp,
};

}  // namespace kinu::cli
