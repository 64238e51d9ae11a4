// Which resources the expressions of a configuration refer to.
#pragma once

#include <optional>
#include <vector>

#include "config/config.h"

namespace kinu::config {

/// Adds the resources that an expression of `node` refers to, each once. `expr` may be null.
void AddReferencedResources(Program& program, const ConfigNode& node, const hcl::Expr* expr,
                            std::vector<ConfigResource>& out);

/// The resources that variables, local values, outputs and module calls of all modules refer to.
/// Returns nothing if there are more than `most`.
std::optional<std::vector<ConfigResource>> ResourcesOfNamedValues(const Config& config,
                                                                  size_t most);

}  // namespace kinu::config
