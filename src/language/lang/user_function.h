// Scopes for programs that embed the language: a scope of chosen variables and functions, functions
// defined in a body, and `convert`. Ref: hcl v2 ext/userfunc, ext/typeexpr.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "functions/function.h"
#include "hcl/body.h"
#include "lang/scope.h"

namespace kinu::lang {

/// A scope to which variables and functions are added. Without variables, any reference is
/// "Variables not allowed"; without functions, any call is "Function calls not allowed".
class ToolScope final : public Scope {
 public:
  void SetVariable(std::string_view name, Value value) {
    variables_.insert_or_assign(std::string(name), std::move(value));
  }
  /// The function must outlive the scope.
  void AddFunction(std::string_view name, const functions::Callable* function) {
    // Copies of a scope share its functions, of which there are many, until one of them gets more.
    if (functions_.use_count() != 1) {
      functions_ = std::make_shared<Functions>(*functions_);
    }
    functions_->insert_or_assign(std::string(name), function);
  }
  /// Sets the environment of function calls: directory, time, templates.
  void SetContext(functions::CallContext context) { context_ = std::move(context); }
  /// Whether there is neither a variable nor a function; JSON strings are then literal.
  bool empty() const { return variables_.empty() && functions_->empty(); }

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override;
  bool variables_allowed() const override { return !variables_.empty(); }
  const functions::Callable* FindFunction(std::string_view name) const override;
  bool functions_allowed() const override { return !functions_->empty(); }
  std::vector<std::string_view> FunctionNames() const override;
  const functions::CallContext& call_context() const override { return context_; }

 private:
  using Functions = FlatMap<std::string, const functions::Callable*>;
  FlatMap<std::string, Value> variables_;
  std::shared_ptr<Functions> functions_ = std::make_shared<Functions>();
  functions::CallContext context_;
};

/// Reads the functions that blocks of type `block_type` define: the label is the name, `params` the
/// parameters, `variadic_param` (optional) takes further arguments, `result` is the expression that
/// a call evaluates in `scope`. `body` and `scope` must outlive the functions. Ignores other items
/// of the body.
std::vector<std::unique_ptr<functions::Callable>> ReadUserFunctions(const hcl::Body& body,
                                                                    std::string_view block_type,
                                                                    const Scope& scope,
                                                                    hcl::SyntaxTree& tree,
                                                                    Diagnostics& diags);

/// The function `convert(value, type)`, whose second argument is a type constraint.
const functions::Callable& ConvertFunction();

}  // namespace kinu::lang
