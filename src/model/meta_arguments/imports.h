// `import` blocks: which existing object becomes which instance. Ref: opentofu
// internal/tofu/context_import.go, eval_import.go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "cty/value.h"
#include "lang/scope.h"
#include "schema/schema.h"

namespace kinu::meta_arguments {

/// An existing object and the instance that it becomes.
struct ImportTarget {
  ResourceInstance address;
  const config::Import* block = nullptr;  ///< null: of the import command
  std::string id;
  bool has_id = false;  ///< the import command takes an empty id
  Value identity;       ///< null: imported by id
};

/// The expressions of an import block that are evaluated in the root module: keys in `to`,
/// for_each, id and identity.
std::vector<const hcl::Expr*> ImportExpressions(const config::Import& import);

/// Reports import blocks whose target has no resource block. `generating`: except those that a
/// block can be generated for.
void CheckImportTargets(const config::Config& config, bool generating, Diagnostics& diags);

/// Validates id or identity as far as they are known. `schema`: null if the provider lacks the
/// type.
void ValidateImport(const config::Import& import, const schema::ResourceSchema* schema,
                    const lang::Scope& scope, Diagnostics& diags);

/// Evaluates an import block, in the scope of one element of its for_each. Nothing after an error.
std::optional<ImportTarget> EvaluateImport(Program& program, const config::Import& import,
                                           const schema::ResourceSchema* schema,
                                           const lang::Scope& scope, Diagnostics& diags);

}  // namespace kinu::meta_arguments
