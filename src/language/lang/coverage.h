// Coverage: receives what an evaluation reaches, for reports of what tests cover.
#pragma once

#include "hcl/ast.h"

namespace kinu::lang {

/// Thread-safe.
class Coverage {
 public:
  virtual ~Coverage() = default;
  /// A part of a configuration was evaluated, which begins there: the condition of a rule, the
  /// expression of an output, a resource block. Without a file: nothing was.
  virtual void Reach(const SourceRange& part) = 0;
  /// A conditional had a result, which is that of one branch.
  virtual void Take(const hcl::ConditionalExpr& expr, bool true_branch) = 0;
};

}  // namespace kinu::lang
