// Evaluating expressions over a configuration and a state, without planning anything.
//
// Variables, local values and outputs of all modules are evaluated when the session opens, as in
// OpenTofu, so that their problems are reported first. Objects are read from the state when an
// expression first uses them, so opening a session costs nothing per stored object. A provider is
// started only if its schema is not in the cache or an expression calls one of its functions. Ref:
// opentofu internal/tofu/context_eval.go, evaluate.go.
#pragma once

#include <memory>

#include "engine/walk.h"
#include "lang/scope.h"

namespace kinu::engine {

class EvaluationSession {
 public:
  /// `request` must outlive the session.
  explicit EvaluationSession(const Request& input);
  ~EvaluationSession();

  /// Evaluates the named values. False if the configuration has errors that prevent any evaluation;
  /// values with other errors are unknown.
  bool Open(Diagnostics& diags);
  /// Reports invalid references and calls of an expression in the root module; false if there are
  /// any. After Open().
  bool CheckReferences(const hcl::Expr& expr, Diagnostics& diags) const;
  /// The names of the root module and its outputs ("output.x"). After Open().
  const lang::Scope& scope() const;

 private:
  bool HasUnusableValue(size_t variable) const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Fills an empty table with what a state has of a resource; null: nothing.
void FillStoredRows(const config::Resource& block, const schema::ResourceSchema& schema,
                    const state::Resource* stored, ResourceTable& table);
/// Reads the instances of a resource from the state into its table. `count` and `for_each` of its
/// block are not evaluated.
void LoadStoredRows(const Walk& walk, const ModuleInstance& instance, size_t resource);

/// Calls the inspector of a walk whose nodes have run, if the request has one. It sees the stored
/// objects of what -target and -exclude leave out.
void Inspect(const Walk& walk);

}  // namespace kinu::engine
