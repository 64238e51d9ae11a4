#include "base/files.h"
#include "check/check_file.h"
#include "check/documents.h"
#include "check/run.h"
#include "cli/build_info.h"
#include "cli/flag_groups.h"
#include "codec/json_writer.h"
#include "operation/documents.h"
#include "view/json/diagnostic.h"
#include "view/snippet.h"

namespace kinu::cli {
namespace {

constexpr int kNotPassed = 2;

enum class ReportForm : uint8_t { kText, kJson, kJunit, kSarif, kAnnotations };

/// Reports why nothing could be checked.
int Unusable(const Invocation& invocation, ReportForm form, Diagnostics& diags) {
  if (form != ReportForm::kJson) {
    invocation.Show(diags);
    return 1;
  }
  diags.Sort();
  std::string text;
  JsonWriter out(text);
  view::SourceIndex sources;
  out.BeginObject();
  out.Member("format_version", "1.0");
  out.Key("summary");
  out.BeginObject();
  for (const char* name : {"passed", "failed", "errored"}) {
    out.Member(name, 0);
  }
  out.EndObject();
  out.Key("results");
  out.BeginArray();
  out.EndArray();
  out.Key("diagnostics");
  out.BeginArray();
  for (const Diagnostic& diagnostic : diags) {
    view::WriteDiagnostic(out, diagnostic, sources);
  }
  out.EndArray();
  out.EndObject();
  Print(text + "\n");
  return 1;
}

ReportForm FormOf(const Flags& flags, Diagnostics& diags) {
  static constexpr std::pair<std::string_view, ReportForm> kForms[] = {
      {"json", ReportForm::kJson},
      {"junit", ReportForm::kJunit},
      {"sarif", ReportForm::kSarif},
      {"annotations", ReportForm::kAnnotations}};
  ReportForm chosen = ReportForm::kText;
  for (const auto& [name, form] : kForms) {
    if (flags.Bool(name)) {
      if (chosen != ReportForm::kText) {
        diags.Error("Invalid output format",
                    "Only one of -json, -junit, -sarif and -annotations can be given.");
      }
      chosen = form;
    }
  }
  return chosen;
}

template <typename Document>
void ReadDocuments(const Invocation& invocation, const std::vector<std::string>& files,
                   std::string_view what, bool whole, std::vector<std::unique_ptr<Document>>& out,
                   Diagnostics& diags) {
  for (const std::string& file : files) {
    auto text = operation::ReadDocument(invocation.workspace, file, {}, diags);
    if (!text) {
      continue;
    }
    auto document = Document::Read(*std::move(text), whole);
    if (!document) {
      diags.Error("Unusable document", document.error().message + ".\n\nThe document is the " +
                                           std::string(what) + " " + file + ".");
      continue;
    }
    out.push_back(*std::move(document));
  }
}

}  // namespace

static int RunCheck(Invocation& invocation) {
  Diagnostics diags;
  auto flags = Flags::Parse(invocation.command->flags,
                            OptionsFirst(invocation.command->flags, invocation.args));
  if (!flags) {
    diags.Error("Failed to parse command-line flags", flags.error().message);
    return Unusable(invocation, ReportForm::kText, diags);
  }
  const ReportForm form = FormOf(*flags, diags);
  if (flags->positionals().empty()) {
    diags.Error("Check file required", "The check command needs at least one check file.");
  }
  if (diags.has_errors()) {
    return form == ReportForm::kJson ? Unusable(invocation, form, diags)
                                     : UsageError(invocation, diags);
  }
  check::CheckFiles files;
  for (const std::string& name : flags->positionals()) {
    auto text = ReadFile(name);
    if (text) {
      files.Add(name, *std::move(text), diags);
    } else {
      diags.Error("Failed to read check file", text.error().message + ".");
    }
  }
  check::Documents documents;
  const bool whole = files.has_selectors();
  ReadDocuments(invocation, flags->List("plan"), "plan", whole, documents.plans, diags);
  ReadDocuments(invocation, flags->List("state"), "state", whole, documents.states, diags);
  if (diags.has_errors()) {
    return Unusable(invocation, form, diags);
  }
  const check::Report report = check::RunChecks(files, documents);
  const bool show_sensitive = flags->Bool("show-sensitive");
  std::string text;
  switch (form) {
    case ReportForm::kText:
      check::WriteText(text, report, show_sensitive);
      break;
    case ReportForm::kJson:
      check::WriteJson(text, report, show_sensitive);
      break;
    case ReportForm::kJunit:
      check::WriteJunit(text, report, show_sensitive);
      break;
    case ReportForm::kSarif:
      check::WriteSarif(text, report, show_sensitive, kOwnVersion);
      break;
    case ReportForm::kAnnotations:
      check::WriteAnnotations(text, report, show_sensitive);
      break;
  }
  Print(text);
  return report.failed + report.errored > 0 ? kNotPassed : 0;
}

constexpr auto kCheckFlags =
    JoinFlags(FlagSpec{.name = "plan",
                       .kind = FlagKind::kList,
                       .form = "=FILE",
                       .help = "A plan: the output of \"show -json\", or a plan file. May be\n"
                               "repeated; assertions tell them apart by number, from 0."},
              FlagSpec{.name = "state",
                       .kind = FlagKind::kList,
                       .form = "=FILE",
                       .help = "A state: the output of \"show -json\", or a state file. May\n"
                               "be repeated."},
              FlagSpec{.name = "json", .help = "The results as one JSON object."},
              FlagSpec{.name = "junit", .help = "The results as JUnit XML."},
              FlagSpec{.name = "sarif", .help = "What did not pass as SARIF 2.1.0."},
              FlagSpec{.name = "annotations",
                       .help = "What did not pass as workflow commands for code review."},
              FlagSpec{.name = "show-sensitive", .help = "Show sensitive values that were found."},
              kColor, kNoColor);

extern constexpr CommandSpec kCheckCommand{
    .name = "check",
    .synopsis = "Check assertions about plans and states",
    .usage = "tofu [global options] check [options] FILE...",
    .description = R"(Checks assertions about plans and states. Each FILE is a check file, in
native syntax (.kinucheck.hcl) or JSON syntax (.kinucheck.json). No
configuration and no provider is needed for documents in JSON.

The exit code is 0 when every assertion passed, 2 when one failed or is
malformed, 1 when a file or document cannot be used.)",
    .flags = kCheckFlags,
    .notes = R"(Example:

  check "the pet is created" {
    plan {
      expect_resource_action {
        address = "random_pet.p"
        action  = "Create"
      }
    }
  })",
    .help_column = 21,
    .run = RunCheck,
};

}  // namespace kinu::cli
