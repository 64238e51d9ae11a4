#include "base/relative_path.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/import_lines.h"
#include "config/address.h"
#include "session/encryption.h"
#include "session/provider_installation.h"
#include "text/quote.h"
#include "view/human/text.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kDone =
    "Import successful!\n\nThe resources that were imported are shown above. These resources are "
    "now in\nyour OpenTofu state and will henceforth be managed by OpenTofu.";

/// The same as a JSON message.
constexpr const char* kDoneMessage =
    "Import successful! The resources that were imported are shown above. These resources are now "
    "in your OpenTofu state and will henceforth be managed by OpenTofu";

/// Reads the instance that is imported to. Shows the problems if it returns nothing.
std::optional<ResourceInstance> ReadTarget(Program& program, const SourceFile* source,
                                           Audience& audience, Diagnostics& diags) {
  std::optional<config::Endpoint> endpoint = config::ParseAddress(program, source, diags);
  if (endpoint && endpoint->is_module) {
    diags.Error("Invalid address", "The address of a resource is needed, not of a module.",
                endpoint->range);
    endpoint.reset();
  }
  if (!endpoint) {
    audience.Show(diags);
    const std::string where = "https://opentofu.org/docs/cli/state/resource-addressing/";
    audience.Text("For information on valid syntax, see:\n" + where + "\n");
    if (audience.json() != nullptr) {
      audience.json()->Message(view::JsonUi::Level::kInfo,
                               "For information on valid syntax, see: " + where);
    }
    return std::nullopt;
  }
  if (endpoint->resource.mode != ResourceMode::kManaged) {
    diags.Error("Invalid target resource address",
                std::string("A managed resource address is required. Importing into ") +
                    (endpoint->resource.mode == ResourceMode::kData ? "a data resource"
                                                                    : "an ephemeral resource") +
                    " is not allowed.");
    audience.Show(diags);
    return std::nullopt;
  }
  return ResourceInstance{{endpoint->module, endpoint->resource}, endpoint->key};
}

bool IsConfigured(const config::Config& config, const ResourceInstance& address) {
  const config::ConfigNode* node = config.Find(config.program->ModuleOf(address.resource.module));
  return node != nullptr && node->module->FindResource(address.resource.resource) >= 0;
}

/// Says what to write, where the configuration lacks a resource.
void SayMissing(const CommandRun& run, const Program& program, const ResourceInstance& address) {
  const std::string module = program.ToText(address.resource.module);
  const std::string where = module.empty() ? "the root module" : module;
  const std::string quoted = text::GoQuote(program.ToText(address));
  if (run.audience->json() != nullptr) {
    run.audience->json()->Message(view::JsonUi::Level::kError,
                                  "Resource address " + quoted +
                                      " does not exist in the configuration. Before importing this "
                                      "resource, please create its configuration in " +
                                      where);
  }
  if (!run.json_only()) {
    const ResourceName& resource = address.resource.resource;
    PrintError(run.invocation.style().Paint(
                   "[reset][bold][red]Error:[reset][bold] resource address %[reset]\n\n"
                   "Before importing this resource, please create its configuration in " +
                       where + ". For example:\n\nresource \"" +
                       std::string(program.Text(resource.type)) + "\" \"" +
                       std::string(program.Text(resource.name)) +
                       "\" {\n  # (resource arguments)\n}\n",
                   quoted + " does not exist in the configuration.") +
               "\n");
  }
}

/// Reports a resource that the configuration lacks. The encryption, which is looked at first, may
/// have errors of its own.
int FailWithoutConfiguration(OperationRun& run, const ResourceInstance& address) {
  const Loaded& loaded = run.operation.loaded;
  if (!run.operation.CheckRoot(run.diags) ||
      !session::SetUpEncryption(run.invocation.workspace, loaded, run.diags)) {
    return run.Fail();
  }
  const Program& program = *loaded.program;
  if (loaded.config->Find(program.ModuleOf(address.resource.module)) == nullptr) {
    return run.Fail("Import to non-existent module",
                    program.ToText(address.resource.module) +
                        " is not defined in the configuration. Please add configuration for this "
                        "module before importing into it.");
  }
  run.audience->Show(run.diags);
  SayMissing(run, program, address);
  return 1;
}

/// Loads the configuration in the directory of -config, which has to be valid before the backend is
/// looked at. All else is in the working directory. Returns false after an error.
bool LoadConfiguration(OperationRun& run, const PlanRequest& request) {
  const std::string& given = run.flags.String("config");
  if (!config::IsConfigDir(given)) {
    run.diags.Error(
        "No OpenTofu configuration files",
        "The directory " + given +
            " does not contain any OpenTofu configuration files (.tf or .tf.json). To specify a "
            "different configuration directory, use the -config=\"...\" command line option.");
    return false;
  }
  return run.operation.LoadModules({.variables = request.variables,
                                    .ask = operation::QuestionsOf(request, *run.audience),
                                    .directory = RelativePath(given),
                                    .program = request.program},
                                   run.diags) &&
         !run.diags.has_errors();
}

