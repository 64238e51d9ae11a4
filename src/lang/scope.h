// Scope: what names mean while an expression is evaluated. One small interface; the engine
// implements it over slots, tools over a plain map.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "functions/function.h"
#include "hcl/ast.h"

namespace kinu::lang {

class Scope {
 public:
  virtual ~Scope() = default;

  /// The value of a traversal whose root is not a name bound inside the expression (`for`, splat,
  /// `dynamic` iterator). Problems go to `diags`; the result is then usually dynamic unknown.
  virtual Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const = 0;

  /// False when there are no variables at all, so that not even an unknown one can be meant.
  virtual bool variables_allowed() const { return true; }

  /// The function of that name, or null when there is none. `functions_allowed` false: calls are
  /// "Function calls not allowed".
  virtual const functions::Callable* FindFunction(std::string_view name) const = 0;
  virtual bool functions_allowed() const { return true; }
  /// All function names, for suggestions.
  virtual std::vector<std::string_view> FunctionNames() const { return {}; }
  /// Lets the scope say more about a call of a function that it does not have.
  virtual void ExplainUnknownFunction(const hcl::CallExpr&, Diagnostic&) const {}
  /// What functions may ask of their surroundings.
  virtual const functions::CallContext& call_context() const = 0;
};

/// What a scope of a configuration says there: which namespaces there are, and how functions of
/// providers are written. Ref: opentofu internal/lang/eval.go enhanceFunctionDiag.
void ExplainConfigurationFunction(std::string_view name, Diagnostic& diagnostic);

/// A scope of plain variables, with the errors of HCL ("Unknown variable", "Variables not
/// allowed"). `variables` null: no scope at all.
class VariableScope final : public Scope {
 public:
  VariableScope(const FlatMap<std::string, Value>* variables, const functions::Table* functions,
                const functions::CallContext& context)
      : variables_(variables), functions_(functions), context_(context) {}
  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override;
  bool variables_allowed() const override { return variables_ != nullptr; }
  const functions::Callable* FindFunction(std::string_view name) const override;
  bool functions_allowed() const override { return functions_ != nullptr; }
  std::vector<std::string_view> FunctionNames() const override;
  const functions::CallContext& call_context() const override { return context_; }

 private:
  const FlatMap<std::string, Value>* variables_;
  const functions::Table* functions_;
  const functions::CallContext& context_;
};

}  // namespace kinu::lang
