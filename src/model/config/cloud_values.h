// The values of `cloud` blocks. Ref: opentofu internal/cloud/backend.go.
#pragma once

#include <optional>

#include "config/config.h"
#include "config/static_value.h"

namespace kinu::config {

/// Evaluates the arguments of a `cloud` block: `hostname`, `organization`, `token` and the block
/// `workspaces` with `name`, `project` and `tags`; null where they are missing. Reports all
/// problems `for_init`, else those of names and secrets alone. Nothing after an error that it
/// reports.
std::optional<Value> ReadCloud(const ConfigNode& root, const Cloud& cloud,
                               StaticEvaluator& evaluator, bool for_init, Diagnostics& diags);

}  // namespace kinu::config
