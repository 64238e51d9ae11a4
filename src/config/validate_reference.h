// Checks of a reference that need no values: whether what it names exists, whether it has a key
// where one is needed, and whether the attributes that it reads are in the schema. Ref: opentofu
// internal/tofu/evaluate_valid.go, internal/configs/configschema/validate_traversal.go.
#pragma once

#include <span>
#include <string_view>

#include "config/config.h"
#include "schema/schema.h"

namespace kinu::config {

/// What surrounds a reference.
struct ReferenceContext {
  /// The resource that `self` means; null: there is no `self` here.
  const Resource* self = nullptr;
  int check = -1;      ///< the check block that the expression stands in
  ModuleId path = {};  ///< the module that it stands in, for messages
};

/// Schemas of resource types; the engine has them.
class SchemaSource {
 public:
  virtual ~SchemaSource() = default;
  /// Null when the provider has no such type, or has no schema (then the engine reports that).
  virtual const schema::Block* ResourceSchema(const Resource& resource) const = 0;
};

/// Reports what is wrong with a resolved reference; `schemas` null: attributes are not checked.
/// References to input variables and local values are checked when they are resolved.
void ValidateReference(Program& program, const Module& module, const hcl::TraversalExpr& traversal,
                       const Reference& reference, const ReferenceContext& context,
                       const SchemaSource* schemas, Diagnostics& diags);

/// Reports steps of an expression that do not lead to anything in an object of a schema.
void ValidateSteps(const schema::Block& schema, const hcl::Expr& whole,
                   std::span<const hcl::TraversalStep> steps, Diagnostics& diags);
/// The same for a traversal whose root is an attribute or block, as in ignore_changes.
void ValidateRelative(const schema::Block& schema, const hcl::TraversalExpr& traversal,
                      Diagnostics& diags);

/// What the reference adds when an object such as `var` is used without naming one of its
/// attributes: there is no attribute without a name. That diagnostic points at line 0 of a file
/// without a name. Nothing for other malformed references.
void ReportNamelessAttribute(const hcl::TraversalExpr& traversal, Diagnostics& diags);

/// Whether ReportNamelessAttribute() reports it.
bool IsNameless(const hcl::TraversalExpr& traversal);

/// Reads the arguments of a module call through the variables of the called module: what is missing
/// and what the module does not have are errors. Ref: transform_module_variable.go.
std::vector<hcl::Attribute> ReadModuleInputs(const Program& program, const ModuleCall& call,
                                             const Module& called, Diagnostics& diags);

}  // namespace kinu::config
