// The `import` blocks of a walk. They are evaluated when the resource block that they target is
// planned. Ref: opentofu internal/tofu/context_import.go, eval_import.go.
#pragma once

#include "engine/nodes/nodes.h"

namespace kinu::engine {

/// Needs: blocks of the configuration. Gives: to each resource block the import blocks that target
/// it, unless the walk imports nothing.
void AttachImports(PlanGraph& graph);

/// Validates id or identity of an import block as far as they are known.
void ValidateImport(Walk& walk, const config::Import& import, Diagnostics& diags);

/// Evaluates the import blocks of a resource block.
void ResolveImports(Walk& walk, const BlockInfo& info, BlockSlot& slot, Diagnostics& diags);

/// Reports targets that the expansion of their block does not have. True if there are none.
bool CheckImportedInstances(const Walk& walk, Diagnostics& diags);

}  // namespace kinu::engine
