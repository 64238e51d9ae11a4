// References to the outputs of the root module ("output.x"). Tests and the console have them;
// in a configuration "output" is the name of a resource type. Ref: opentofu
// internal/addrs/parse_ref.go ParseRefFromTestingScope, internal/tofu/evaluate.go GetOutput.
#pragma once

#include <string_view>

#include "engine/walk.h"
#include "hcl/ast.h"

namespace kinu::engine {

/// The name in a reference to an output; empty if the traversal is another reference.
std::string_view OutputName(const hcl::TraversalExpr& traversal);
/// The index of an output of the root module; -1: there is none of this name.
int FindRootOutput(const Walk& walk, std::string_view name);
/// The value of an output of the root module, once it is evaluated, or the one in the state that
/// targets have left; marked if the output is sensitive.
Value RootOutput(const Walk& walk, size_t index);
/// Reports a reference to an output that the root module does not declare.
void ReportUndeclaredOutput(const Walk& walk, const hcl::TraversalExpr& traversal,
                            Diagnostics& diags);

}  // namespace kinu::engine
