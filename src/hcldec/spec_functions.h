// The functions that specs may call: plain ones, whose meaning is the value library's and not
// always that of the configuration language. Private to hcldec.
#pragma once

#include "lang/user_function.h"

namespace kinu::hcldec {

/// Adds them to a scope. Ref: hcl v2 cmd/hcldec/spec_funcs.go.
void AddSpecFunctions(lang::ToolScope& scope);

/// A scope in which a type is written as an expression: `map(list(string))`. Its values are of
/// SpecType() and mean something while it lives; a thread has one at a time. Ref: hcl v2
/// cmd/hcldec/type_expr.go.
class TypeScope {
 public:
  TypeScope();
  TypeScope(const TypeScope&) = delete;
  TypeScope& operator=(const TypeScope&) = delete;
  ~TypeScope();
  const lang::Scope& scope() const { return scope_; }
  /// The type of values that stand for types.
  static Type SpecType();
  /// What such a value stands for.
  static Type TypeOf(const Value& value);

 private:
  lang::ToolScope scope_;
};

}  // namespace kinu::hcldec
