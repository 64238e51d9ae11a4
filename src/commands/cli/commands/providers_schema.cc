#include <algorithm>
#include <optional>

#include "base/files.h"
#include "base/program_name.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "json/writer.h"
#include "plan_json/documents.h"
#include "session/provider_installation.h"

namespace kinu::cli {

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
  auto arguments = VariableArguments(flags);
  Loaded loaded = session::Load(invocation.workspace,
                                {.intent = LoadIntent::kOperation, .variables = arguments}, diags);
  if (Diagnostics of_root; diags.has_errors()) {
    // Unless the root module alone has errors, its files are reported by absolute path.
    const Loaded root = session::Load(
        invocation.workspace, {.intent = LoadIntent::kBackend, .variables = arguments}, of_root);
    if (of_root.has_errors()) {
      diags = std::move(of_root);
    } else {
      diags = Diagnostics();
      if (session::ChooseBackend(invocation.workspace, root, {}, diags)) {
        loaded = session::Load(invocation.workspace,
                               {.variables = arguments, .directory = WorkingDirectory()}, diags);
      }
    }
  }
  auto providers = session::ProviderSet::Open(invocation.workspace, diags);
  if (!diags.has_errors()) {
    providers->RequireSelections(*loaded.config, diags);
  }
  if (!diags.has_errors()) {
    engine::CheckProvisioners(*loaded.config, diags);
  }
  std::optional<state::State> state;
  if (!diags.has_errors()) {
    if (const auto chosen = session::ChooseBackend(invocation.workspace, loaded, {}, diags)) {
      auto store = chosen->backend->Open(invocation.workspace.Name(), loaded.program);
      auto read = store ? (*store)->Read(loaded.program) : std::unexpected(store.error());
      if (read) {
        state = std::move(*read);
        session::AdoptProviders(*loaded.config, *state);
      } else {
        diags.Error("error loading state: " + read.error().message, "");
      }
    }
  }
  std::vector<std::pair<std::string, const schema::ProviderSchema*>> schemas;
  if (state) {
    schemas = providers->LoadSchemas(*loaded.config, &*state, diags);
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
