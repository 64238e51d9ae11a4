// Puts the content of a module's files together. Private to config.
// Ref: opentofu internal/configs/module.go NewModule, module_merge.go.
#pragma once

#include "config/decode.h"

namespace kinu::config {

/// Moves everything into `module`: reports what is declared twice, applies override files, sorts
/// the tables and builds their indexes.
void BuildModule(Program& program, FileContent primary, std::vector<FileContent> overrides,
                 Module& module, Diagnostics& diags);

/// Applies one override file; in override.cc. The indexes of `module` must be built.
void ApplyOverrides(Program& program, FileContent over, Module& module, Diagnostics& diags);

}  // namespace kinu::config
