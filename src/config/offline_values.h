// Expressions over a root module alone: its variables and local values, paths, the name of the
// workspace and functions. Neither a state nor a provider is needed.
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
  /// `config` and `inputs`, the values of root variables, must outlive this.
  OfflineValues(const Config& config, const RawInputs& inputs, std::string workspace);
  ~OfflineValues();
  OfflineValues(const OfflineValues&) = delete;
  OfflineValues& operator=(const OfflineValues&) = delete;

  /// Checks the names of an expression, then evaluates it by `use`. Local values are evaluated when
  /// they are referred to. Unknown, with diagnostics, if a name has no value here.
  Value Evaluate(const hcl::Expr& expr, const std::function<Value(const lang::Scope&)>& use,
                 Diagnostics& diags);

 private:
  const Config& config_;
  LoadOptions options_;
  std::unique_ptr<StaticEvaluator> evaluator_;
};

}  // namespace kinu::config
