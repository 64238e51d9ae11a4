// test: runs the test files of a configuration.

#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
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

void CatchTestInterrupts(const suite::Suite& suite, engine::ProviderPool& pool,
                         TestReport& report) {
  terminal::CatchInterrupts([&report] { report.Interrupted(); },
                            [&suite, &pool, &report] {
                              report.InterruptedAgain(suite.Abandon());
                              pool.StopAll();
                            });
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
  suite::Suite suite({.workspace = invocation.workspace,
                      .loaded = loaded,
                      .globals = std::move(globals),
                      .providers = *providers,
                      .pool = pool,
                      .filter = flags.List("filter"),
                      .verbose = flags.Bool("verbose")});
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
  suite.Run(report);
  report.End(suite.result());
  return suite.result().status == suite::Status::kPass ? 0 : 1;
}

constexpr auto kTestFlags =
    JoinFlags(kCompactWarnings,
              FlagSpec{.name = "filter",
                       .kind = FlagKind::kList,
                       .form = "=testfile",
                       .help = "Run only that file; may be repeated."},
              kJsonStream, kNoColor, kTestDirectory, kVariables,
              FlagSpec{.name = "verbose", .help = "Show the plan or the state of each run."});

extern constexpr CommandSpec kTestCommand{
    .name = "test",
    .synopsis = "Execute integration tests for OpenTofu modules",
    .usage = "tofu [global options] test [options]",
    .description = R"(Runs the test files of the configuration in this directory: plans and applies
what their run blocks say, checks the assertions, and destroys what was made. States are kept in
memory; the backend is not used.)",
    .flags = kTestFlags,
    .run = RunTest,
};

}  // namespace kinu::cli
