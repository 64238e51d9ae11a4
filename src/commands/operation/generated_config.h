// The file of -generate-config-out: configuration for imported objects that have none.
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "plan/plan.h"

namespace kinu::operation {

/// Whether configuration may be generated into the file; otherwise reports why not.
bool CheckGeneratedConfigPath(const std::string& path, plan::Mode mode, Diagnostics& diags);

/// Writes the generated blocks of a plan to a new file. Returns whether there are any; false also
/// after an error.
bool SaveGeneratedConfig(const plan::Plan& plan, const std::string& path, Diagnostics& diags);

}  // namespace kinu::operation
