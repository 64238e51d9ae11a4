// Test files side by side (-parallelism-files): each worker has the configuration, the providers
// and the states for itself, and results are reported in the order of the files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "module_tests/suite.h"
#include "session/open_workspace.h"

namespace kinu::cli {

/// All that one worker needs. Members outlive everything that points into them.
struct TestWorker : session::OpenWorkspace {
  using OpenWorkspace::OpenWorkspace;

  engine::ProviderPool pool;
  std::unique_ptr<module_tests::Suite> suite;
};

class TestWorkers {
 public:
  /// The workers have suites of the same files.
  explicit TestWorkers(std::vector<std::unique_ptr<TestWorker>> workers)
      : workers_(std::move(workers)) {}

  /// Runs all files and returns the results of all; they point into the workers. Nothing is
  /// returned if the suites are cancelled.
  std::optional<module_tests::SuiteResult> Run(module_tests::Report& report);
  TestWorker& first() { return *workers_[0]; }
  void ForEach(const std::function<void(TestWorker&)>& visit) {
    for (const auto& worker : workers_) {
      visit(*worker);
    }
  }

 private:
  std::vector<std::unique_ptr<TestWorker>> workers_;
};

}  // namespace kinu::cli
