#include "base/files.h"
#include "check/check_file.h"
#include "check/documents.h"
#include "check/run.h"
#include "cli/commands/commands.h"
#include "cli/document.h"
#include "codec/json_writer.h"
#include "view/json/diagnostic.h"
#include "view/snippet.h"

namespace kinu::cli {
namespace {

constexpr int kNotPassed = 2;

enum class Form : uint8_t { kText, kJson, kJunit, kSarif, kAnnotations };

/// Says why nothing could be checked.
int Unusable(const Invocation& invocation, Form form, Diagnostics& diags) {
  if (form != Form::kJson) {
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

Form FormOf(const Flags& flags, Diagnostics& diags) {
  static constexpr std::pair<std::string_view, Form> kForms[] = {
      {"json", Form::kJson},
      {"junit", Form::kJunit},
      {"sarif", Form::kSarif},
      {"annotations", Form::kAnnotations}};
  Form chosen = Form::kText;
  for (const auto& [name, form] : kForms) {
    if (flags.Bool(name)) {
      if (chosen != Form::kText) {
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
    auto text = ReadDocument(invocation, file, {}, diags);
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

int RunCheck(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"json"},
                                        {"junit"},
                                        {"sarif"},
                                        {"annotations"},
                                        {"show-sensitive"},
                                        {"plan", FlagKind::kList},
                                        {"state", FlagKind::kList}};
  const std::span<const FlagSpec> tables[] = {kFlags};
  Diagnostics diags;
  auto flags = Flags::Parse(tables, OptionsFirst(kFlags, invocation.args));
  if (!flags) {
    diags.Error("Failed to parse command-line flags", flags.error().message);
    return Unusable(invocation, Form::kText, diags);
  }
  const Form form = FormOf(*flags, diags);
  if (flags->positionals().empty()) {
    diags.Error("Check file required", "The check command needs at least one check file.");
  }
  if (diags.has_errors()) {
    return form == Form::kJson ? Unusable(invocation, form, diags) : UsageError(invocation, diags);
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
    case Form::kText:
      check::WriteText(text, report, show_sensitive);
      break;
    case Form::kJson:
      check::WriteJson(text, report, show_sensitive);
      break;
    case Form::kJunit:
      check::WriteJunit(text, report, show_sensitive);
      break;
    case Form::kSarif:
      check::WriteSarif(text, report, show_sensitive, kOwnVersion);
      break;
    case Form::kAnnotations:
      check::WriteAnnotations(text, report, show_sensitive);
      break;
  }
  Print(text);
  return report.failed + report.errored > 0 ? kNotPassed : 0;
}

}  // namespace kinu::cli
