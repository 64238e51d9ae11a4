// Checks of references that need no values: whether the object is declared, whether an instance key
// is missing, and whether the schema has the attributes that are read. Ref: opentofu
// internal/tofu/evaluate_valid.go, internal/configs/configschema/validate_traversal.go.
#pragma once

#include <span>
#include <string_view>

#include "config/config.h"
#include "schema/schema.h"

namespace kinu::config {

/// Where a reference stands.
struct ReferenceContext {
  /// The resource that `self` means; null: `self` is not available.
  const Resource* self = nullptr;
  int check = -1;      ///< index of the check block around the expression, or -1
  ModuleId path = {};  ///< the module around it, for messages
};

/// Finds schemas of resource types. Implemented by the engine.
class SchemaSource {
 public:
  virtual ~SchemaSource() = default;
  /// Null if the provider has no such type or no schema could be read (the engine reports that).
  virtual const schema::Block* ResourceSchema(const Resource& resource) const = 0;
};

/// Reports an invalid use of a resolved reference. Attributes are checked only if `schemas` is not
/// null. Resolving checks references to input variables and local values, so they are skipped.
void ValidateReference(Program& program, const Module& module, const hcl::TraversalExpr& traversal,
                       const Reference& reference, const ReferenceContext& context,
                       const SchemaSource* schemas, Diagnostics& diags);

/// Reports steps of an expression that lead to nothing in a schema.
void ValidateSteps(const schema::Block& schema, const hcl::Expr& whole,
                   std::span<const hcl::TraversalStep> steps, Diagnostics& diags);
/// Reports steps that lead to nothing of a traversal whose root is an attribute or block, as in
/// ignore_changes.
void ValidateRelative(const schema::Block& schema, const hcl::TraversalExpr& traversal,
                      Diagnostics& diags);

/// Reports the use of an object such as `var` without one of its attributes. Its place
/// is SourceRange::Nowhere(). Does nothing for other malformed references.
void ReportNamelessAttribute(const hcl::TraversalExpr& traversal, Diagnostics& diags);

/// Whether ReportNamelessAttribute() would report this traversal.
bool IsNameless(const hcl::TraversalExpr& traversal);

/// Matches the arguments of a module call with the variables of the called module. Reports missing
/// and unknown arguments. Ref: transform_module_variable.go.
std::vector<hcl::Attribute> ReadModuleInputs(const Program& program, const ModuleCall& call,
                                             const Module& called, Diagnostics& diags);

}  // namespace kinu::config
