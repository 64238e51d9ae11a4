// count, for_each and enabled: from an expression to the instances of a block or module call.
// Ref: opentofu internal/lang/evalchecks.
#pragma once

#include "engine/instances.h"
#include "engine/scope.h"

namespace kinu::engine {

struct ExpansionArguments {
  const hcl::Expr* count = nullptr;
  const hcl::Expr* for_each = nullptr;
  const hcl::Expr* enabled = nullptr;
};

/// Evaluates. Problems ("Invalid count argument", "Invalid for_each argument", …) go to `diags`.
/// While validating an unknown result is fine and gives kUnknown, otherwise it is an error.
Expansion Expand(const ExpansionArguments& arguments, const lang::Scope& scope, Program& program,
                 bool validating, Diagnostics& diags);

/// Validates count or for_each of a resource. The plan reports the problems of a for_each whose
/// value is unknown here. Ref: node_resource_validate.go validateForEach.
void ValidateExpansion(const ExpansionArguments& arguments, const lang::Scope& scope,
                       Program& program, Diagnostics& diags);

/// As Expand(), for the for_each of an import block, which may be a tuple too.
Expansion ExpandImport(const hcl::Expr& for_each, const lang::Scope& scope, Program& program,
                       bool validating, Diagnostics& diags);

/// The same for the for_each of a provider configuration, whose value is known since loading.
Expansion ExpandProvider(const hcl::Expr& for_each, const Value& value, const lang::Scope& scope,
                         Program& program, Diagnostics& diags);

}  // namespace kinu::engine
