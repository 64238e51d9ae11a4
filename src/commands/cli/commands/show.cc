#include <array>

#include "cli/command.h"
#include "cli/flag_groups.h"
#include "cli/operation_flags.h"
#include "cli/plan_risks.h"
#include "cli/show_forms.h"
#include "cli/summary_flags.h"
#include "session/provider_installation.h"
#include "terminal/pager.h"
#include "trace/trace.h"

namespace kinu::cli {
namespace {

using Form = DocumentForm;
using Target = operation::ShowRequest::Target;

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
    operation::ReportNoPositions(diags);
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
  if (flags.Bool("why") &&
      (of_configuration || old || canonical || fingerprint || flags.IsSet("actions") ||
       flags.Bool("redact") || flags.Bool("positions"))) {
    diags.Error("Conflicting output formats",
                "The -why option explains a plan, alone, with -json, in a summary or in the report "
                "of -html.");
  }
  if (flags.IsSet("risks") &&
      (of_configuration || old || canonical || fingerprint || flags.IsSet("actions") ||
       flags.Bool("redact") || flags.Bool("positions") ||
       (flags.Bool("why") && !flags.IsSet("summary") && !html))) {
    diags.Error("Conflicting output formats",
                "The -risks option shows what a plan risks, alone, with -json, in a summary or in "
                "the report of -html.");
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
          .why = flags.Bool("why"),
          .actions = ReadActions(flags, diags),
          .show_sensitive = flags.Bool("show-sensitive"),
          .title = words.empty() ? plan : words[0],
          .html = html ? std::optional(flags.String("html")) : std::nullopt,
          .pager = terminal::ChoosePager(flags.Bool("pager")),
          .copy = &copy};
}

/// Reads what is shown. `variables` outlive the result.
operation::ShowRequest ReadTarget(const Flags& flags,
                                  std::span<const config::VariableArgument> variables) {
  const auto& words = flags.positionals();
  const std::string& plan = flags.String("plan");
  const std::string& module = flags.String("module");
  operation::ShowRequest request{.variables = variables, .positions = flags.Bool("positions")};
  if (!module.empty()) {
    request.target = Target::kModule;
    request.path = module;
  } else if (flags.Bool("config")) {
    request.target = Target::kConfiguration;
  } else if (!words.empty()) {
    request.target = Target::kFile;
    request.path = words[0];
  } else if (!plan.empty()) {
    request.target = Target::kPlanFile;
    request.path = plan;
  }
  return request;
}

/// Says in a trace what is shown. Ref: opentofu internal/command/show.go.
void Describe(const operation::ShowRequest& request, const Form& form, trace::Span& span) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "ShowState", "ShowUnknownType", "ShowPlan", "ShowConfig", "ShowModule"};
  span.Set("opentofu.show.view", std::string(form.json ? "json" : "human"));
  span.Set("opentofu.show.target", std::string(kNames[static_cast<size_t>(request.target)]));
  span.Set("opentofu.show.target_arg", request.path);
  span.Set("opentofu.show.show_sensitive", form.show_sensitive);
}

/// Shows the problems; those of documents that cannot be written have no frame. Returns whether
/// there are errors. Ref: opentofu internal/command/views/show.go.
bool ShowProblems(const Invocation& invocation, const Diagnostics& diags, const JsonCopy& copy) {
  Diagnostics framed;
  for (const Diagnostic& problem : diags) {
    if (IsUnwritten(problem)) {
      PrintError(problem.summary + ": " + problem.detail);
    } else {
      framed.Add(problem);
    }
  }
  copy.ShowProblems(invocation, framed);
  return diags.has_errors();
}

}  // namespace

static int RunShow(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags,
                                  "Failed to parse command-line options");
  const JsonCopy copy(flags, diags);
  CheckTarget(flags, diags);
  Form form = ReadForm(flags, copy, diags);
  if (diags.has_errors()) {
    return UsageError(invocation, flags, diags);
  }
  form.risks = ReadRiskRules(flags, diags);
  if (diags.has_errors()) {
    copy.ShowProblems(invocation, diags);
    return 1;
  }
  const auto variables = VariableArguments(flags);
  const operation::ShowRequest request = ReadTarget(flags, variables);
  trace::Span span("kinu/cli", "Show");
  if (span.on()) {
    Describe(request, form, span);
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    diags.Error("error loading plugin path: " + read.error().message, "");
    copy.ShowProblems(invocation, diags);
    return 1;
  }
  ShowForms forms(invocation, form);
  const int code = operation::Show(invocation.workspace, request, forms, diags);
  return ShowProblems(invocation, diags, copy) ? 1 : code;
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
                     "checks. Without FILE on standard output.",
             .alone = ""},
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
    FlagSpec{.name = "redact", .help = "With -json: sensitive values are replaced."}, kRisksFlag,
    kShowSensitive, FlagSpec{.name = "state", .help = "Show the current state."}, kSummaryFlags,
    kJsonCopy,
    FlagSpec{.name = "why",
             .help = "Explain the changes of a plan file; also with -json, in\n"
                     "-summary and in the report of -html."},
    kVariables);

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
