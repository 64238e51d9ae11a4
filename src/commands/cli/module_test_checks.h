// Checks (`kinu check`) on the plans and states of test runs: -check-dir.
#pragma once

#include "check/check_file.h"
#include "check/documents.h"
#include "cli/command.h"
#include "module_tests/suite.h"
#include "session/provider_set.h"

namespace kinu::cli {

class TestChecks {
 public:
  /// Reads the check files of a directory: `*.hcl` and `*.json`, by name.
  TestChecks(const std::string& directory, session::ProviderSet& providers, Diagnostics& diags);

  /// Applies the checks to the plan of a run and, after an apply, to its state. What does not pass
  /// is an error of the run. Assertions about states do not count for runs that only plan.
  void Judge(module_tests::RunResult& run) const;

 private:
  check::CheckFiles files_;
  session::ProviderSet& providers_;
};

}  // namespace kinu::cli
