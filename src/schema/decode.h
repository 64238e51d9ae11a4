// From a configuration body to a value of the schema's type. Ref: configschema/decoder_spec.go,
// opentofu internal/lang/eval.go EvalBlock; hcl hcldec.
#pragma once

#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/body.h"
#include "schema/schema.h"

namespace kinu::lang {
class Scope;
struct Binding;
}  // namespace kinu::lang

namespace kinu::schema {

/// All traversals in a body as read through a schema (attributes and nested blocks, `dynamic`
/// included), in the reference's order. Needs no evaluation. Unsupported parts are skipped.
void CollectBodyTraversals(const Block& block, const hcl::Body& body,
                           std::span<const std::string_view> hidden,
                           std::vector<const hcl::TraversalExpr*>& traversals,
                           std::vector<const hcl::CallExpr*>& calls);

}  // namespace kinu::schema
