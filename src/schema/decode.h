// From a configuration body to a value of the schema's type. Ref: configschema/decoder_spec.go,
// opentofu internal/lang/eval.go EvalBlock; hcl hcldec.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/body.h"
#include "schema/schema.h"

namespace kinu::lang {
class Scope;
struct Binding;
}  // namespace kinu::lang

namespace kinu::schema {

/// Reads a body through a schema: evaluates and converts attributes, expands `dynamic` blocks,
/// checks the number of blocks. The result has the schema's implied type (parts that could not be
/// read are unknown), whatever problems there are. Names in `hidden` were read by somebody else.
Value DecodeBody(const Block& block, const hcl::Body& body,
                 std::span<const std::string_view> hidden, const lang::Scope& scope,
                 const lang::Binding* bindings, Diagnostics& diags);

/// All traversals in a body as read through a schema (attributes and nested blocks, `dynamic`
/// included), in the reference's order. Needs no evaluation. Unsupported parts are skipped.
void CollectBodyTraversals(const Block& block, const hcl::Body& body,
                           std::span<const std::string_view> hidden,
                           std::vector<const hcl::TraversalExpr*>& traversals,
                           std::vector<const hcl::CallExpr*>& calls);

/// The block schema whose value has an object type: each attribute optional. For attributes that
/// are written as blocks.
Block BlockForObject(const Type& object);
/// Whether an attribute of this type may be written as blocks.
bool CanBeBlocks(const Type& type);

}  // namespace kinu::schema
