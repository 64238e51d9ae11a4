// expect_failures: which problems of an operation a run wants to see.
// Ref: opentofu internal/moduletest/run.go ValidateExpectedFailures.
#pragma once

#include <vector>

#include "addrs/checkable.h"
#include "config/module_test_file.h"

namespace kinu::module_tests {

class ExpectedFailures {
 public:
  /// `module`: the module under test. The run was checked (config::CheckTestRun).
  ExpectedFailures(Program& program, const config::Module& module, const config::TestRun& run);

  /// Returns the problems that the run does not want. A failed check block is an error. What was
  /// expected and did not fail is an error too.
  Diagnostics Apply(Diagnostics&& found);
  /// Warns of variables whose expected failure ended the plan of an apply.
  void WarnOfPlan(Diagnostics& found) const;

 private:
  struct Expected {
    CheckableKind kind = CheckableKind::kResource;
    ResourceName name;
    bool whole = false;  ///< a resource, not one instance
    InstanceKey key;
    SourceRange range;
    std::string address;
    bool failed = false;
  };

  /// The entry that an object of the root module has; null: none.
  Expected* Find(const Checkable& object);

  Program& program_;
  std::vector<Expected> expected_;
};

}  // namespace kinu::module_tests
