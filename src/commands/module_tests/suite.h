// Runs the test files of a configuration: plan and apply of each run block with its own inputs, the
// assertions on the results, and the destruction of what was made.
//
// Files run one after the other, and so do the runs of a file. Runs of the same module share a
// state in memory. Nothing of this is known to the engine. Ref: opentofu internal/command/test.go.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/module_test_file.h"
#include "engine/provider_pool.h"
#include "module_tests/status.h"
#include "session/load.h"
#include "session/provider_set.h"

namespace kinu::module_tests {

/// A run block and what became of it.
struct RunResult {
  const config::TestRun* run = nullptr;
  std::string name;
  Status status = Status::kPending;
  double seconds = -1;  ///< that it took; negative: it did not run
  Diagnostics diags;
  /// For SuiteRequest::judge, and then for -verbose: the plan, and the new state of an apply.
  std::optional<plan::Plan> plan;
  std::optional<state::State> state;
  const config::Config* config =
      nullptr;  ///< the module under test, without what the test replaces
};

struct FileResult {
  const config::TestFile* file = nullptr;
  Status status = Status::kPending;
  std::deque<RunResult> runs;
};

struct SuiteResult {
  Status status = Status::kPending;
  std::deque<FileResult> files;  ///< by name

  size_t Count(Status of_runs) const;
};

/// An object in a state: its address, and the key if it is deposed.
struct ObjectName {
  std::string address;
  std::string deposed;
};
/// The objects of managed resources, by address.
std::vector<ObjectName> ObjectsOf(const state::State& state);

/// What was left behind when the command is ended in the middle of a run.
struct Abandoned {
  const FileResult* file = nullptr;
  const RunResult* run = nullptr;   ///< null: between two runs
  std::vector<ObjectName> of_root;  ///< made by runs of the module under test
  struct OfModule {
    std::string run;
    std::string source;
    std::vector<ObjectName> objects;
  };
  std::vector<OfModule> of_modules;   ///< made by runs with a module of their own
  std::vector<std::string> creating;  ///< addresses that the running apply was to create
};

/// Receives results while the suite runs.
class Report {
 public:
  virtual ~Report() = default;
  /// All runs of a file have ended. Takes the diagnostics of the runs.
  virtual void File(FileResult& file) = 0;
  /// The objects of a run's state were destroyed; those in `left` were not.
  virtual void Cleanup(const FileResult& file, const RunResult& run, Diagnostics& diags,
                       const std::vector<ObjectName>& left) = 0;
  /// A state with objects that were not destroyed was stored; with an error, `text` is the state.
  virtual void Stored(const FileResult& file, const RunResult& run, Diagnostics& diags,
                      const std::string& text) = 0;
};

struct SuiteRequest {
  const session::Workspace& workspace;
  const session::Loaded& loaded;  ///< with test files
  config::RawInputs globals;      ///< values from outside
  session::ProviderSet& providers;
  engine::ProviderPool& pool;
  std::vector<std::string> filter;  ///< names of files; empty: all
  /// Results keep their plan, or their state after an apply.
  bool verbose = false;
  /// Has the last word about a run that was neither skipped nor ended by an error. Null: nothing
  /// has.
  std::function<void(RunResult& run)> judge;
  /// Called when a run begins (`running`) and when it has ended or was skipped. Null: nothing is.
  std::function<void(const FileResult& file, const RunResult& run, bool running)> watch;
  /// Receives what plans and applies evaluate; null: nothing does.
  lang::Coverage* coverage = nullptr;
};

/// The name of the file that receives the state of objects that could not be destroyed.
inline constexpr const char* kErroredState = "errored_test.tfstate";

class Suite {
 public:
  explicit Suite(SuiteRequest request);
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;
  ~Suite();

  const SuiteResult& result() const;
  FileResult& file(size_t index);
  /// Runs one file, by its index in the result. After a stop was requested (terminal/interrupts.h)
  /// the current run ends, the others are skipped, and what was made is destroyed. False: the suite
  /// was cancelled.
  bool RunFile(size_t index, Report& report);
  /// What exists now. Thread-safe.
  Abandoned Abandon() const;
  /// Ends the suite: after the current run nothing more is done or reported. Waits for the end of
  /// that run, but not longer than `patience`. Thread-safe.
  void Cancel(std::chrono::milliseconds patience);
  bool cancelled() const;
  /// Stores the states that have objects. Returns their files. After Cancel().
  std::vector<std::string> KeepStates();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kinu::module_tests
