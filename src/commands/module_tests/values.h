// The values of a run: those that expressions of its test file see, and those of the variables of
// the module under test. Ref: opentofu internal/command/test.go.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "config/module_test_file.h"
#include "config/variables.h"
#include "functions/function.h"
#include "lang/scope.h"

namespace kinu::module_tests {

/// The names `run` and `var`, and all functions.
class TestNames {
 public:
  TestNames();
  TestNames(const TestNames&) = delete;
  TestNames& operator=(const TestNames&) = delete;

  void Set(std::string_view name, Value value) {
    variables_.insert_or_assign(std::string(name), std::move(value));
  }
  const lang::Scope& scope() const { return scope_; }

 private:
  FlatMap<std::string, Value> variables_;
  functions::CallContext context_;
  lang::VariableScope scope_;
};

/// What the values of a run come from.
struct RunSources {
  const Program& program;
  const config::RawInputs& globals;  ///< environment, variable files, command line
  const config::TestFile& file;
  const config::TestRun& run;
  const config::Module& module;  ///< the module under test
  Value runs;                    ///< an object: the outputs of finished runs, by run
};

/// Variables by name.
using Variables = std::map<std::string, Value, std::less<>>;

class RunValues {
 public:
  /// Evaluates the arguments that the module declares. Problems are those of the run.
  RunValues(const RunSources& sources, Diagnostics& diags);

  /// The variables of the module under test.
  const std::map<std::string, config::InputValue>& inputs() const { return inputs_; }
  /// Whether runs had outputs: provider blocks of the test file then see the names of the file.
  bool outputs_exist() const { return outputs_exist_; }
  /// The names in provider blocks of the test file.
  const lang::Scope& provider_scope() const { return provider_names_.scope(); }
  /// The variables that assertions see: as they are given, without conversion to their types.
  Variables ForAssertions(const RunSources& sources) const;

 private:
  bool outputs_exist_ = false;
  TestNames names_;           // of `variables` blocks
  TestNames provider_names_;  // with the variables of the run in `var`
  std::map<std::string, config::InputValue> inputs_;
};

}  // namespace kinu::module_tests
