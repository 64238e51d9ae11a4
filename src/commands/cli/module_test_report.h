// Shows the results of a test suite, as text and as JSON messages.
// Ref: opentofu internal/command/views/test.go.
#pragma once

#include "cli/command_run.h"
#include "module_tests/coverage.h"
#include "module_tests/suite.h"

namespace kinu::cli {

class TestReport final : public module_tests::Report {
 public:
  TestReport(CommandRun& run, session::ProviderSet& providers) : run_(run), providers_(providers) {}

  /// The files and runs that there are, before any runs.
  void Begin(const module_tests::SuiteResult& suite);
  void File(module_tests::FileResult& file) override;
  void Cleanup(const module_tests::FileResult& file, const module_tests::RunResult& run,
               Diagnostics& diags, const std::vector<module_tests::ObjectName>& left) override;
  void Stored(const module_tests::FileResult& file, const module_tests::RunResult& run,
              Diagnostics& diags, const std::string& text) override;
  void End(const module_tests::SuiteResult& suite);
  void Coverage(const module_tests::CoverageSummary& summary);

  // Interrupts. Called on another thread than the others.
  void Interrupted();
  void InterruptedAgain(const module_tests::Abandoned& abandoned);
  /// The files of the states that were stored after the second interrupt.
  void Kept(const std::vector<std::string>& files);

 private:
  view::JsonUi* json() { return run_.audience->json(); }
  void ShowRun(module_tests::FileResult& file, module_tests::RunResult& run);
  void ShowPlan(module_tests::RunResult& run);
  void ShowState(module_tests::RunResult& run);
  /// Prints to the standard error, wrapped.
  void PrintError(const std::string& text);
  void PrintObjects(const std::vector<module_tests::ObjectName>& objects);
  /// The members "@testfile" and "@testrun" of the messages that follow; null: none.
  void SetContext(const module_tests::FileResult* file, const module_tests::RunResult* run);

  CommandRun& run_;
  session::ProviderSet& providers_;
};

}  // namespace kinu::cli
