// The results of a test suite as findings, for files and output that CI reads.
#pragma once

#include <vector>

#include "check/finding.h"
#include "module_tests/suite.h"

namespace kinu::cli {

/// Collects results and passes them on to another report.
class TestFindings final : public module_tests::Report {
 public:
  explicit TestFindings(module_tests::Report& next) : next_(next) {}

  void File(module_tests::FileResult& file) override;
  void Cleanup(const module_tests::FileResult& file, const module_tests::RunResult& run,
               Diagnostics& diags, const std::vector<module_tests::ObjectName>& left) override;
  void Stored(const module_tests::FileResult& file, const module_tests::RunResult& run,
              Diagnostics& diags, const std::string& text) override {
    next_.Stored(file, run, diags, text);
  }

  /// One for each run.
  const std::vector<check::Finding>& runs() const { return runs_; }
  /// One for each error of a run, and each object that was left behind.
  const std::vector<check::Finding>& problems() const { return problems_; }

 private:
  module_tests::Report& next_;
  std::vector<check::Finding> runs_;
  std::vector<check::Finding> problems_;
};

}  // namespace kinu::cli
