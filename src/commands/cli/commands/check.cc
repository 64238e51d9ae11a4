#include "base/files.h"
#include "check/check_file.h"
#include "check/documents.h"
#include "check/run.h"
#include "cli/build_info.h"
#include "cli/command.h"
#include "cli/flag_groups.h"
#include "json/writer.h"
#include "operation/documents.h"
#include "plan_json/diagnostic.h"
#include "plan_json/snippet.h"

namespace kinu::cli {
namespace {

constexpr int kNotPassed = 2;

enum class ReportForm : uint8_t { kText, kJson, kJunit, kSarif, kAnnotations, kTap, kMarkdown };

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
    out.Member(std::string_view(name), 0);
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
      {"json", ReportForm::kJson},   {"junit", ReportForm::kJunit},
      {"sarif", ReportForm::kSarif}, {"annotations", ReportForm::kAnnotations},
      {"tap", ReportForm::kTap},     {"markdown", ReportForm::kMarkdown}};
  ReportForm chosen = ReportForm::kText;
  for (const auto& [name, form] : kForms) {
    if (flags.Bool(name)) {
      if (chosen != ReportForm::kText) {
        diags.Error("Invalid output format",
                    "Only one of -json, -junit, -sarif, -annotations, -tap and -markdown can be "
                    "given.");
      }
      chosen = form;
    }
  }
  return chosen;
}

/// The document of the configuration in the working directory, which `directory` must be.
std::optional<std::string> ReadConfiguration(const Invocation& invocation,
                                             const std::string& directory, Diagnostics& diags) {
  if (CleanPath(directory) != ".") {
    diags.Error("Unusable document",
                "-config takes a file, or \".\" for the working directory; -chdir chooses another "
                "one.");
    return std::nullopt;
  }
  return operation::ConfigurationJson(invocation.workspace, {}, true, diags);
}

