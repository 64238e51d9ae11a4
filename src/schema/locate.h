// Where in a configuration body the attribute stands that a path in its value leads to. For
// problems that are known by path: those of providers, and those found in whole values. Ref:
// opentofu internal/tfdiags/contextual.go.
#pragma once

#include "cty/path.h"
#include "diag/diagnostic.h"
#include "hcl/body.h"
#include "schema/schema.h"

namespace kinu::schema {

/// The range of the expression at `path`, or the place in the deepest body on the way where it is
/// missing.
SourceRange Locate(const hcl::Body& body, const Path& path);

/// The place in the body that holds the last step of the path where something would be missing.
/// Blocks that `dynamic` generates are in its `content`.
SourceRange LocateBody(const hcl::Body& body, const Path& path);

/// Reports every ephemeral part of a value outside of write-only attributes.
/// Ref: opentofu internal/lang/eval.go validEphemeralReferences.
void RejectEphemeral(const Block& block, const hcl::Body& body, const Value& value,
                     Diagnostics& diags);

}  // namespace kinu::schema
