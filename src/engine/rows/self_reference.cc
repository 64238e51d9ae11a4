// Arguments of a resource block that name the block itself. Ref: opentofu
// internal/tofu/validate_selfref.go, called for each instance that is planned.
#include "engine/rows/rows.h"
#include "schema/decode.h"

namespace kinu::engine {
namespace {

/// The part of a traversal that names a resource or its instance.
SourceRange NameRange(const hcl::TraversalExpr& traversal, const config::Reference& ref) {
  const size_t last = size_t{ref.consumed} - 1 + (ref.has_key ? 1 : 0);
  return {traversal.file(), traversal.begin, traversal.steps[last].end};
}

}  // namespace

bool ReportSelfReferences(const RowContext& row, Diagnostics& diags) {
  if (!row.info.self_references) {
    return true;
  }
  const config::Module& module = *row.instance->node->module;
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  schema::CollectBodyTraversals(row.info.schema->block, *row.resource.body,
                                config::MetaNames(row.resource.name.mode), traversals, calls);
  const size_t errors = diags.error_count();
  for (const hcl::TraversalExpr* traversal : traversals) {
    const config::Reference* bound = module.references.Find(*traversal);
    if (bound == nullptr) {
      continue;
    }
    const config::Reference& ref = *bound;
    const bool own = ref.kind == config::ReferenceKind::kResource && ref.index >= 0 &&
                     &module.resources[static_cast<size_t>(ref.index)] == &row.resource;
    if (!own || (ref.has_key && !(ref.key == row.address.key))) {
      continue;
    }
    // The address of a block is also that of its only instance, so OpenTofu reports it twice.
    const int times = !ref.has_key && row.address.key.none() ? 2 : 1;
    const ResourceInstance named{{ModuleInstId{}, row.resource.name},
                                 ref.has_key ? row.address.key : InstanceKey{}};
    for (int i = 0; i < times; ++i) {
      diags.Error(
          "Self-referential block",
          "Configuration for " + row.walk().program.ToText(named) + " may not refer to itself.",
          NameRange(*traversal, ref));
    }
  }
  return diags.error_count() == errors;
}

}  // namespace kinu::engine
