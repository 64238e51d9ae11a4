// The runs of one test file, and the states that they share.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/request.h"
#include "module_tests/assertions.h"
#include "module_tests/run_config.h"
#include "module_tests/suite.h"

namespace kinu::module_tests {

class FileRun {
 public:
  /// No run is begun once `cancelled` is true.
  FileRun(const SuiteRequest& suite, FileResult& result, const std::atomic<bool>& cancelled);

  /// Executes the runs in order.
  void Execute();
  /// Destroys what the runs have made, the latest state first.
  void Cleanup(Report& report);
  /// What exists now. Thread-safe.
  Abandoned Abandon() const;
  /// Stores the states that have objects. Returns their files. Thread-safe.
  std::vector<std::string> KeepStates();

 private:
  /// The state of all runs of one module.
  struct KeyedState {
    std::string key;           ///< the source of the module; empty: the module under test
    RunResult* run = nullptr;  ///< the latest that wrote it; null: none
    size_t index = 0;          ///< of that run
    state::State state;
    /// Of that run. The destruction has no other ones: by then outputs that they refer to may be
    /// those of a later run.
    std::shared_ptr<const RunValues> values;
  };
  /// What a run works with.
  struct Setup {
    std::shared_ptr<const RunValues> values;
    Variables of_assertions;
    std::unique_ptr<RunConfig> config;
    engine::Request request;
  };

  KeyedState& StateOf(const config::TestRun& run);
  const config::Config& ModuleUnderTest(const config::TestRun& run) const {
    return run.config != nullptr ? *run.config : *suite_.loaded.config;
  }
  Program& program() const { return *suite_.loaded.program; }
  /// The outputs of the runs that have one, by run.
  Value Outputs() const;
  /// Reports that a run begins, or that it has ended.
  void Watch(const RunResult& run, bool running) const;
  void ExecuteRun(RunResult& result, size_t index);
  RunSources SourcesOf(const config::TestRun& run) const {
    return {program(), suite_.globals, *result_.file, run, *ModuleUnderTest(run).root().module,
            Outputs()};
  }
  /// Nothing after an error.
  std::unique_ptr<Setup> Prepare(const config::TestRun& run, const state::State& state,
                                 std::shared_ptr<const RunValues> values, Diagnostics& diags);
  void ReadPlanOptions(const config::TestRun& run, engine::Options& options, Diagnostics& diags);
  /// Reports options that are wrong, as a plan would that is asked for with them.
  void RefuseOptions(const Setup& setup, Diagnostics refused, RunResult& result);
  Status Plan(Setup& setup, RunResult& result);
  Status Apply(Setup& setup, RunResult& result, KeyedState& state, size_t index);
  Status Judge(plan::Plan plan, const state::State* state, Assertions& assertions,
               RunResult& result);
  void Destroy(KeyedState& state, Diagnostics& diags);
  void KeepLeftOver(KeyedState& state, Report& report);
  /// Publishes for Abandon() what a run is about to do.
  void SetRunning(const RunResult* run, const plan::Plan* plan);

  const SuiteRequest& suite_;
  FileResult& result_;
  const std::atomic<bool>& cancelled_;
  EvaluatedProviders evaluated_;
  mutable std::mutex mutex_;  // of states_ and what follows, for Abandon()
  std::vector<std::unique_ptr<KeyedState>> states_;
  const RunResult* running_ = nullptr;
  std::vector<std::string> creating_;
};

}  // namespace kinu::module_tests
