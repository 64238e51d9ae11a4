// Checks of references before anything is evaluated, as validation does them: an expression or body
// with a wrong reference is reported and not evaluated at all. Ref: opentofu internal/lang/eval.go
// evalContext, internal/tofu/evaluate_valid.go.
#pragma once

#include <span>
#include <string_view>

#include "config/validate_reference.h"
#include "engine/walk.h"
#include "lang/scope.h"

namespace kinu::engine {

/// A body's value without marks of deprecation; each becomes a warning at the body, or
/// the nested block, that holds the argument.
Value WarnDeprecatedIn(const hcl::Body& body, Value value, Diagnostics& diags);

class ReferenceCheck final : private config::SchemaSource {
 public:
  ReferenceCheck(const Walk& walk, const config::ConfigNode& node,
                 config::ReferenceContext context = {})
      : walk_(walk), node_(node), context_(context) {}

  /// Whether the expression may be evaluated. Always true outside of validation and the console.
  bool Expr(const hcl::Expr& expr, Diagnostics& diags) const;
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
  bool Check(std::span<const hcl::TraversalExpr* const> traversals, bool whole_objects,
             Diagnostics& diags) const;
  const schema::Block* ResourceSchema(const config::Resource& resource) const override;

  const Walk& walk_;
  const config::ConfigNode& node_;
  config::ReferenceContext context_;
};

}  // namespace kinu::engine
