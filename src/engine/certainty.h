// CertaintyJudge: how sure the changes of a plan are whose providers were not asked
// (plan/certainty.h).
#pragma once

#include <span>
#include <vector>

#include "engine/request.h"
#include "plan/certainty.h"

namespace kinu::engine {

using plan::Certainty;

/// Looks at a plan walk, and judges the changes of its plan.
class CertaintyJudge final : public Inspector {
 public:
  /// `config`: what is planned. Outlives this.
  void Begin(const config::Config& config) { config_ = &config; }
  std::span<const hcl::Expr* const> expressions() const override { return {}; }
  void Inspect(const Walk& walk) override;
  /// The certainty of a change in `plan`, which the walk has made. All changes of a plan that was
  /// given up before its walk are open. A destruction has no such walk.
  Certainty Of(const plan::Plan& plan, const plan::ResourceChange& change) const;
  /// That of an output of the root module: certain or open.
  Certainty Of(const plan::Plan& plan, const plan::OutputChange& change) const;

 private:
  /// What of a block the real plan sees with the same values.
  struct Settled {
    bool instances = false;  ///< count, for_each, enabled, also of the modules around it
    bool arguments = false;  ///< everything
  };
  /// That of the block of an object, or of the innermost module that is left around it.
  Settled SettledFor(const AbsResource& address) const;
  /// Whether a destruction cannot do anything else with the object.
  bool IsDestroyed(const plan::ResourceChange& change) const;
  static bool KeepsSchema(const plan::Plan& plan, const plan::ResourceChange& change,
                          const schema::ProviderSchema& schema);

  const config::Config* config_ = nullptr;
  std::vector<std::vector<Settled>> blocks_;                ///< per config node, per resource
  std::vector<bool> modules_;                               ///< per config node
  std::vector<bool> outputs_;                               ///< whether root outputs are settled
  FlatMap<Symbol, const schema::ProviderSchema*> schemas_;  ///< by source address
};

}  // namespace kinu::engine
