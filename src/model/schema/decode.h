// Decodes a configuration body into a value of the schema's type. Ref: opentofu
// internal/configs/configschema/decoder_spec.go, internal/lang/eval.go EvalBlock; hcl hcldec.
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

/// Decodes a body through a schema: evaluates and converts attributes, expands `dynamic` blocks and
/// checks the number of blocks. The result always has the schema's implied type: what could not be
/// evaluated is unknown. Attributes and blocks named in `hidden` (`count`, `lifecycle` and the
/// like) are skipped, because the language has read them.
Value DecodeBody(const Block& block, const hcl::Body& body,
                 std::span<const std::string_view> hidden, const lang::Scope& scope,
                 const lang::Binding* bindings, Diagnostics& diags);

/// As DecodeBody(), with another scope for what decides which blocks `dynamic` blocks generate.
Value DecodeBody(const Block& block, const hcl::Body& body,
                 std::span<const std::string_view> hidden, const lang::Scope& scope,
                 const lang::Scope& expansion, Diagnostics& diags);

/// The expressions of a body that CollectBodyTraversals() looks at.
enum class BodyPart : uint8_t {
  kAll,        ///< all of them
  kExpansion,  ///< those that decide which blocks its `dynamic` blocks generate
};

/// Collects the traversals and function calls of a body (attributes and nested blocks, `dynamic`
/// blocks included) without evaluating anything. They come in the order in which OpenTofu evaluates
/// them. What the schema does not have is skipped.
void CollectBodyTraversals(const Block& block, const hcl::Body& body,
                           std::span<const std::string_view> hidden,
                           std::vector<const hcl::TraversalExpr*>& traversals,
                           std::vector<const hcl::CallExpr*>& calls,
                           BodyPart part = BodyPart::kAll);

/// Collects the traversals and function calls of the attributes that a body has once its `dynamic`
/// blocks are expanded in the scope `expansion`: as often as their blocks are generated.
void CollectExpandedTraversals(const Block& block, const hcl::Body& body,
                               std::span<const std::string_view> hidden,
                               const lang::Scope& expansion,
                               std::vector<const hcl::TraversalExpr*>& traversals,
                               std::vector<const hcl::CallExpr*>& calls);

/// The schema of the blocks that may be written for an attribute whose elements have the type
/// `object`. Every attribute of it is optional.
Block BlockForObject(const Type& object);
/// Whether an attribute of this type may be written as blocks: a list or a set of objects.
bool CanBeBlocks(const Type& type);

}  // namespace kinu::schema
