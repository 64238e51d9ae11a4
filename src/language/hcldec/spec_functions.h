// The functions that specs may call. They are those of go-cty, which differ from some functions of
// the configuration language. Private to hcldec.
#pragma once

#include "lang/user_function.h"

namespace kinu::hcldec {

/// Adds the functions to a scope. Ref: hcl v2 cmd/hcldec/spec_funcs.go.
void AddSpecFunctions(lang::ToolScope& scope);

/// A scope in which expressions denote types: `map(list(string))`. Results are of SpecType() and
/// valid while the scope lives. A thread may have only one such scope at a time.
/// Ref: hcl v2 cmd/hcldec/type_expr.go.
class TypeScope {
 public:
  TypeScope();
  TypeScope(const TypeScope&) = delete;
  TypeScope& operator=(const TypeScope&) = delete;
  ~TypeScope();
  const lang::Scope& scope() const { return scope_; }
  /// The type of values that denote types.
  static Type SpecType();
  /// The type that such a value denotes.
  static Type TypeOf(const Value& value);

 private:
  lang::ToolScope scope_;
};

}  // namespace kinu::hcldec
