// Scope: the interface through which evaluation resolves names and functions. The engine implements
// it over the results of its walk, tools over a map.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "functions/function.h"
#include "hcl/ast.h"
#include "lang/coverage.h"

namespace kinu::lang {

/// Resolves references and functions of expressions.
class Scope {
 public:
  virtual ~Scope() = default;

  /// The value of a traversal whose root is not bound inside the expression (by `for`, a splat or a
  /// `dynamic` iterator). After an error the result is usually an unknown value of dynamic type.
  virtual Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const = 0;

  /// False if the scope has no variables at all. Errors then do not suggest other names.
  virtual bool variables_allowed() const { return true; }

  /// The function of that name; null if there is none.
  virtual const functions::Callable* FindFunction(std::string_view name) const = 0;
  /// The function of a call. A scope may know it without a search by name.
  virtual const functions::Callable* FunctionOf(const hcl::CallExpr& call) const;
  /// False if every call is an error ("Function calls not allowed").
  virtual bool functions_allowed() const { return true; }
  /// All function names, for suggestions.
  virtual std::vector<std::string_view> FunctionNames() const { return {}; }
  /// Adds explanations to the error about a call of an unknown function.
  virtual void ExplainUnknownFunction(const hcl::CallExpr&, Diagnostic&) const {}
  /// The environment of function calls: directory, time, templates.
  virtual const functions::CallContext& call_context() const = 0;
  /// Receives what is evaluated; null: nothing does.
  virtual Coverage* coverage() const { return nullptr; }
};

/// Implements Scope::ExplainUnknownFunction() for configurations: explains the valid namespaces and
/// the syntax of provider functions. Ref: opentofu internal/lang/eval.go enhanceFunctionDiag.
void ExplainConfigurationFunction(std::string_view name, Diagnostic& diagnostic);

/// Whether a function is one of a provider: `provider::name::f` or `provider::name::alias::f`.
bool NamesProviderFunction(std::string_view function);
/// Reports calls of provider functions whose names have too few or too many parts. Expressions with
/// such a call are not evaluated. Ref: opentofu internal/addrs/parse_ref.go.
void CheckFunctionNames(std::span<const hcl::CallExpr* const> calls, Diagnostics& diags);

/// A scope of variables in a map, with the errors of HCL ("Unknown variable", "Variables not
/// allowed"). Variables or functions are not allowed if the pointer to them is null.
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
