// Checks of references before anything is evaluated, as validation does them: an expression or body
// with a wrong reference is reported and not evaluated at all. Ref: opentofu internal/lang/eval.go
// evalContext, internal/tofu/evaluate_valid.go.
#pragma once

#include <span>
#include <string_view>

#include "config/validate_reference.h"
#include "engine/scope.h"
#include "engine/walk.h"
#include "lang/scope.h"

namespace kinu::engine {

/// A body's value without marks of deprecation; each becomes a warning at the body, or
/// the nested block, that holds the argument.
Value WarnDeprecatedIn(const hcl::Body& body, Value value, Diagnostics& diags);

/// How far the references of expressions are sound.
enum class References : uint8_t {
  kSound,
  kUnsound,  ///< some are malformed, or name values that there are not here
  kWrong,    ///< some are wrong by configuration and schemas: none has a value then
};

class ReferenceCheck final : private config::SchemaSource {
 public:
  /// `repetition`: what `count` and `each` are; null where there are none.
  ReferenceCheck(const Walk& walk, const config::ConfigNode& node,
                 config::ReferenceContext context = {}, const Expansion* repetition = nullptr)
      : walk_(walk), node_(node), context_(context), repetition_(repetition) {
    context_.path = node.path;
  }

  /// Whether the expression may be evaluated. Always true outside of validation and the console.
  bool Expr(const hcl::Expr& expr, Diagnostics& diags) const;
  /// The same in every walk: for what validation does not look at.
  bool ExprAnyway(const hcl::Expr& expr, Diagnostics& diags) const;
  /// The same of several expressions together. What is evaluated all the same goes through a
  /// ConditionScope.
  References Exprs(std::span<const hcl::Expr* const> exprs, Diagnostics& diags) const;
  /// The same for all expressions of a body.
  bool Body(const schema::Block& block, const hcl::Body& body,
            std::span<const std::string_view> hidden, Diagnostics& diags) const;
  /// References in `depends_on`, which stand for whole objects.
  void DependsOn(std::span<const hcl::TraversalExpr* const> list, Diagnostics& diags) const;

  /// Evaluates unless a reference is wrong; then the result is unknown.
  Value Evaluate(const hcl::Expr& expr, const lang::Scope& scope, Diagnostics& diags) const;
  /// Reads a body unless a reference is wrong; then the result is unknown.
  Value Decode(const schema::Block& block, const hcl::Body& body,
               std::span<const std::string_view> hidden, const lang::Scope& scope,
               Diagnostics& diags) const;

 private:
  References Check(std::span<const hcl::TraversalExpr* const> traversals, bool whole_objects,
                   Diagnostics& diags, std::span<const hcl::CallExpr* const> calls = {}) const;
  const schema::Block* ResourceSchema(const config::Resource& resource) const override;

  const Walk& walk_;
  const config::ConfigNode& node_;
  config::ReferenceContext context_;
  const Expansion* repetition_;
};

/// A scope for conditions, which are evaluated however wrong their references are: what was
/// reported is unknown here, and nothing has a value when some are wrong. Ref: opentofu
/// internal/tofu/eval_conditions.go.
class ConditionScope final : public lang::Scope {
 public:
  ConditionScope(const Walk& walk, const ModuleScope& inner, References references)
      : walk_(walk), inner_(inner), references_(references) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override;
  const functions::Callable* FindFunction(std::string_view name) const override {
    return inner_.FindFunction(name);
  }
  std::vector<std::string_view> FunctionNames() const override { return inner_.FunctionNames(); }
  void ExplainUnknownFunction(const hcl::CallExpr& call, Diagnostic& diagnostic) const override {
    inner_.ExplainUnknownFunction(call, diagnostic);
  }
  const functions::CallContext& call_context() const override { return inner_.call_context(); }

 private:
  const Walk& walk_;
  const ModuleScope& inner_;
  References references_;
};

}  // namespace kinu::engine
