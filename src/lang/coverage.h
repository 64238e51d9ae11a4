// Coverage: receives what an evaluation reaches, for reports of what tests cover.
#pragma once

#include "hcl/ast.h"

namespace kinu::lang {

/// Thread-safe.
class Coverage {
 public:
  virtual ~Coverage() = default;
  /// A part of a configuration was evaluated: the condition of a rule, the expression of an output,
  /// the body of a resource.
  virtual void Reach(const void* part) = 0;
  /// A conditional had a result, which is that of one branch.
  virtual void Take(const hcl::ConditionalExpr& expr, bool true_branch) = 0;
};

}  // namespace kinu::lang