/// Stores what was imported and says so.
int StoreImported(OperationRun& run, state::State imported) {
  if (auto written = run.operation.store().Write(imported); !written) {
    return run.Fail("Error persisting the state file", written.error().message);
  }
  Audience& audience = *run.audience;
  audience.Text("\n" + run.invocation.style().Paint("[reset][green]%\n", kDone) + "\n");
  if (audience.json() != nullptr) {
    audience.json()->Message(view::JsonUi::Level::kInfo, kDoneMessage);
  }
  run.operation.Close(run.diags);
  return audience.Show(run.diags) ? 1 : 0;
}

/// Imports what the lines of -from say, all of it or nothing.
int ImportByLines(OperationRun& run) {
  const PlanRequest request =
      ReadOperationRequest(OperationKind::kImport, run.invocation, run.flags);
  const auto lines = ReadEditLines(run, "ADDRESS ID");
  run.CatchInterrupts();
  if (run.diags.has_errors() || !LoadConfiguration(run, request)) {
    return run.Fail();
  }
  const Loaded& loaded = run.operation.loaded;
  const auto imports = ReadImportLines(run, *loaded.program, lines, run.diags);
  CheckConfigured(imports, *loaded.config, run.diags);
  if (run.diags.has_errors() || !run.Open(request)) {
    return run.Fail();
  }
  const engine::Request& input = run.operation.input;
  CheckNotStored(imports, *input.prior_state, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  const bool dry_run = run.flags.Bool("dry-run");
  SayImports(run, *loaded.program, imports, dry_run ? "Would import" : "Import");
  std::vector<engine::ImportTarget> targets;
  for (const ImportLine& entry : imports) {
    targets.push_back({.address = entry.address,
                       .id = entry.line->words[1].text,
                       .has_id = true,
                       .identity = {}});
  }
  state::State imported = engine::ImportToState(input, targets, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  if (!dry_run) {
    return StoreImported(run, std::move(imported));
  }
  run.operation.Close(run.diags);
  return run.audience->Show(run.diags) ? 1 : 0;
}

}  // namespace

static int RunImport(Invocation& invocation) {
  OperationRun run(invocation);
  run.Parse();
  const bool by_lines = run.flags.IsSet("from");
  if (run.ReadsWords() && !by_lines && !WordsFit(run.flags.positionals(), 2)) {
    WordsError(run.diags,
               WrongWordsSummary("Invalid number of arguments", run.flags.positionals(), 2),
               "The import command expects two arguments");
  }
  CheckNoWordsBesideFrom(run);
  if (run.flags.Bool("dry-run") && !by_lines) {
    run.diags.Error("Invalid combination of arguments",
                    "-dry-run belongs to -from: for one object, an import block in a plan shows "
                    "what would happen.");
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  if (by_lines) {
    return ImportByLines(run);
  }
  const PlanRequest request = ReadOperationRequest(OperationKind::kImport, invocation, run.flags);
  const auto source = SourceFile::Make("<import-address>", run.flags.positionals()[0]);
  run.CatchInterrupts();
  Audience& audience = *run.audience;
  if (!ReadTarget(*run.program, source.get(), audience, run.diags)) {
    return 1;
  }
  if (!LoadConfiguration(run, request)) {
    return run.Fail();
  }
  const Loaded& loaded = run.operation.loaded;
  const auto wanted = ReadTarget(*loaded.program, source.get(), audience, run.diags);
  if (!wanted) {
    return run.Fail();
  }
  if (!IsConfigured(*loaded.config, *wanted)) {
    return FailWithoutConfiguration(run, *wanted);
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    return run.Fail("Error loading plugin path", read.error().message);
  }
  if (!run.Open(request)) {
    return run.Fail();
  }
  engine::ImportTarget target;
  target.address = *wanted;
  target.id = run.flags.positionals()[1];
  target.has_id = true;
  state::State imported =
      engine::ImportToState(run.operation.input, std::span(&target, 1), run.diags);
  return run.diags.has_errors() ? run.Fail() : StoreImported(run, std::move(imported));
}

constexpr auto kImportFlags =
    JoinFlags(kCompactWarnings,
              FlagSpec{.name = "config",
                       .kind = FlagKind::kString,
                       .default_value = ".",
                       .form = "=path",
                       .help = "Directory of the configuration."},
              kIgnoreRemoteVersion, kInput, kJsonStream, kOperationLock, kNoColor, kStateToRead,
              kVariables, Undocumented(JoinFlags(kParallelism, kStateToWrite, kBackup)), kEditFrom,
              FlagSpec{.name = "dry-run", .help = "With -from: store nothing."});

extern constexpr CommandSpec kImportCommand{
    .name = "import",
    .synopsis = "Associate existing infrastructure with a OpenTofu resource",
    .group = CommandGroup::kStates,
    .usage =
        "tofu [global options] import [options] ADDR ID\n"
        "tofu [global options] import [options] -from=FILE",
    .description = R"(Brings an object that exists already into the state, as the instance ADDR of
a resource in the configuration. What ID means is up to the provider: its
documentation of the resource type says it. Nothing that exists is changed.

An "import" block in the configuration does the same as part of a plan, which
shows beforehand what will happen.)",
    .flags = kImportFlags,
    .help_column = 26,
    .run = RunImport,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
