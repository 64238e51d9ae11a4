// test: runs the test files of a configuration.

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include <unistd.h>

#include "base/files.h"
#include "cli/build_info.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/module_test_checks.h"
#include "cli/module_test_findings.h"
#include "cli/module_test_report.h"
#include "cli/module_test_workers.h"
#include "compatibility/features.h"
#include "module_tests/suite.h"
#include "terminal/interrupts.h"
#include "terminal/status_line.h"
#include "view/events/tasks.h"

namespace kinu::cli {
namespace {

/// Values from outside: those of all commands, then the variable files of the test directory.
config::RawInputs GatherTestInputs(const CommandRun& run, const std::string& test_directory,
                                   Diagnostics& diags) {
  config::RawInputs inputs =
      session::GatherVariables(run.invocation.workspace, VariableArguments(run.flags), diags);
  config::AddVariableFiles(test_directory, config::DiskFiles(), inputs, diags);
  return inputs;
}

/// The first interrupt lets the current runs end, the second one does not.
void CatchTestInterrupts(TestWorkers& workers, TestReport& report) {
  terminal::CatchInterrupts(
      [&report] { report.Interrupted(); },
      [&workers, &report] {
        constexpr std::chrono::seconds kPatience(5);
        workers.ForEach([&](TestWorker& worker) {
          report.InterruptedAgain(worker.suite->Abandon());
          worker.pool.StopAll();
        });
        workers.ForEach([&](TestWorker& worker) { worker.suite->Cancel(kPatience); });
        workers.ForEach([&](TestWorker& worker) { report.Kept(worker.suite->KeepStates()); });
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

/// The command, step by step.
class TestRun {
 public:
  explicit TestRun(Invocation& invocation) : run_(invocation) {}

  int Execute();

 private:
  /// Reads the command line. False after an error, which is reported.
  bool ReadArguments();
  /// Makes a worker with the configuration of its own. False after an error.
  bool AddWorker(std::vector<std::unique_ptr<TestWorker>>& workers);
  int ExecuteOn(TestWorkers& workers);

  const Flags& flags() const { return run_.flags; }

  CommandRun run_;
  std::string test_directory_;
  config::RawInputs globals_;
  module_tests::CoverageRecord coverage_;
  std::optional<TestChecks> checks_;
  view::Tasks tasks_{"test"};
};

bool TestRun::ReadArguments() {
  run_.Parse("Failed to parse command-line flags", false);
  // The file of -json-into is there in any case, but nothing is in it before all arguments fit.
  (void)JsonCopy(flags(), run_.diags);
  if (compatibility::Has(compatibility::Feature::kArgumentErrors) &&
      !flags().positionals().empty()) {
    WordsError(run_.diags, kUnexpectedWord,
               "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (!run_.diags.has_errors()) {
    run_.audience = MakeAudience(run_.invocation, &flags(), run_.diags);
  }
  if (!run_.diags.has_errors() && flags().Int("parallelism-files") < 1) {
    run_.diags.Error("Invalid parallelism value", "-parallelism-files must be at least 1.");
  }
  if (run_.diags.has_errors()) {
    (void)UsageError(run_.invocation, flags(), run_.diags);  // at level 1.12 always as text
    return false;
  }
  test_directory_ = CleanPath(flags().String("test-directory"));
  globals_ = GatherTestInputs(run_, test_directory_, run_.diags);
  return true;
}

bool TestRun::AddWorker(std::vector<std::unique_ptr<TestWorker>>& workers) {
  auto worker = std::make_unique<TestWorker>(run_.invocation.workspace);
  const auto arguments = VariableArguments(flags());
  Diagnostics found;
  // As the reference does, tests read the states of others without encryption.
  if (worker->LoadModules({.intent = LoadIntent::kUse,
                           .variables = arguments,
                           .test_directory = test_directory_,
                           .encryption_off = true},
                          found)) {
    if (worker->OpenProviders(found)) {
      (void)worker->providers->RequirePackages(session::ProviderSet::Missing::kList, found);
    }
    worker->providers->Decrypt(encryption::Encryption::None());
  }
  const bool usable = !found.has_errors();
  if (workers.empty()) {
    run_.diags.Append(std::move(found));  // those of the others are the same
  }
  if (!usable) {
    return false;
  }
  module_tests::SuiteRequest request{.workspace = run_.invocation.workspace,
                                     .loaded = worker->loaded,
                                     .globals = globals_,
                                     .providers = *worker->providers,
                                     .pool = worker->pool,
                                     .filter = flags().List("filter"),
                                     .verbose = flags().Bool("verbose"),
                                     .coverage = flags().Bool("coverage") ? &coverage_ : nullptr};
  if (!flags().String("check-dir").empty()) {
    request.judge = [this](module_tests::RunResult& of_run) { checks_->Judge(of_run); };
  }
  if (run_.audience->status() != nullptr) {
    request.watch = [this](const module_tests::FileResult& file, const module_tests::RunResult& run,
                           bool running) {
      const std::string name = file.file->name + ": " + run.name;
      if (running) {
        tasks_.Start(name);
      } else {
        tasks_.Finish(name);
      }
    };
  }
  worker->suite = std::make_unique<module_tests::Suite>(std::move(request));
  workers.push_back(std::move(worker));
  return true;
}

int TestRun::Execute() {
  if (!ReadArguments()) {
    return 1;
  }
  std::vector<std::unique_ptr<TestWorker>> made;
  if (run_.diags.has_errors() || !AddWorker(made)) {
    return run_.Fail();
  }
  const size_t files = made[0]->suite->result().files.size();
  if (files == 0 && !flags().List("filter").empty()) {
    run_.diags.Warning("No tests were found",
                       "-filter is being used but no tests were found. Make sure you're using a "
                       "relative path to the current working directory.");
  }
  if (const std::string& directory = flags().String("check-dir"); !directory.empty()) {
    checks_.emplace(directory, *made[0]->providers, run_.diags);
  }
  const auto count = static_cast<size_t>(flags().Int("parallelism-files"));
  for (size_t i = 1; i < std::min(count, files) && AddWorker(made);) {
    ++i;
  }
  if (run_.diags.has_errors()) {
    return run_.Fail();
  }
  TestWorkers workers(std::move(made));
  return ExecuteOn(workers);
}

int TestRun::ExecuteOn(TestWorkers& workers) {
  TestReport report(run_, *workers.first().providers);
  run_.audience->Show(run_.diags);
  report.Begin(workers.first().suite->result());
  CatchTestInterrupts(workers, report);
  TestFindings findings(report);
  std::optional<terminal::StatusLine> line;
  if (run_.audience->status() != nullptr) {
    size_t runs = 0;
    for (const module_tests::FileResult& file : workers.first().suite->result().files) {
      runs += file.runs.size();
    }
    tasks_.Expect(runs);
    line.emplace([this](size_t width) { return tasks_.Line(width); });
  }
  const std::optional<module_tests::SuiteResult> result = workers.Run(findings);
  line.reset();
  if (!result) {
    AwaitEnd();
  }
  report.End(*result);
  if (flags().Bool("coverage")) {
    report.Coverage(coverage_.Summarize(*workers.first().loaded.config,
                                        run_.invocation.workspace.data_directory + "/modules/"));
  }
  WriteFindings(run_, findings);
  const bool written = !run_.audience->Show(run_.diags);
  return written && result->status == module_tests::Status::kPass ? 0 : 1;
}

}  // namespace

static int RunTest(Invocation& invocation) {
  return TestRun(invocation).Execute();
}

constexpr auto kTestFlags =
    JoinFlags(kCompactWarnings,
              FlagSpec{.name = "filter",
                       .kind = FlagKind::kList,
                       .form = "=testfile",
                       .help = "Run only that file; may be repeated."},
              kJsonStream, kNoColor, kTestDirectory, kVariables,
              FlagSpec{.name = "verbose", .help = "Show the plan or the state of each run."},
              FlagSpec{.name = "parallelism-files",
                       .kind = FlagKind::kInt,
                       .default_value = "1",
                       .form = "=1",
                       .help = "How many files may run side by side."},
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
    .group = CommandGroup::kLanguage,
    .usage = "tofu [global options] test [options]",
    .description = R"(Runs the test files of the configuration in this directory: plans and applies
what their run blocks say, checks the assertions, and destroys what was made.
States are kept in memory; the backend is not used.)",
    .flags = kTestFlags,
    .run = RunTest,
};

}  // namespace kinu::cli
