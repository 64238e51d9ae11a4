#include "cli/module_test_report.h"

#include <utility>

#include "compatibility/level.h"
#include "json/writer.h"
#include "plan_json/documents.h"
#include "text/quote.h"
#include "view/human/plan.h"
#include "view/human/state.h"
#include "view/human/text.h"
#include "view/source_schemas.h"

namespace kinu::cli {
namespace {

using module_tests::Abandoned;
using module_tests::FileResult;
using module_tests::ObjectName;
using module_tests::RunResult;
using module_tests::Status;
using module_tests::SuiteResult;
using Level = view::JsonUi::Level;

constexpr std::string_view kInterrupted =
    "\nInterrupt received.\nPlease wait for OpenTofu to exit or data loss may occur.\nGracefully "
    "shutting down...\n";
constexpr std::string_view kInterruptedAgain =
    "\nTwo interrupts received. Exiting immediately. Note that data loss may have occurred.\n";

std::string_view ColorOf(Status status) {
  switch (status) {
    case Status::kPass:
      return "green";
    case Status::kFail:
    case Status::kError:
      return "red";
    default:
      return "light_gray";
  }
}

std::string Colored(const terminal::Style& style, Status status) {
  return style.Paint("[" + std::string(ColorOf(status)) + "]" + std::string(StatusWord(status)) +
                     "[reset]");
}

std::string Quoted(std::string_view text) {
  std::string out;
  JsonWriter::AppendQuoted(out, text, JsonEscape::kPlain);
  return out;
}

/// Writes a JSON object.
template <typename F>
std::string Object(F&& members) {
  std::string text;
  JsonWriter out(text, {.escape = JsonEscape::kPlain});
  out.BeginObject();
  members(out);
  out.EndObject();
  return text;
}

void WriteObjects(JsonWriter& out, const std::vector<ObjectName>& objects) {
  out.BeginArray();
  for (const ObjectName& object : objects) {
    out.BeginObject();
    out.Member("instance", object.address);
    if (!object.deposed.empty()) {
      out.Member("deposed_key", object.deposed);
    }
    out.EndObject();
  }
  out.EndArray();
}

/// "Success! 1 passed, 0 failed."
std::string Tally(const SuiteResult& suite) {
  const size_t skipped = suite.Count(Status::kSkip);
  return " " + std::to_string(suite.Count(Status::kPass)) + " passed, " +
         std::to_string(suite.Count(Status::kFail) + suite.Count(Status::kError)) + " failed" +
         (skipped > 0 ? ", " + std::to_string(skipped) + " skipped." : ".");
}

std::string_view Verdict(const SuiteResult& suite) {
  return suite.status == Status::kPass ? "Success!" : "Failure!";
}

std::string NameOf(const FileResult& file, const RunResult& run) {
  return file.file->name + "/" + run.name;
}

}  // namespace

void TestReport::SetContext(const FileResult* file, const RunResult* run) {
  if (json() == nullptr) {
    return;
  }
  view::JsonUi::Fields fields;
  if (file != nullptr) {
    fields.emplace_back("@testfile", Quoted(file->file->name));
  }
  if (run != nullptr) {
    fields.emplace_back("@testrun", Quoted(run->name));
  }
  json()->SetContext(std::move(fields));
}

void TestReport::Begin(const SuiteResult& suite) {
  if (json() == nullptr) {
    return;
  }
  size_t runs = 0;
  const std::string members = Object([&](JsonWriter& out) {
    for (const FileResult& file : suite.files) {
      out.Key(file.file->name);
      if (file.runs.empty()) {
        out.Null();
        continue;
      }
      out.BeginArray();
      for (const RunResult& run : file.runs) {
        out.String(run.name);
      }
      out.EndArray();
      runs += file.runs.size();
    }
  });
  const size_t files = suite.files.size();
  json()->Message(Level::kInfo,
                  "Found " + std::to_string(files) + (files == 1 ? " file" : " files") + " and " +
                      std::to_string(runs) + (runs == 1 ? " run block" : " run blocks"),
                  "test_abstract", {{"test_abstract", members}});
}

void TestReport::File(FileResult& file) {
  const std::string& name = file.file->name;
  run_.audience->Text(name + "... " + Colored(run_.invocation.style(), file.status) + "\n");
  if (json() != nullptr) {
    SetContext(&file, nullptr);
    json()->Message(Level::kInfo, name + "... " + std::string(StatusWord(file.status)), "test_file",
                    {{"test_file", Object([&](JsonWriter& out) {
                        out.Member("path", name);
                        out.Member("status", StatusName(file.status));
                      })}});
  }
  for (RunResult& run : file.runs) {
    ShowRun(file, run);
  }
  SetContext(nullptr, nullptr);
}

void TestReport::ShowRun(FileResult& file, RunResult& run) {
  const std::string quoted = text::GoQuote(run.name);
  run_.audience->Text("  run " + quoted + "... " + Colored(run_.invocation.style(), run.status) +
                      "\n");
  SetContext(&file, &run);
  if (json() != nullptr) {
    json()->Message(Level::kInfo, "  " + quoted + "... " + std::string(StatusWord(run.status)),
                    "test_run", {{"test_run", Object([&](JsonWriter& out) {
                                    out.Member("path", file.file->name);
                                    out.Member("run", run.name);
                                    out.Member("status", StatusName(run.status));
                                  })}});
  }
  if (run.plan) {
    ShowPlan(run);
  } else if (run.state) {
    ShowState(run);
  }
  run_.audience->Show(run.diags);
}

void TestReport::ShowPlan(RunResult& run) {
  const view::SourceSchemas schemas(providers_.source());
  const auto failed = [&](const Error& error) {
    run.diags.Warning("Failed to render test plan",
                      "OpenTofu could not marshal the plan for display: " + error.message);
  };
  if (json() != nullptr) {
    std::string text;
    JsonWriter out(text);
    const auto written = view::WritePlan(
        out, *run.plan, run.config, schemas,
        {.version = compatibility::FullRelease(), .prior_state = false, .module_outputs = true});
    if (written) {
      json()->Message(Level::kInfo, "-verbose flag enabled, printing plan", "test_plan",
                      {{"test_plan", text}});
    } else {
      failed(written.error());
    }
  }
  if (!run_.json_only()) {
    const auto text = view::RenderPlan(
        *run.plan, schemas, run_.invocation.style(),
        {.width = run_.invocation.stdout_width, .in_automation = run_.invocation.in_automation});
    if (text) {
      run_.audience->Text(*text);
    } else {
      failed(text.error());
    }
  }
}

void TestReport::ShowState(RunResult& run) {
  const view::SourceSchemas schemas(providers_.source());
  const auto failed = [&](const Error& error) {
    run.diags.Warning("Failed to render test state",
                      "OpenTofu could not marshal the state for display: " + error.message);
  };
  if (json() != nullptr) {
    std::string text;
    JsonWriter out(text);
    if (const auto written = view::WriteState(out, *run.state, schemas)) {
      json()->Message(Level::kInfo, "-verbose flag enabled, printing state", "test_state",
                      {{"test_state", text}});
    } else {
      failed(written.error());
    }
  }
  if (!run_.json_only()) {
    if (const auto text = view::RenderState(*run.state, schemas, run_.invocation.style())) {
      run_.audience->Text(*text);
    } else {
      failed(text.error());
    }
  }
}

void TestReport::PrintError(const std::string& text) {
  if (!run_.json_only()) {
    cli::PrintError(terminal::WordWrap(text, run_.invocation.stderr_width));
  }
}

void TestReport::PrintObjects(const std::vector<ObjectName>& objects) {
  for (const ObjectName& object : objects) {
    if (!run_.json_only()) {
      cli::PrintError("  - " + object.address +
                      (object.deposed.empty() ? "" : " (" + object.deposed + ")") + "\n");
    }
  }
}

void TestReport::Cleanup(const FileResult& file, const RunResult& run, Diagnostics& diags,
                         const std::vector<ObjectName>& left) {
  constexpr std::string_view kWhere =
      ", these left-over resources can be viewed by reading the statefile written to "
      "disk(errored_test.tfstate) and they need to be cleaned up manually:";
  if (diags.has_errors()) {
    PrintError("OpenTofu encountered an error destroying resources created while executing " +
               NameOf(file, run) + ".\n");
  }
  SetContext(&file, &run);
  if (json() != nullptr && !left.empty()) {
    json()->Message(Level::kError,
                    "OpenTofu left some resources in state after executing " + NameOf(file, run) +
                        std::string(kWhere),
                    "test_cleanup", {{"test_cleanup", Object([&](JsonWriter& out) {
                                        out.Key("failed_resources");
                                        WriteObjects(out, left);
                                      })}});
  }
  run_.audience->Show(diags);
  SetContext(nullptr, nullptr);
  if (!left.empty()) {
    PrintError("\nOpenTofu left the following resources in state after executing " +
               NameOf(file, run) + std::string(kWhere) + "\n");
    PrintObjects(left);
  }
}

void TestReport::Stored(const FileResult& file, const RunResult& run, Diagnostics& diags,
                        const std::string& text) {
  Kept({module_tests::kErroredState});
  if (json() != nullptr && !text.empty()) {
    json()->StateDump(text);
  }
  run_.audience->Text(text);
  SetContext(&file, &run);
  run_.audience->Show(diags);
  SetContext(nullptr, nullptr);
}

void TestReport::Kept(const std::vector<std::string>& files) {
  if (json() != nullptr && !run_.audience->json_only()) {
    return;  // the reference says it to one audience alone
  }
  for (const std::string& file : files) {
    const std::string message = "Writing state to file: " + file;
    PrintError("\n" + message + "\n");
    if (json() != nullptr) {
      json()->Message(Level::kInfo, message);
    }
  }
}

void TestReport::End(const SuiteResult& suite) {
  const std::string tally = Tally(suite);
  const bool passed = suite.status == Status::kPass;
  run_.audience->Text("\n" +
                      run_.invocation.style().Paint((passed ? "[green]" : "[red]") +
                                                    std::string(Verdict(suite)) + "[reset]") +
                      tally + "\n");
  if (json() != nullptr) {
    json()->Message(Level::kInfo, std::string(Verdict(suite)) + tally, "test_summary",
                    {{"test_summary", Object([&](JsonWriter& out) {
                        out.Member("status", StatusName(suite.status));
                        const std::pair<std::string_view, Status> counts[] = {
                            {"passed", Status::kPass},
                            {"failed", Status::kFail},
                            {"errored", Status::kError},
                            {"skipped", Status::kSkip}};
                        for (const auto& [name, status] : counts) {
                          out.Member(name, static_cast<int64_t>(suite.Count(status)));
                        }
                      })}});
  }
}

void TestReport::Coverage(const module_tests::CoverageSummary& summary) {
  std::string line;
  std::string text;
  for (size_t i = 0; i < module_tests::kPartKinds; ++i) {
    line += (line.empty() ? "" : ", ") +
            std::string(PluralOf(static_cast<module_tests::PartKind>(i))) + " " +
            std::to_string(summary.reached[i]) + " of " + std::to_string(summary.total[i]);
  }
  for (const module_tests::MissedPart& part : summary.missed) {
    text += "  " + part.range.file->name() + ":" +
            std::to_string(part.range.start_position().line) + ": " + part.name + "\n";
  }
  run_.audience->Text("\nCovered: " + line + ".\n" +
                      (text.empty() ? text : "Not evaluated:\n" + text));
  if (json() == nullptr) {
    return;
  }
  const std::string members = Object([&](JsonWriter& out) {
    for (size_t i = 0; i < module_tests::kPartKinds; ++i) {
      out.Key(PluralOf(static_cast<module_tests::PartKind>(i)));
      out.BeginObject();
      out.Member("total", static_cast<int64_t>(summary.total[i]));
      out.Member("reached", static_cast<int64_t>(summary.reached[i]));
      out.EndObject();
    }
    out.Key("missed");
    out.BeginArray();
    for (const module_tests::MissedPart& part : summary.missed) {
      out.BeginObject();
      out.Member("kind", PluralOf(part.kind));
      out.Member("name", part.name);
      out.Member("filename", std::string_view(part.range.file->name()));
      out.Member("line", static_cast<int64_t>(part.range.start_position().line));
      out.EndObject();
    }
    out.EndArray();
  });
  json()->Message(Level::kInfo, "Covered: " + line, "test_coverage", {{"test_coverage", members}});
}

void TestReport::Interrupted() {
  PrintError(std::string(kInterrupted) + "\n");
  if (json() != nullptr) {
    json()->Log(kInterrupted);
  }
}

void TestReport::InterruptedAgain(const Abandoned& abandoned) {
  PrintError(std::string(kInterruptedAgain) + "\n");
  if (json() != nullptr) {
    json()->Log(kInterruptedAgain);
  }
  if (abandoned.file == nullptr) {
    return;
  }
  PrintError("\nOpenTofu was interrupted while executing " + abandoned.file->file->name +
             ", and may not have performed the expected cleanup operations.\n");
  if (!abandoned.of_root.empty()) {
    PrintError(
        "\nOpenTofu has already created the following resources from the module under test:\n");
    PrintObjects(abandoned.of_root);
  }
  for (const Abandoned::OfModule& made : abandoned.of_modules) {
    PrintError("\nOpenTofu has already created the following resources for " +
               text::GoQuote(made.run) + " from " + text::GoQuote(made.source) + ":\n");
    PrintObjects(made.objects);
  }
  if (!abandoned.creating.empty() && abandoned.run != nullptr) {
    const auto& module = abandoned.run->run->module;
    PrintError("\nOpenTofu was in the process of creating the following resources for " +
               text::GoQuote(abandoned.run->name) + " from " +
               (module ? text::GoQuote(module->source.text) : "the module under test") +
               ", and they may not have been destroyed:\n");
    for (const std::string& address : abandoned.creating) {
      PrintObjects({{address, {}}});
    }
  }
  if (json() == nullptr ||
      (abandoned.of_root.empty() && abandoned.of_modules.empty() && abandoned.creating.empty())) {
    return;
  }
  SetContext(abandoned.file, nullptr);
  json()->Message(
      Level::kError,
      "OpenTofu was interrupted during test execution, and may not have performed the expected "
      "cleanup operations.",
      "test_interrupt", {{"test_interrupt", Object([&](JsonWriter& out) {
                            if (!abandoned.of_root.empty()) {
                              out.Key("state");
                              WriteObjects(out, abandoned.of_root);
                            }
                            if (!abandoned.of_modules.empty()) {
                              out.Key("states");
                              out.BeginObject();
                              for (const Abandoned::OfModule& made : abandoned.of_modules) {
                                out.Key(made.run);
                                WriteObjects(out, made.objects);
                              }
                              out.EndObject();
                            }
                            if (!abandoned.creating.empty()) {
                              out.Key("planned");
                              out.BeginArray();
                              for (const std::string& address : abandoned.creating) {
                                out.String(address);
                              }
                              out.EndArray();
                            }
                          })}});
}

}  // namespace kinu::cli
