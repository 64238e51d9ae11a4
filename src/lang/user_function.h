// What a program that embeds the language builds its scopes of: functions that a body defines,
// `convert`, and a scope of variables and chosen functions. Ref: hcl v2 ext/userfunc, ext/typeexpr.
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

/// A scope of variables and functions that are added one by one. Until there is a variable none is
/// allowed, and likewise with functions.
class ToolScope final : public Scope {
 public:
  void SetVariable(std::string_view name, Value value) {
    variables_.insert_or_assign(std::string(name), std::move(value));
  }
  /// The function must outlive the scope.
  void AddFunction(std::string_view name, const functions::Callable* function) {
    functions_.insert_or_assign(std::string(name), function);
  }
  /// What functions may ask of their surroundings.
  void SetContext(functions::CallContext context) { context_ = std::move(context); }
  /// True while there is neither a variable nor a function: JSON strings are then literal.
  bool empty() const { return variables_.empty() && functions_.empty(); }

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override;
  bool variables_allowed() const override { return !variables_.empty(); }
  const functions::Callable* FindFunction(std::string_view name) const override;
  bool functions_allowed() const override { return !functions_.empty(); }
  std::vector<std::string_view> FunctionNames() const override;
  const functions::CallContext& call_context() const override { return context_; }

 private:
  FlatMap<std::string, Value> variables_;
  FlatMap<std::string, const functions::Callable*> functions_;
  functions::CallContext context_;
};

/// The functions of the blocks of type `block_type` in a body: each has a label, the name, and the
/// arguments `params`, `result` and perhaps `variadic_param`. Results are evaluated in `scope`,
/// which must outlive them as the body must. Other items of the body are left alone.
std::vector<std::unique_ptr<functions::Callable>> ReadUserFunctions(const hcl::Body& body,
                                                                    std::string_view block_type,
                                                                    const Scope& scope,
                                                                    hcl::SyntaxTree& tree,
                                                                    Diagnostics& diags);

/// `convert(value, type)`: the second argument is a type constraint.
const functions::Callable& ConvertFunction();

}  // namespace kinu::lang
