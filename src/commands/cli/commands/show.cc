#include <algorithm>
#include <utility>

#include "base/files.h"
#include "cli/command_run.h"
#include "cli/document_form.h"
#include "cli/flag_groups.h"
#include "cli/summary_flags.h"
#include "json/writer.h"
#include "operation/cloud_plan.h"
#include "operation/documents.h"
#include "operation/plan_schemas.h"
#include "operation/saved_plan.h"
#include "plan_json/documents.h"
#include "session/provider_installation.h"
#include "terminal/pager.h"
#include "trace/trace.h"
#include "view/human/plan.h"
#include "view/human/state.h"
#include "view/human/text.h"
#include "plan_json/plan_file.h"
#include "view/recorded/service_plan.h"
#include "view/report/report.h"
#include "view/source_schemas.h"
#include "view/summary/summary.h"

namespace kinu::cli {
namespace {

using Form = DocumentForm;

/// The reasons why a plan file cannot be used, in the words for a file that was only guessed to be
/// one or for that of -plan.
Diagnostics OfUnusablePlan(const Diagnostics& diags, bool guessed) {
  Diagnostics out;
  for (const Diagnostic& problem : diags) {
    if (!problem.is_error() || problem.kind != DiagnosticKind::kUnreadablePlan) {
      out.Add(problem);
    } else if (guessed) {
      out.Error("Couldn't show local plan", "Plan read error: " + problem.detail);
    } else {
      out.Error(problem.detail, "");
    }
  }
  return out;
}

bool IsUnwritten(const Diagnostic& problem) {
  return dynamic_cast<const view::UnwrittenDocument*>(problem.extra.get()) != nullptr;
}

/// Writes the copy of -json-into. A document that cannot be written is an error, and no reason to
/// leave out the text. Returns whether the text follows.
bool WriteCopy(const Form& form, const std::optional<std::string>& document,
               const Diagnostics& diags) {
  if (document) {
    form.copy->Write(*document);
    return true;
  }
  return std::ranges::all_of(diags, IsUnwritten);
}

int PrintPlan(const Invocation& invocation, const plan::Plan& plan,
              const view::SchemaLookup& schemas, const Form& form) {
  const view::PlanTextOptions options{.width = invocation.stdout_width,
                                      .show_sensitive = form.show_sensitive,
                                      .actions = form.actions ? &*form.actions : nullptr};
  terminal::PagedOutput paged(form.pager);
  const auto done = view::RenderPlanTo([&](std::string_view piece) { paged.Write(piece); }, plan,
                                       schemas, invocation.style(), options);
  if (!done) {
    PrintUnrenderedPlan(done.error());
  }
  return done ? 0 : 1;
}

int PrintState(const Invocation& invocation, const state::State& state,
               const view::SchemaLookup& schemas, const Form& form, Diagnostics& diags) {
  if (form.actions) {
    diags.Error("No changes to choose from", "The -actions option chooses changes of a plan.");
    return 1;
  }
  auto text = view::RenderState(state, schemas, invocation.style(),
                                {.show_sensitive = form.show_sensitive});
  if (!text) {
    PrintError("Failed to marshal state to json: " + text.error().message);
    return 1;
  }
  terminal::PagedOutput(form.pager).Write(*text);
  return 0;
}

/// Shows a document of a plan or state as the text for people.
int ShowDocument(const Invocation& invocation, std::string text, const Form& form,
                 Diagnostics& diags) {
  const auto document = json::Document::Parse(std::move(text));
  const auto unreadable = [&](const Error& error) {
    diags.Error("Failed to read document", error.message + ".");
    return 1;
  };
  if (!document) {
    return unreadable(document.error());
  }
  const json::Node root = (*document)->root();
  if (view::IsPlanDocument(root)) {
    const auto recorded = view::ReadPlanDocument(root);
    return recorded ? PrintPlan(invocation, recorded->plan, *recorded->schemas, form)
                    : unreadable(recorded.error());
  }
  const auto recorded = view::ReadStateDocument(root);
  if (!recorded) {
    return unreadable(recorded.error());
  }
  if (!root.Find("values")) {
    Print(std::string(view::kNoState) + "\n");
    return 0;
  }
  return PrintState(invocation, recorded->state, *recorded->schemas, form, diags);
}

int ShowPlan(const Invocation& invocation, const plan::PlanFile& file, const Form& form,
             Diagnostics& diags) {
  if (form.html) {
    std::string locals;
    auto text = operation::PlanJson(
        invocation.workspace, file, diags,
        {.visit = [&](const config::Config& config) { locals = view::LocalReferences(config); }});
    return text ? WriteReport(*std::move(text), form, diags, locals) : 1;
  }
  if (form.json) {
    return PrintDocument(
        operation::PlanJson(invocation.workspace, file, diags, {.positions = form.positions}), form,
        diags);
  }
  if (auto version = file.CheckVersion(); !version) {
    diags.Error("Failed to read plan file", version.error().message).kind =
        DiagnosticKind::kUnreadablePlan;
    return 1;
  }
  if (form.copy->wanted() &&
      !WriteCopy(form, operation::PlanJson(invocation.workspace, file, diags), diags)) {
    return 1;
  }
  auto program = std::make_shared<Program>();
  std::optional<trace::Span> getting(std::in_place, "kinu/cli", "Get Schemas");
  const auto schemas = operation::PlanSchemas::Open(invocation.workspace, file, diags);
  getting.reset();
  if (schemas == nullptr) {
    return 1;
  }
  const plan::SchemaLookup lookup = view::LookupFor(*schemas, *program);
  auto read = form.summary ? file.ReadChanges(program, lookup) : file.Read(program, lookup);
  if (!read) {
    diags
        .Error("Failed to read plan from plan file",
               view::Explained(read.error(), schemas->advice()))
        .kind = DiagnosticKind::kUnreadablePlan;
    return 1;
  }
  if (form.summary) {
    Print(view::RenderSummary(view::MakeSummary(*read), *form.summary));
    return 0;
  }
  return PrintPlan(invocation, *read, *schemas, form);
}

/// Reports that something has no configuration.
void ReportNoPositions(Diagnostics& diags) {
  diags.Error(
      "No source positions",
      "Only plan files and configurations have source positions: a state or a document does "
      "not say where its configuration is.");
}

/// `from_file`: the state is in a file of its own, so there is one even if it is empty.
int ShowState(const Invocation& invocation, const state::State& state, const Form& form,
              bool from_file, Diagnostics& diags) {
  if (form.summary) {
    Print(view::RenderSummary(view::MakeSummary(state), *form.summary));
    return 0;
  }
  if (form.positions) {
    ReportNoPositions(diags);
    return 1;
  }
  if (form.json || form.html) {
    return PrintDocument(operation::StateJson(invocation.workspace, state, diags), form, diags);
  }
  if (form.copy->wanted() &&
      !WriteCopy(form, operation::StateJson(invocation.workspace, state, diags), diags)) {
    return 1;
  }
  std::optional<trace::Span> getting(std::in_place, "kinu/cli", "Get Schemas");
  auto providers = session::ProviderSet::Open(invocation.workspace, diags);
  if (!providers->RequirePackages(session::ProviderSet::Missing::kAdvice, diags)) {
    return 1;
  }
  view::SourceSchemas schemas(providers->source());
  getting.reset();
  if (state.empty()) {
    // A file that holds nothing, or no file at all.
    Print(state.lineage.empty() && !from_file
              ? std::string(view::kNoState) + "\n"
              : "The state file is empty. No resources are represented.\n");
    return 0;
  }
  if (!providers->RequireForState(state, nullptr, diags)) {
    return 1;
  }
  return PrintState(invocation, state, schemas, form, diags);
}

/// Reports flags that name several things, or a form that a thing does not have.
void CheckTarget(const Flags& flags, Diagnostics& diags) {
  const bool module = !flags.String("module").empty();
  const int targets = (flags.Bool("state") ? 1 : 0) + (flags.String("plan").empty() ? 0 : 1) +
                      (flags.Bool("config") ? 1 : 0) + (module ? 1 : 0);
  const auto& words = flags.positionals();
  if (flags.Bool("config") && !flags.Bool("json")) {
    diags.Error("JSON output required for configuration",
                "The -config option requires -json to be specified.");
  } else if (module && !flags.Bool("json")) {
    diags.Error("JSON output required for module",
                "The -module=DIR option requires -json to be specified.");
  } else if (targets == 0 && words.size() > 1) {
    diags.Error("Too many command line arguments",
                "Expected at most one positional argument for the legacy positional argument "
                "mode.");
  } else if (targets > 0 && !words.empty()) {
    diags.Error("Unexpected command line arguments",
                "This command does not expect any positional arguments when using a "
                "target-selection option.");
  } else if (targets > 1) {
    diags.Error("Conflicting object types to show",
                "The -state, -plan=FILENAME, -config, and -module=DIR options are "
                "mutually-exclusive, to specify which kind of object to show.");
  }
}

void CheckPositions(const Flags& flags, Diagnostics& diags) {
  if (!flags.Bool("positions")) {
    return;
  }
  if (!flags.Bool("json")) {
    diags.Error("JSON output required", "The -positions option requires -json to be specified.");
  } else if (flags.IsSet("format") || flags.Bool("canonical") || flags.Bool("fingerprint")) {
    diags.Error("Conflicting output formats",
                "The -positions option goes with -json alone or with -redact.");
  } else if (flags.Bool("state")) {
    ReportNoPositions(diags);
  }
}

/// Reads how something is shown. Problems are usage errors.
Form ReadForm(const Flags& flags, const JsonCopy& copy, Diagnostics& diags) {
  const bool canonical = flags.Bool("canonical");
  const bool fingerprint = flags.Bool("fingerprint");
  const bool json = flags.Bool("json") || canonical || fingerprint;
  const bool of_configuration = flags.Bool("config") || !flags.String("module").empty();
  const bool old = flags.String("format") == "0.1";
  if (flags.IsSet("format") && (!json || of_configuration)) {
    diags.Error("JSON output required",
                "The -format option chooses the format of a plan or state and requires -json to be "
                "specified.");
  } else if (flags.IsSet("format") && !old && flags.String("format") != "1") {
    diags.Error("Unknown document format",
                "The -format option takes 0.1, or 1 for what is written without it.");
  }
  if (flags.Bool("redact") && !json) {
    diags.Error("JSON output required", "The -redact option requires -json to be specified.");
  }
  const bool html = flags.IsSet("html");
  if (html && (json || flags.IsSet("summary"))) {
    diags.Error("Conflicting output formats",
                "The -html, -json and -summary options are mutually-exclusive.");
  }
  if ((canonical && fingerprint) || ((canonical || fingerprint) && (of_configuration || old))) {
    diags.Error("Conflicting output formats",
                "The -canonical and -fingerprint options are mutually-exclusive, and have no "
                "format 0.1 and no form for configurations.");
  }
  CheckPositions(flags, diags);
  if (flags.IsSet("actions") &&
      (html || canonical || fingerprint || of_configuration || flags.Bool("state"))) {
    diags.Error("Conflicting output formats",
                "The -actions option chooses changes of a plan, as text or with -json.");
  }
  const auto& words = flags.positionals();
  const std::string& plan = flags.String("plan");
  return {.json = json,
          .redact = flags.Bool("redact"),
          .old = old,
          .canonical = canonical,
          .fingerprint = fingerprint,
          .positions = flags.Bool("positions"),
          .summary = ReadSummaryFlags(flags, diags),
          .actions = ReadActions(flags, diags),
          .show_sensitive = flags.Bool("show-sensitive"),
          .title = words.empty() ? plan : words[0],
          .html = html ? std::optional(flags.String("html")) : std::nullopt,
          .pager = terminal::ChoosePager(flags.Bool("pager")),
          .copy = &copy};
}

int ShowModule(const Invocation& invocation, const std::string& directory,
               std::span<const config::VariableArgument> variables, bool positions,
               Diagnostics& diags) {
  const Loaded loaded = session::Load(invocation.workspace,
                                      {.intent = LoadIntent::kRootModule,
                                       .variables = variables,
                                       .directory = directory,
                                       .despite_inputs = true},
                                      diags);
  if (diags.has_errors()) {
    return 1;
  }
  std::string document;
  JsonWriter out(document);
  view::WriteSingleModule(out, *loaded.config, positions);
  diags = Diagnostics();  // of warnings, which programs that read the document do not expect
  Print(document + "\n");
  return 0;
}

int ShowConfiguration(const Invocation& invocation,
                      std::span<const config::VariableArgument> variables, bool positions,
                      Diagnostics& diags) {
  const auto document =
      operation::ConfigurationJson(invocation.workspace, variables, positions, diags);
  if (document) {
    Print(*document + "\n");
    diags = Diagnostics();
  }
  return document ? 0 : 1;
}

/// Reports that the file of -plan is no plan file.
int ReportNoPlan(const std::string& path, const Error& error, Diagnostics& diags) {
  const std::string missing = "open " + path + ": no such file or directory";
  diags.Error(error.code == ErrorCode::kNotFound
                  ? "couldn't load the provided path as either a local plan file (" + missing +
                        ") or a saved cloud plan (" + missing + ")"
                  : operation::NoPlanText(path, error),
              "");
  return 1;
}

/// Reports why the plan that a file names cannot be shown.
int ReportCloudPlan(const Error& error, bool guessed, Diagnostics& diags) {
  diags.Error(guessed ? "Couldn't show cloud plan" : error.message,
              guessed ? "Plan read error: " + error.message : "");
  return 1;
}

/// Prints the text of a plan that a service has made.
int PrintServicePlan(const Invocation& invocation, operation::FetchedPlan plan, const Form& form,
                     Diagnostics& diags) {
  const auto document = json::Document::Parse(std::move(plan.document));
  const auto unreadable = [&](const Error& error) {
    diags.Error("Couldn't decode renderable JSON plan format", error.message + ".");
    return 1;
  };
  if (!document) {
    return unreadable(document.error());
  }
  if (form.summary) {
    const auto recorded = view::ReadServicePlan((*document)->root());
    if (!recorded) {
      return unreadable(recorded.error());
    }
    Print(view::RenderSummary(view::MakeSummary(recorded->plan), *form.summary));
    return 0;
  }
  const terminal::Style style = invocation.style();
  const auto text = view::RenderServicePlan((*document)->root(),
                                            {.mode = plan.mode, .errored = plan.errored}, style,
                                            {.width = invocation.stdout_width,
                                             .show_sensitive = form.show_sensitive,
                                             .in_automation = invocation.in_automation,
                                             .can_apply = plan.has_changes,
                                             .actions = form.actions ? &*form.actions : nullptr});
  if (!text) {
    return unreadable(text.error());
  }
  terminal::PagedOutput(form.pager)
      .Write(style.Paint(plan.header + "\n") + *text + style.Paint("\n" + plan.footer + "\n"));
  return 0;
}

/// Shows the plan that a file names. `guessed`: whether that it is a plan was.
int ShowCloudPlan(const Invocation& invocation, const operation::CloudPlan& plan, bool guessed,
                  std::span<const config::VariableArgument> variables, const Form& form,
                  Diagnostics& diags) {
  if (form.positions) {
    ReportNoPositions(diags);
    return 1;
  }
  const bool document = form.json || form.html;
  if (document || form.copy->wanted()) {
    auto fetched = operation::FetchCloudPlan(invocation.workspace, variables, plan, false);
    if (!fetched) {
      return ReportCloudPlan(fetched.error(), guessed, diags);
    }
    fetched->document += '\n';
    if (document) {
      return PrintDocument(std::move(fetched->document), form, diags);
    }
    form.copy->Write(fetched->document);
  }
  auto fetched = operation::FetchCloudPlan(invocation.workspace, variables, plan, true);
  return fetched ? PrintServicePlan(invocation, *std::move(fetched), form, diags)
                 : ReportCloudPlan(fetched.error(), guessed, diags);
}

/// Reports why a file is neither plan nor state. The reader that knows the file says why.
/// Ref: opentofu internal/command/show.go legacyShowFromPath.
void ReportNeither(const std::string& path, const Error& not_plan, const Error& not_state,
                   Diagnostics& diags) {
  if (operation::IsUnusablePlan(not_plan)) {
    diags.Error("Couldn't show local plan", "Plan read error: " + not_plan.message);
  } else if (not_plan.code != ErrorCode::kInvalid) {
    const std::string& why = not_plan.message;
    diags.Error("Failed to read the given file as a state or plan file",
                "State read error: Error loading statefile: " + why +
                    "\n\nPlan read error: couldn't load the provided path as either a local plan "
                    "file (" +
                    why + ") or a saved cloud plan (" + why + ")");
  } else if (not_state.code == ErrorCode::kInvalid) {
    diags.Error("Couldn't show state file", "State read error: " + not_state.message);
  } else {
    diags.Error("Failed to read the given file as a state or plan file",
                "State read error: Error reading " + path +
                    " as a statefile: " + not_state.message +
                    "\n\nPlan read error: " + operation::NoPlanText(path, not_plan));
  }
}

/// Shows a file that is no plan file as a state. `not_plan` is why it is no plan.
int ShowStateFile(const Invocation& invocation, const std::string& path,
                  const state::Sealer& sealer, std::span<const config::VariableArgument> variables,
                  const Error& not_plan, const Form& form, Diagnostics& diags) {
  const auto state = operation::ReadStateFile(path, sealer);
  if (!state) {
    ReportNeither(path, not_plan, state.error(), diags);
    return 1;
  }
  Diagnostics of_modules;  // all modules must be valid, as for the current state
  (void)session::Load(invocation.workspace, {.variables = variables}, of_modules);
  if (of_modules.has_errors()) {
    diags.Append(std::move(of_modules));
    return 1;
  }
  return ShowState(invocation, *state, form, true, diags);
}

/// Shows a plan file or, if `guessed`, whichever kind of file it is, with the keys of `encryption`.
int ShowSealedFile(const Invocation& invocation, const std::string& path,
                   const encryption::Encryption& encryption, bool guessed,
                   std::span<const config::VariableArgument> variables, const Form& form,
                   Diagnostics& diags) {
  const auto file = plan::PlanFile::Open(path, *encryption.plan());
  if (!session::CheckFiles(invocation.workspace, variables, file ? &*file : nullptr, diags)) {
    return 1;
  }
  diags = Diagnostics();  // warnings about the configuration are for those who work with it
  if (file) {
    const int code = ShowPlan(invocation, *file, form, diags);
    diags = OfUnusablePlan(diags, guessed);
    return code;
  }
  if (const auto named = operation::ReadCloudPlan(path)) {
    return ShowCloudPlan(invocation, *named, guessed, variables, form, diags);
  }
  if (guessed) {
    return ShowStateFile(invocation, path, *encryption.state(), variables, file.error(), form,
                         diags);
  }
  if (operation::IsUnusablePlan(file.error())) {
    diags.Error(file.error().message, "");
    return 1;
  }
  return ReportNoPlan(path, file.error(), diags);
}

/// Warnings that were set aside are shown if there are errors, before these.
void ShowBesideErrors(Diagnostics warnings, Diagnostics& diags) {
  if (diags.has_errors()) {
    warnings.Append(std::move(diags));
    diags = std::move(warnings);
  }
}

/// Shows a document, or a plan file or, if `guessed`, whichever kind of file it is.
int ShowFile(const Invocation& invocation, const std::string& path, bool guessed,
             std::span<const config::VariableArgument> variables, const Form& form,
             Diagnostics& diags) {
  const trace::Span span("kinu/cli", guessed ? "Show" : "Show Plan");
  if (path == "-" || operation::IsDocument(path)) {
    if (form.positions) {
      ReportNoPositions(diags);
      return 1;
    }
    auto text = operation::ReadDocument(invocation.workspace, path, {}, diags);
    return !text ? 1
           : form.json || form.summary || form.html
               ? PrintDocument(std::move(text), form, diags)
               : ShowDocument(invocation, *std::move(text), form, diags);
  }
  const auto encryption = session::LoadEncryption(invocation.workspace, variables, diags);
  if (!encryption) {
    return 1;
  }
  Diagnostics warnings = std::exchange(diags, {});
  const int code = ShowSealedFile(invocation, path, **encryption, guessed, variables, form, diags);
  ShowBesideErrors(std::move(warnings), diags);
  return code;
}

int ShowCurrentState(const Invocation& invocation,
                     std::span<const config::VariableArgument> variables, const Form& form,
                     Diagnostics& diags) {
  const trace::Span span("kinu/cli", "Show State");
  Diagnostics of_modules;
  Loaded loaded = session::Load(invocation.workspace, {.variables = variables}, of_modules);
  if (of_modules.has_errors()) {
    // The root module alone chooses the backend. Only a state to show needs the other modules.
    loaded = session::Load(invocation.workspace,
                           {.intent = LoadIntent::kBackend, .variables = variables}, diags);
    if (diags.has_errors()) {
      return 1;
    }
  }
  const auto chosen = session::ChooseBackend(invocation.workspace, loaded, {}, diags);
  if (!chosen) {
    return 1;
  }
  Diagnostics warnings = std::exchange(diags, {});
  const auto program = std::make_shared<Program>();
  std::optional<trace::Span> reading(std::in_place, "kinu/cli", "Get State from Backend");
  auto store = chosen->backend->Open(invocation.workspace.Name(), program);
  Result<state::State> state = store ? (*store)->View(program) : std::unexpected(store.error());
  reading.reset();
  if (!state) {
    diags.Error("failed to load state: " + state.error().message, "");
    ShowBesideErrors(std::move(warnings), diags);
    return 1;
  }
  const bool from_file = (*store)->exports_absent_state();
  if (of_modules.has_errors() && (from_file || !state->empty() || !state->lineage.empty())) {
    diags.Append(std::move(of_modules));
    return 1;
  }
  return ShowState(invocation, *state, form, from_file, diags);
}

int ShowTarget(const Invocation& invocation, const Flags& flags, const Form& form,
               Diagnostics& diags) {
  const auto variables = VariableArguments(flags);
  if (const std::string& directory = flags.String("module"); !directory.empty()) {
    return ShowModule(invocation, directory, variables, form.positions, diags);
  }
  if (flags.Bool("config")) {
    return ShowConfiguration(invocation, variables, form.positions, diags);
  }
  const std::string& plan = flags.String("plan");
  const auto& words = flags.positionals();
  if (words.empty() && plan.empty()) {
    return ShowCurrentState(invocation, variables, form, diags);
  }
  return ShowFile(invocation, words.empty() ? plan : words[0], plan.empty(), variables, form,
                  diags);
}

/// Shows the problems; those of documents that cannot be written have no frame. Returns whether
/// there are errors. Ref: opentofu internal/command/views/show.go.
bool ShowProblems(const Invocation& invocation, const Diagnostics& diags) {
  Diagnostics framed;
  for (const Diagnostic& problem : diags) {
    if (IsUnwritten(problem)) {
      PrintError(problem.summary + ": " + problem.detail);
    } else {
      framed.Add(problem);
    }
  }
  invocation.Show(framed);
  return diags.has_errors();
}

/// Says in a trace what is shown. Ref: opentofu internal/command/show.go.
void Describe(const Flags& flags, const Form& form, trace::Span& span) {
  const auto& words = flags.positionals();
  const std::string& plan = flags.String("plan");
  const std::string& module = flags.String("module");
  const char* target = !words.empty()         ? "ShowUnknownType"
                       : !plan.empty()        ? "ShowPlan"
                       : !module.empty()      ? "ShowModule"
                       : flags.Bool("config") ? "ShowConfig"
                                              : "ShowState";
  span.Set("opentofu.show.view", std::string(form.json ? "json" : "human"));
  span.Set("opentofu.show.target", std::string(target));
  span.Set("opentofu.show.target_arg", !words.empty() ? words[0] : !plan.empty() ? plan : module);
  span.Set("opentofu.show.show_sensitive", form.show_sensitive);
}

}  // namespace

static int RunShow(Invocation& invocation) {
  Diagnostics diags;
  DefaultFlagValue(invocation.args, "summary", "text");
  DefaultFlagValue(invocation.args, "html", "");
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags,
                                  "Failed to parse command-line options");
  const JsonCopy copy(flags, diags);
  CheckTarget(flags, diags);
  const Form form = ReadForm(flags, copy, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  trace::Span span("kinu/cli", "Show");
  if (span.on()) {
    Describe(flags, form, span);
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    diags.Error("error loading plugin path: " + read.error().message, "");
    invocation.Show(diags);
    return 1;
  }
  const int code = ShowTarget(invocation, flags, form, diags);
  return ShowProblems(invocation, diags) ? 1 : code;
}

constexpr auto kShowFlags = JoinFlags(
    FlagSpec{.name = "canonical",
             .help = "The JSON of a plan or state in canonical form: equal\n"
                     "documents are equal bytes."},
    FlagSpec{.name = "config", .help = "Show the configuration (needs -json)."},
    FlagSpec{.name = "fingerprint",
             .help = "A SHA-256 of what a plan does: equal for plans that do\n"
                     "the same."},
    FlagSpec{.name = "format",
             .kind = FlagKind::kString,
             .form = "=0.1",
             .help = "With -json: a plan or state in that older format."},
    FlagSpec{.name = "html",
             .kind = FlagKind::kString,
             .form = "[=FILE]",
             .help = "A report for browsers, in one file: changes, graph and\n"
                     "checks. Without FILE on standard output."},
    kJson,
    FlagSpec{.name = "module",
             .kind = FlagKind::kString,
             .form = "=DIR",
             .help = "Show one module's configuration (needs -json)."},
    kNoColor, kPager,
    FlagSpec{.name = "positions",
             .help = "With -json, of a plan file or a configuration: where its\n"
                     "parts are in the configuration."},
    FlagSpec{
        .name = "plan", .kind = FlagKind::kString, .form = "=FILE", .help = "Show that plan file."},
    FlagSpec{.name = "redact", .help = "With -json: sensitive values are replaced."},
    kShowSensitive, FlagSpec{.name = "state", .help = "Show the current state."}, kSummaryFlags,
    kJsonCopy, kVariables);

extern constexpr CommandSpec kShowCommand{
    .name = "show",
    .synopsis = "Show the current state or a saved plan",
    .group = CommandGroup::kDocuments,
    .usage = "tofu [global options] show [options] [PATH]",
    .description = R"(Shows the current state, a state file, a saved plan, or a document that
"show -json" has written, for people or as JSON.)",
    .flags = kShowFlags,
    .run = RunShow,
};

}  // namespace kinu::cli
