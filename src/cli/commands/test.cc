// test: runs the test files of a configuration.

#include <chrono>
#include <functional>
#include <optional>

#include <unistd.h>

#include "base/files.h"
#include "cli/build_info.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/test_checks.h"
#include "cli/test_findings.h"
#include "cli/test_report.h"
#include "suite/suite.h"
#include "terminal/interrupts.h"

namespace kinu::cli {
namespace {

/// Values from outside: those of all commands, then the variable files of the test directory.
config::RawInputs GatherTestInputs(const CommandRun& run, const std::string& test_directory,
                                   Diagnostics& diags) {
  config::RawInputs inputs =
      session::GatherInputs(run.invocation.workspace, VariableArguments(run.flags), diags);
  config::AddVariableFiles(test_directory, inputs, diags);
  return inputs;
}

/// The first interrupt lets the current run end, the second one does not.
void CatchTestInterrupts(suite::Suite& suite, engine::ProviderPool& pool, TestReport& report) {
  terminal::CatchInterrupts([&report] { report.Interrupted(); },
                            [&suite, &pool, &report] {
                              constexpr std::chrono::seconds kPatience(5);
                              report.InterruptedAgain(suite.Abandon());
                              pool.StopAll();
                              suite.Cancel(kPatience);
                              report.Kept(suite.KeepStates());
                            });
}

/// Waits for the end of the process, which the second interrupt brings.
[[noreturn]] void AwaitEnd() {
  while (true) {
    ::pause();
  }
}

/// Replaces the file of a flag, if the flag is given.
void WriteReport(CommandRun& run, std::string_view flag, const std::string& text) {
  const std::string& path = run.flags.String(flag);
  if (path.empty()) {
    return;
  }
  if (auto written = ReplaceFile(path, text, 0644); !written) {
    run.diags.Error("Failed to write test report", written.error().message);
  }
}

/// Writes what -junit-xml, -sarif and -annotations ask for.
void WriteFindings(CommandRun& run, const TestFindings& findings) {
  const check::Finder finder{"kinu test", kOwnVersion};
  std::string junit;
  check::WriteJunit(junit, finder, findings.runs());
  WriteReport(run, "junit-xml", junit);
  std::string sarif;
  check::WriteSarif(sarif, finder, findings.problems());
  WriteReport(run, "sarif", sarif);
  if (run.flags.Bool("annotations")) {
    std::string annotations;
    check::WriteAnnotations(annotations, findings.problems());
    run.audience->Text(annotations);
  }
}

}  // namespace

static int RunTest(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse("Failed to parse command-line flags", false);
  const Flags& flags = run.flags;
  if (!run.diags.has_errors()) {
    run.audience = MakeAudience(invocation, &flags, run.diags);
  }
  if (run.diags.has_errors()) {
    return UsageError(invocation, run.diags);  // as text, -json or not
  }
  const std::string test_directory = CleanPath(flags.String("test-directory"));
  config::RawInputs globals = GatherTestInputs(run, test_directory, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  const auto arguments = VariableArguments(flags);
  const Loaded loaded = session::Load(invocation.workspace,
                                      {.intent = LoadIntent::kUse,
                                       .variables = arguments,
                                       .test_directory = test_directory,
                                       .program = run.program},
                                      run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  const auto providers = session::ProviderSet::Open(invocation.workspace, run.diags);
  engine::ProviderPool pool;
  std::optional<TestChecks> checks;
  std::function<void(suite::RunResult&)> judge;
  if (const std::string& directory = flags.String("check-dir"); !directory.empty()) {
    checks.emplace(directory, *providers, run.diags);
    judge = [&checks](suite::RunResult& of_run) { checks->Judge(of_run); };
  }
  suite::CoverageRecord coverage;
  suite::Suite suite({.workspace = invocation.workspace,
                      .loaded = loaded,
                      .globals = std::move(globals),
                      .providers = *providers,
                      .pool = pool,
                      .filter = flags.List("filter"),
                      .verbose = flags.Bool("verbose"),
                      .judge = std::move(judge),
                      .coverage = flags.Bool("coverage") ? &coverage : nullptr});
  if (!flags.List("filter").empty() && suite.result().files.empty()) {
    run.diags.Warning("No tests were found",
                      "-filter is being used but no tests were found. Make sure you're using a "
                      "relative path to the current working directory.");
  }
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  TestReport report(run, *providers);
  run.audience->Show(run.diags);
  report.Begin(suite.result());
  CatchTestInterrupts(suite, pool, report);
  TestFindings findings(report);
  suite.Run(findings);
  if (suite.cancelled()) {
    AwaitEnd();
  }
  report.End(suite.result());
  if (flags.Bool("coverage")) {
    report.Coverage(
        coverage.Summarize(*loaded.config, invocation.workspace.data_directory + "/modules/"));
  }
  WriteFindings(run, findings);
  const bool written = !run.audience->Show(run.diags);
  return written && suite.result().status == suite::Status::kPass ? 0 : 1;
}

constexpr auto kTestFlags =
    JoinFlags(kCompactWarnings,
              FlagSpec{.name = "filter",
                       .kind = FlagKind::kList,
                       .form = "=testfile",
                       .help = "Run only that file; may be repeated."},
              kJsonStream, kNoColor, kTestDirectory, kVariables,
              FlagSpec{.name = "verbose", .help = "Show the plan or the state of each run."},
              FlagSpec{.name = "check-dir",
                       .kind = FlagKind::kString,
                       .form = "=path",
                       .help = "Apply the check files of that directory to each run."},
              FlagSpec{.name = "coverage", .help = "Show what no run evaluated."},
              FlagSpec{.name = "junit-xml",
                       .kind = FlagKind::kString,
                       .form = "=FILE",
                       .help = "Write the results of the runs as JUnit XML."},
              FlagSpec{.name = "sarif",
                       .kind = FlagKind::kString,
                       .form = "=FILE",
                       .help = "Write what did not pass as SARIF 2.1.0."},
              FlagSpec{.name = "annotations",
                       .help = "Print what did not pass as workflow commands of GitHub."});

extern constexpr CommandSpec kTestCommand{
    .name = "test",
    .synopsis = "Execute integration tests for OpenTofu modules",
    .usage = "tofu [global options] test [options]",
    .description = R"(Runs the test files of the configuration in this directory: plans and applies
what their run blocks say, checks the assertions, and destroys what was made.
States are kept in memory; the backend is not used.)",
    .flags = kTestFlags,
    .run = RunTest,
};

}  // namespace kinu::cli
