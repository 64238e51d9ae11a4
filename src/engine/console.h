// Evaluating expressions over a configuration and a state, without planning anything.
//
// Variables, local values and outputs of all modules are evaluated at once, as the reference does,
// so that their problems are reported first. Objects are read from the state when an expression
// first asks for them: opening a session costs nothing per stored object. No provider is started
// unless its schema is not known yet. Ref: opentofu internal/tofu/context_eval.go, evaluate.go.
#pragma once

#include <memory>

#include "engine/walk.h"
#include "lang/scope.h"

namespace kinu::engine {

class ConsoleSession {
 public:
  /// `request` must outlive the session.
  explicit ConsoleSession(const Request& input);
  ~ConsoleSession();

  /// Evaluates the named values. False when the configuration is so wrong that nothing can be
  /// evaluated; other problems leave unknown values behind.
  bool Open(Diagnostics& diags);
  /// Reports what an expression of the root module wrongly refers to. After Open().
  bool CheckReferences(const hcl::Expr& expr, Diagnostics& diags) const;
  /// The names of the root module. After Open().
  const lang::Scope& scope() const;

 private:
  bool HasUnusableValue(size_t variable) const;

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Reads the instances of a resource from the state into its table. Its block's arguments do not
/// count: there are as many instances as the state has.
void LoadStoredRows(const Walk& walk, const ModuleInstance& instance, size_t resource);

}  // namespace kinu::engine
