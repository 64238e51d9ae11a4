#include "meta_arguments/indexed_reference.h"

#include <algorithm>

namespace kinu::meta_arguments {

IndexedReference SplitReference(const hcl::Expr& expr) {
  IndexedReference out;
  const hcl::Expr* at = &expr;
  while (out.root == nullptr && out.not_reference == nullptr) {
    if (at->kind == hcl::ExprKind::kTraversal) {
      out.root = static_cast<const hcl::TraversalExpr*>(at);
    } else if (at->kind == hcl::ExprKind::kRelative) {
      const auto& relative = static_cast<const hcl::RelativeExpr&>(*at);
      out.parts.push_back({relative.steps, nullptr});
      at = relative.source;
    } else if (at->kind == hcl::ExprKind::kIndex) {
      const auto& index = static_cast<const hcl::IndexExpr&>(*at);
      out.parts.push_back({{}, &index});
      at = index.collection;
    } else {
      out.not_reference = at;
    }
  }
  std::reverse(out.parts.begin(), out.parts.end());
  return out;
}

}  // namespace kinu::meta_arguments
