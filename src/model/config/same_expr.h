// Compares two expressions by their syntax. Private to config.
#pragma once

#include "hcl/ast.h"

namespace kinu::config {

/// Whether two for_each expressions refer to objects and have the same syntax, apart from
/// parentheses: then their elements are always the same. Ref: opentofu
/// internal/configs/provider_validation.go providerIterationIdentical.
bool IsSameForEach(const hcl::Expr& a, const hcl::Expr& b);

}  // namespace kinu::config
