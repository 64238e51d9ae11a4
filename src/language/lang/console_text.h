// The language of the console: text of values and types, and the function type().
// Ref: opentofu internal/repl/format.go, session.go.
#pragma once

#include <deque>
#include <string>

#include "lang/scope.h"

namespace kinu::lang {

/// A value in the format of the console and of `output`. Masks sensitive parts. `indent` is the
/// indentation, in spaces, of the line in which the text begins.
std::string ConsoleText(const Value& value, int indent = 0);
/// A type on several lines, in the syntax of type constraints.
std::string ConsoleTypeText(const Type& type);

/// The scope of the console: adds type() to another scope, whose result is a type instead of a
/// value, and removes plantimestamp().
class ConsoleScope final : public Scope {
 public:
  explicit ConsoleScope(const Scope& inner);

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override {
    return inner_.Resolve(traversal, diags);
  }
  bool variables_allowed() const override { return inner_.variables_allowed(); }
  const functions::Callable* FindFunction(std::string_view name) const override;
  bool functions_allowed() const override { return true; }
  std::vector<std::string_view> FunctionNames() const override;
  void ExplainUnknownFunction(const hcl::CallExpr& call, Diagnostic& problem) const override {
    inner_.ExplainUnknownFunction(call, problem);
  }
  const functions::CallContext& call_context() const override { return inner_.call_context(); }

  /// The text to print for the result of an expression. Fails if type() is only a part of the
  /// expression; the text is then empty.
  std::string Print(const Value& result, Diagnostics& diags) const;

 private:
  // Its results are capsules whose payload is an index into types_.
  class TypeFunction final : public functions::Callable {
   public:
    TypeFunction();
    std::string_view name() const override { return "type"; }
    std::span<const functions::Parameter> params() const override { return {&parameter_, 1}; }
    const functions::Parameter* variadic() const override { return nullptr; }
    functions::CallResult Call(functions::Arguments args,
                               const functions::CallContext& context) const override;
    const Type& TypeAt(uint64_t index) const { return types_[index]; }

   private:
    functions::Parameter parameter_;
    mutable std::deque<Type> types_;
  };

  const Scope& inner_;
  TypeFunction type_;
};

}  // namespace kinu::lang
