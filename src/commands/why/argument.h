// The expressions that decide an argument of a resource block. Private to why.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "schema/schema.h"

namespace kinu::why {

/// A traversal that an index follows, as in `a[count.index].id`.
struct IndexedAccess {
  const hcl::TraversalExpr* collection = nullptr;
  const hcl::Expr* key = nullptr;
  std::span<const hcl::TraversalStep> steps;  ///< after the index
};

/// An argument of a block, or all its nested blocks of one type.
struct Argument {
  SourceRange range;  ///< without a file: it is not written
  std::string text;   ///< as the source has it; of several blocks, one after the other
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  std::vector<IndexedAccess> indexed;  ///< of an argument that is one expression

  const IndexedAccess* IndexAfter(const hcl::TraversalExpr* traversal) const;
};

/// The argument or the blocks of that name in the body of a resource.
Argument FindArgument(const config::Resource& resource, const schema::Block& block,
                      std::string_view name);
/// An argument that consists of one expression.
Argument ArgumentOf(const hcl::Expr& expr);

}  // namespace kinu::why
