#include <algorithm>
#include <optional>

#include "base/program_name.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "json/writer.h"
#include "plan_json/documents.h"
#include "session/provider_installation.h"

namespace kinu::cli {

/// Opens the backend, loads the configuration and reads the state. Problems of the root module and
/// of the backend come first, then those of the state, then all of the configuration, with absolute
/// paths. Nothing after an error.
static std::optional<state::State> OpenForSchemas(
    OpenWorkspace& open, const std::vector<config::VariableArgument>& arguments,
    Diagnostics& diags) {
  session::LoadRequest request{.intent = LoadIntent::kOperation, .variables = arguments};
  open.LoadModules(request);
  if (!open.CheckRoot(diags) || !open.OpenBackend({}, diags)) {
    return std::nullopt;
  }
  Diagnostics found;
  if (!open.of_modules().empty()) {
    request.encryption_off = true;  // which was looked at with the root module
    (void)open.LoadByAbsolutePath(request, found);
  }
  const std::shared_ptr<Program>& program = open.loaded.program;
  auto store = open.backend->backend->Open(open.workspace.Name(), program);
  auto read = store ? (*store)->Read(program) : std::unexpected(store.error());
  if (!read) {
    diags.Error("error loading state: " + read.error().message, "");
    return std::nullopt;
  }
  const bool valid = !found.has_errors();
  diags.Append(std::move(found));
  return valid ? std::optional(*std::move(read)) : std::nullopt;
}

static int RunProvidersSchema(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  if (!flags.positionals().empty()) {
    WordsError(diags, std::string(TooManyWordsSummary()),
               "Expected at most zero positional arguments.");
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
  const auto arguments = VariableArguments(flags);
  std::optional<state::State> state = OpenForSchemas(open, arguments, diags);
  if (state && open.OpenProviders(diags)) {
    open.providers->RequireSelected(*open.loaded.config, diags);
  }
  if (!diags.has_errors()) {
    engine::CheckProvisioners(*open.loaded.config, diags);
  }
  std::vector<std::pair<std::string, const schema::ProviderSchema*>> schemas;
  if (!diags.has_errors()) {
    session::AdoptProviders(*open.loaded.config, *state);
    schemas = open.providers->LoadSchemas(*open.loaded.config, &*state,
                                          session::ProviderSet::Provisioners::kRequired, diags);
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
