// References whose keys are expressions, such as `a.b[each.key].c` in replace_triggered_by and in
// the `to` argument of an import block.
#pragma once

#include <span>
#include <vector>

#include "hcl/ast.h"

namespace kinu::meta_arguments {

/// The parts of such a reference, in source order.
struct IndexedReference {
  /// What follows the root: literal steps, or one key.
  struct Part {
    std::span<const hcl::TraversalStep> steps;
    const hcl::IndexExpr* index = nullptr;  ///< not null: a key, and no steps
  };
  const hcl::TraversalExpr* root = nullptr;  ///< with its own literal steps
  const hcl::Expr* not_reference = nullptr;  ///< not null: the part that is no reference; no root
  std::vector<Part> parts;
};

IndexedReference SplitReference(const hcl::Expr& expr);

}  // namespace kinu::meta_arguments