template <typename Document>
void ReadDocuments(const Invocation& invocation, const std::vector<std::string>& files,
                   std::string_view what, bool whole, std::vector<std::unique_ptr<Document>>& out,
                   Diagnostics& diags) {
  constexpr bool kIsConfiguration = std::is_same_v<Document, check::ConfigurationDocument>;
  for (const std::string& file : files) {
    auto text =
        kIsConfiguration && IsDirectory(file)
            ? ReadConfiguration(invocation, file, diags)
            : operation::ReadDocument(invocation.workspace, file,
                                      {.as_is = kIsConfiguration, .positions = true}, diags);
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

/// Appends the check files in a directory and in the directories below it, by name.
void FindCheckFiles(const std::string& directory, std::vector<std::string>& out,
                    Diagnostics& diags) {
  const auto names = ListDirectory(directory);
  if (!names) {
    diags.Error("Failed to read check directory", names.error().message + ".");
    return;
  }
  for (const std::string& name : *names) {
    const std::string path = JoinPath(directory, name);
    if (name.starts_with('.')) {
      continue;
    }
    if (IsDirectory(path)) {
      FindCheckFiles(path, out, diags);
    } else if (name.ends_with(".kinucheck.hcl") || name.ends_with(".kinucheck.json")) {
      out.push_back(path);
    }
  }
}

void ReadCheckFiles(const std::vector<std::string>& arguments, check::CheckFiles& files,
                    Diagnostics& diags) {
  std::vector<std::string> names;
  for (const std::string& argument : arguments) {
    if (!IsDirectory(argument)) {
      names.push_back(argument);
      continue;
    }
    const size_t before = names.size();
    FindCheckFiles(argument, names, diags);
    if (names.size() == before && !diags.has_errors()) {
      diags.Error("No check files", "The directory " + argument +
                                        " has no files *.kinucheck.hcl or *.kinucheck.json.");
    }
  }
  for (const std::string& name : names) {
    auto text = ReadFile(name);
    if (text) {
      files.Add(name, *std::move(text), diags);
    } else {
      diags.Error("Failed to read check file", text.error().message + ".");
    }
  }
}

/// Makes the places in configurations relative to where their directory is.
void MovePlaces(check::Report& report, const std::string& directory) {
  const auto move = [&](check::Place& place) {
    if (place.valid() && !place.filename.starts_with('/')) {
      place.filename = JoinPath(directory, place.filename);
    }
  };
  for (check::Result& result : report.results) {
    move(result.outcome.place);
    for (check::Failure& failure : result.outcome.failures) {
      move(failure.place);
    }
  }
}

/// Runs the tests of check files, and prints those that fail.
int RunTests(Invocation& invocation, const check::CheckFiles& files) {
  Diagnostics diags;
  size_t passed = 0;
  size_t failed = 0;
  std::string text;
  const bool whole = files.needs_whole_documents();
  for (const check::CheckTest& test : files.tests()) {
    const auto here = [&](std::vector<std::string> names) {
      for (std::string& name : names) {
        name = name.starts_with('/') ? name : JoinPath(DirName(test.range.file->name()), name);
      }
      return names;
    };
    check::Documents documents;
    ReadDocuments(invocation, here(test.plans), "plan", whole, documents.plans, diags);
    ReadDocuments(invocation, here(test.states), "state", whole, documents.states, diags);
    ReadDocuments(invocation, here(test.configurations), "configuration", whole,
                  documents.configurations, diags);
    if (diags.has_errors()) {
      return Unusable(invocation, ReportForm::kText, diags);
    }
    const auto problems = check::JudgeTest(test, check::RunChecks(files, documents));
    ++(problems.empty() ? passed : failed);
    if (problems.empty()) {
      continue;
    }
    text += "FAIL  " + test.name + "\n";
    for (const std::string& problem : problems) {
      text += "      " + problem + "\n";
    }
    text += "      at " + test.range.file->name() + ":" +
            std::to_string(test.range.start_position().line) + "\n";
  }
  text += std::to_string(passed) + (passed == 1 ? " test" : " tests") + " passed, " +
          std::to_string(failed) + " failed.\n";
  Print(text);
  return failed > 0 ? kNotPassed : 0;
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
  ReadCheckFiles(flags->positionals(), files, diags);
  if (flags->Bool("test") && !diags.has_errors()) {
    return RunTests(invocation, files);
  }
  check::Documents documents;
  const bool whole = files.needs_whole_documents();
  ReadDocuments(invocation, flags->List("plan"), "plan", whole, documents.plans, diags);
  ReadDocuments(invocation, flags->List("state"), "state", whole, documents.states, diags);
  ReadDocuments(invocation, flags->List("config"), "configuration", whole, documents.configurations,
                diags);
  if (diags.has_errors()) {
    return Unusable(invocation, form, diags);
  }
  check::Report report = check::RunChecks(files, documents);
  if (flags->IsSet("source-dir")) {
    MovePlaces(report, flags->String("source-dir"));
  }
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
    case ReportForm::kTap:
      check::WriteTap(text, report, show_sensitive);
      break;
    case ReportForm::kMarkdown:
      check::WriteMarkdown(text, report, show_sensitive);
      break;
  }
  Print(text);
  const uint64_t warned = flags->Bool("fail-on-warnings") ? report.warned : 0;
  return report.failed + report.errored + warned > 0 ? kNotPassed : 0;
}

constexpr auto kCheckFlags = JoinFlags(
    FlagSpec{.name = "plan",
             .kind = FlagKind::kList,
             .form = "=FILE",
             .help = "A plan: the output of \"show -json\", or a plan file. May be\n"
                     "repeated; assertions tell them apart by number, from 0."},
    FlagSpec{.name = "state",
             .kind = FlagKind::kList,
             .form = "=FILE",
             .help = "A state: the output of \"show -json\", or a state file. May\n"
                     "be repeated."},
    FlagSpec{.name = "config",
             .kind = FlagKind::kList,
             .form = "=FILE",
             .help = "A configuration: the output of \"show -json -config\", or \".\"\n"
                     "for that of this directory. May be repeated."},
    FlagSpec{.name = "json", .help = "The results as one JSON object."},
    FlagSpec{.name = "junit", .help = "The results as JUnit XML."},
    FlagSpec{.name = "sarif", .help = "What did not pass as SARIF 2.1.0."},
    FlagSpec{.name = "annotations",
             .help = "What did not pass as workflow commands for code review."},
    FlagSpec{.name = "tap", .help = "The results as Test Anything Protocol."},
    FlagSpec{.name = "markdown", .help = "What did not pass as a Markdown table."},
    FlagSpec{.name = "source-dir",
             .kind = FlagKind::kString,
             .form = "=DIR",
             .help = "Where the plan was made: reported places in the configuration\n"
                     "begin with it."},
    FlagSpec{.name = "fail-on-warnings", .help = "Warnings make the exit code 2, as failures do."},
    FlagSpec{.name = "test", .help = "Run the tests in the check files, in place of the checks."},
    FlagSpec{.name = "show-sensitive", .help = "Show sensitive values that were found."}, kColor,
    kNoColor);

extern constexpr CommandSpec kCheckCommand{
    .name = "check",
    .synopsis = "Check assertions about plans, states and configurations",
    .group = CommandGroup::kDocuments,
    .usage = "tofu [global options] check [options] FILE...",
    .description =
        R"(Checks assertions about plans, states and configurations. Each FILE is a check file, in
native syntax (.kinucheck.hcl) or JSON syntax (.kinucheck.json), or a
directory with such files. No configuration and no provider is needed
for documents in JSON.

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
  }
  check "buckets are private" {
    plan {
      expect_condition {
        types     = ["aws_s3_bucket"]
        condition = try(after.acl, null) != "public-read"
        message   = "${address} is public"
      }
    }
  })",
    .help_column = 21,
    .run = RunCheck,
};

}  // namespace kinu::cli
