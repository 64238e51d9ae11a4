// Expressions over a configuration alone: variables and local values of the root module, outputs of
// the modules that it calls, paths, the name of the workspace and functions. Neither a state nor a
// provider is needed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/load.h"
#include "lang/scope.h"

namespace kinu::config {

class StaticEvaluator;

class OfflineValues {
 public:
  /// `config`, `inputs` (the values of root variables) and `of_modules` (what is wrong with called
  /// modules: those with errors have no outputs) must outlive this.
  OfflineValues(const Config& config, const RawInputs& inputs, std::string workspace,
                const Diagnostics& of_modules);
  ~OfflineValues();
  OfflineValues(const OfflineValues&) = delete;
  OfflineValues& operator=(const OfflineValues&) = delete;

  /// Checks the names of an expression, then evaluates it by `use`. Local values are evaluated when
  /// they are referred to. Unknown, with diagnostics, if a name has no value here.
  Value Evaluate(const hcl::Expr& expr, const std::function<Value(const lang::Scope&)>& use,
                 Diagnostics& diags);
  /// Whether an expression has referred to a module that is not loaded or has errors.
  bool lacks_module() const;

 private:
  const Config& config_;
  LoadOptions options_;
  std::unique_ptr<StaticEvaluator> evaluator_;
};

}  // namespace kinu::config
