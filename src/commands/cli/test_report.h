// Shows the results of a test suite, as text and as JSON messages.
// Ref: opentofu internal/command/views/test.go.
#pragma once

#include "cli/command_run.h"
#include "suite/coverage.h"
#include "suite/suite.h"

namespace kinu::cli {

class TestReport final : public suite::Report {
 public:
  TestReport(CommandRun& run, session::ProviderSet& providers) : run_(run), providers_(providers) {}

  /// The files and runs that there are, before any runs.
  void Begin(const suite::SuiteResult& suite);
  void File(suite::FileResult& file) override;
  void Cleanup(const suite::FileResult& file, const suite::RunResult& run, Diagnostics& diags,
               const std::vector<suite::ObjectName>& left) override;
  void Stored(const suite::FileResult& file, const suite::RunResult& run, Diagnostics& diags,
              const std::string& text) override;
  void End(const suite::SuiteResult& suite);
  void Coverage(const suite::CoverageSummary& summary);

  // Interrupts. Called on another thread than the others.
  void Interrupted();
  void InterruptedAgain(const suite::Abandoned& abandoned);
  /// The files of the states that were stored after the second interrupt.
  void Kept(const std::vector<std::string>& files);

 private:
  view::JsonUi* json() { return run_.audience->json(); }
  void ShowRun(suite::FileResult& file, suite::RunResult& run);
  void ShowPlan(suite::RunResult& run);
  void ShowState(suite::RunResult& run);
  /// Prints to the standard error, wrapped.
  void PrintError(const std::string& text);
  void PrintObjects(const std::vector<suite::ObjectName>& objects);
  /// The members "@testfile" and "@testrun" of the messages that follow; null: none.
  void SetContext(const suite::FileResult* file, const suite::RunResult* run);

  CommandRun& run_;
  session::ProviderSet& providers_;
};

}  // namespace kinu::cli
