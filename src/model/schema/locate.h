// Finds the place in a configuration body that a path into its value means: diagnostics of
// providers, and of checks of whole values, carry a path only. Ref: opentofu
// internal/tfdiags/contextual.go.
#pragma once

#include "cty/path.h"
#include "diag/diagnostic.h"
#include "hcl/body.h"
#include "schema/schema.h"

namespace kinu::schema {

/// The range of the expression at `path`. If the configuration has none, the place in the innermost
/// body on the path where it is missing. With `decoded`, the value of the body, the blocks that
/// `dynamic` blocks generate are looked into, too.
SourceRange Locate(const hcl::Body& body, const Path& path, const Value* decoded = nullptr);

/// Reports every ephemeral part of a value that is outside of write-only attributes, as errors that
/// concern the object at `address`, a text such as `test_thing.a[0]`. Ref: opentofu
/// internal/lang/eval.go validEphemeralReferences.
void RejectEphemeral(const Block& block, const hcl::Body& body, const Value& value,
                     const std::string& address, Diagnostics& diags);

}  // namespace kinu::schema
