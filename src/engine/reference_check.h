// The checks of references that validation makes before it evaluates: an expression or body with an
// invalid reference is reported and not evaluated. Ref: opentofu internal/lang/eval.go evalContext,
// internal/tofu/evaluate_valid.go.
#pragma once

#include <span>
#include <string_view>

#include "config/validate_reference.h"
#include "engine/module_references.h"
#include "engine/scope.h"
#include "engine/walk.h"
#include "lang/scope.h"
#include "meta_arguments/conditions.h"

namespace kinu::engine {

/// Removes deprecation marks from the value of a body. Reports each as a warning about the object
/// at `address`, at the place of lang::ReportedPath().
Value WarnDeprecatedIn(const hcl::Body& body, Value value, Diagnostics& diags,
                       const std::string& address = {});

/// The validity of the references of expressions.
enum class References : uint8_t {
  kSound,
  kUnsound,  ///< some are malformed, or name values that do not exist here
  kWrong,    ///< some contradict the configuration or a schema, so that no reference has a value
};

class ReferenceCheck final : private config::SchemaSource {
 public:
  /// `repetition`: has `count` and `each`; null: these do not exist here.
  ReferenceCheck(const Walk& walk, const config::ConfigNode& node,
                 config::ReferenceContext context = {}, const Expansion* repetition = nullptr)
      : walk_(walk), node_(node), context_(context), repetition_(repetition) {
    context_.path = node.path;
  }

  /// Whether the expression may be evaluated. Always true outside validation, the console and the
  /// import command.
  bool Expr(const hcl::Expr& expr, Diagnostics& diags) const;
  /// As Expr(), in every walk: for arguments that validation ignores.
  bool ExprAnyway(const hcl::Expr& expr, Diagnostics& diags) const;
  /// Whether `count` and `each` exist where the expression names them, in every walk: for arguments
  /// of calls, whose repetition validation does not know.
  bool HasRepetitions(const hcl::Expr& expr, Diagnostics& diags) const;
  /// As Expr(), for several expressions together. Expressions that are evaluated despite errors
  /// need a ConditionScope.
  References Exprs(std::span<const hcl::Expr* const> exprs, Diagnostics& diags) const;
  /// Reports references that do not have the form of one, where Exprs() would report any.
  void Forms(std::span<const hcl::Expr* const> exprs, Diagnostics& diags) const;
  /// As Exprs(), in every walk, for some of the references of expressions and for their calls.
  References Traversals(std::span<const hcl::TraversalExpr* const> traversals, Diagnostics& diags,
                        std::span<const hcl::CallExpr* const> calls = {}) const {
    return Check(traversals, false, diags, calls);
  }
  /// Evaluates a condition, whose message is evaluated despite invalid references.
  meta_arguments::ConditionResult Condition(const config::Condition& condition,
                                            meta_arguments::ConditionKind kind,
                                            const ResourceInstance& address,
                                            const ModuleScope& scope, Severity severity,
                                            Diagnostics& diags) const;
  /// Checks `depends_on`, whose elements must be whole objects.
  void DependsOn(std::span<const hcl::TraversalExpr* const> list, Diagnostics& diags) const;

  /// Evaluates the expression; unknown if a reference is invalid.
  Value Evaluate(const hcl::Expr& expr, const lang::Scope& scope, Diagnostics& diags) const;
  /// Decodes a body; unknown if a reference of an argument is invalid. `references`: all of the
  /// body's. What `dynamic` blocks repeat over is evaluated despite errors. Ref: opentofu
  /// internal/lang/eval.go ExpandBlock, EvalBlock.
  Value Decode(const schema::Block& block, const hcl::Body& body,
               std::span<const std::string_view> hidden, const ModuleScope& scope,
               const BodyReferences& references, Diagnostics& diags) const;
  /// As above, for a body whose references were not collected.
  Value Decode(const schema::Block& block, const hcl::Body& body,
               std::span<const std::string_view> hidden, const ModuleScope& scope,
               Diagnostics& diags) const;
  /// As above. The value keeps the marks of deprecated values, of which nothing is said.
  Value DecodeMarked(const schema::Block& block, const hcl::Body& body,
                     std::span<const std::string_view> hidden, const ModuleScope& scope,
                     Diagnostics& diags) const;

 private:
  References Check(std::span<const hcl::TraversalExpr* const> traversals, bool whole_objects,
                   Diagnostics& diags, std::span<const hcl::CallExpr* const> calls = {}) const;
  /// What of references and calls this walk checks.
  References CheckAll(std::span<const hcl::TraversalExpr* const> traversals,
                      std::span<const hcl::CallExpr* const> calls, Diagnostics& diags) const;
  Value DecodeUnsound(const schema::Block& block, const hcl::Body& body,
                      std::span<const std::string_view> hidden, const ModuleScope& scope,
                      Diagnostics& diags) const;
  /// Whether references are checked in this walk.
  bool checks() const;
  /// Whether functions of providers must exist in this walk, and some are called in the module.
  bool checks_functions() const;
  /// Reports functions that their providers do not have, called or not.
  void CheckFunctions(std::span<const hcl::CallExpr* const> calls, Diagnostics& diags) const;
  const schema::Block* ResourceSchema(const config::Resource& resource) const override;
  /// Reports that the type of a resource that a test has left out does not exist: it has no node
  /// that would.
  void ReportUnknownType(const hcl::TraversalExpr& traversal, const config::Resource& left_out,
                         Diagnostics& diags) const;

  const Walk& walk_;
  const config::ConfigNode& node_;
  config::ReferenceContext context_;
  const Expansion* repetition_;
};

/// A scope for conditions, which are evaluated even if references are invalid: reported references
/// are unknown, and no reference has a value if References::kWrong. Ref: opentofu
/// internal/tofu/eval_conditions.go.
class ConditionScope final : public FunctionsOfModule {
 public:
  ConditionScope(const Walk& walk, const ModuleScope& inner, References references)
      : FunctionsOfModule(inner), walk_(walk), inner_(inner), references_(references) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override;
  /// That a provider lacks a function was reported with the references.
  void ExplainUnknownFunction(const hcl::CallExpr& call, Diagnostic& diagnostic) const override {
    lang::ExplainConfigurationFunction(call.name, diagnostic);
  }

 private:
  const Walk& walk_;
  const ModuleScope& inner_;
  References references_;
};

}  // namespace kinu::engine
