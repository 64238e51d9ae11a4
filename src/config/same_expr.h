// Whether two expressions are written alike. Private to config.
#pragma once

#include "hcl/ast.h"

namespace kinu::config {

/// Whether two for_each expressions use other objects and are written alike, apart from
/// parentheses: then they certainly have the same elements.
/// Ref: opentofu internal/configs/provider_validation.go providerIterationIdentical.
bool IsSameForEach(const hcl::Expr& a, const hcl::Expr& b);

}  // namespace kinu::config
